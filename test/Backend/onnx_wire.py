"""Reads and changes ONNX files by the protobuf wire format, without protobuf.

Field numbers are onnx.proto's.
"""
import os
import struct
import sys

import numpy

sys.path.append(os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "Inputs"))
from wire import fields, get, get_all, packed, put

DTYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16",
          6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64",
          12: "uint32", 13: "uint64"}


class Unreadable(Exception):
    """A case that numpy or the compiled programs cannot represent."""


def tensor(data):
    """(name, array) of a TensorProto; bfloat16 becomes float32."""
    name = get(data, 8, b"").decode()
    shape = packed(data, 1, "varint")
    kind = get(data, 2, 0)
    raw = get(data, 9)
    if kind == 16:
        bits = (numpy.frombuffer(raw, "<u2") if raw is not None
                else numpy.array(packed(data, 5, "varint"), "<u2"))
        wide = (bits.astype("<u4") << 16).view("<f4")
        return name, wide.reshape(shape)
    if kind not in DTYPES:
        raise Unreadable(f"elements of ONNX type {kind}")
    dtype = numpy.dtype(DTYPES[kind])
    if raw is not None:
        return name, numpy.frombuffer(raw, dtype).reshape(shape)
    number, code = {1: (4, "f"), 11: (10, "d"), 7: (7, "varint"),
                    12: (11, "varint"), 13: (11, "varint")}.get(
                        kind, (5, "varint"))
    values = packed(data, number, code)
    if kind == 10:
        return name, numpy.array(values, "<u2").view("<f2").reshape(shape)
    return name, numpy.array(values).astype(dtype).reshape(shape)


def field(number, kind, value):
    """The bytes of a field as `fields` yields it."""
    if kind in (0, 2):
        return put(number, value)
    return bytes([number << 3 | kind]) + value


class Model:
    """A ModelProto, with its graph taken apart."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.graph = get(self.data, 7, b"")
        self.nodes = get_all(self.graph, 1)
        #: names of the graph's inputs that are not initialized
        self.inputs = [get(v, 1, b"").decode()
                       for v in get_all(self.graph, 11)]
        initialized = {get(t, 8, b"").decode()
                       for t in get_all(self.graph, 5)}
        self.inputs = [n for n in self.inputs if n not in initialized]
        self.outputs = [get(v, 1, b"").decode()
                        for v in get_all(self.graph, 12)]
        #: whether all inputs and outputs are tensors
        self.has_tensors_only = all(
            get(get(v, 2, b""), 1) is not None
            for n in (11, 12) for v in get_all(self.graph, n))

    def _tensor_type(self, name):
        for number in (11, 12):
            for value in get_all(self.graph, number):
                if get(value, 1, b"").decode() == name:
                    return get(get(value, 2, b""), 1, b"")
        return b""

    def declares(self, name, shape):
        """Whether an input or output may have this shape."""
        dims = get_all(get(self._tensor_type(name), 2, b""), 1)
        return len(dims) == len(shape) and all(
            get(d, 1, n) == n for d, n in zip(dims, shape))

    def is_bfloat16(self, name):
        return get(self._tensor_type(name), 1) == 16

    def typed(self, name, array):
        """An array of the declared type: some data hold the bits of bfloat16
        as uint16."""
        if self.is_bfloat16(name) and array.dtype == "uint16":
            return (array.astype("<u4") << 16).view("<f4")
        return array

    def imports(self):
        """The versions of the operators, as bytes; None if the model has fields
        that `merged` cannot merge."""
        if any(number > 8 for number, _, _ in fields(self.data)):
            return None
        return tuple(sorted(get_all(self.data, 8)))

    def operators(self):
        """The names of its operators, with the domain unless it is ONNX's."""
        names = set()
        for node in self.nodes:
            domain = get(node, 7, b"").decode()
            name = get(node, 4, b"").decode()
            names.add(name if domain in ("", "ai.onnx")
                      else f"{domain}.{name}")
        return names

    def changed(self, tensors, attributes):
        """The model's bytes with named tensors (TensorProtos) as initializers
        and an attribute added to the nodes of each operator named."""
        graph = b""
        for number, kind, value in fields(self.graph):
            if number == 1:
                value += b"".join(put(5, a) for op, a in attributes.items()
                                  if get(value, 4, b"").decode() == op)
            graph += field(number, kind, value)
        for name, data in tensors.items():
            kept = b"".join(field(*f) for f in fields(data) if f[0] != 8)
            graph += put(5, kept + put(8, name))
        return b"".join(field(n, kind, graph if n == 7 else value)
                        for n, kind, value in fields(self.data))


def float_attribute(name, value):
    """An AttributeProto."""
    return put(1, name) + b"\x15" + struct.pack("<f", value) + put(20, 1)


def renamed(data, rules, prefix):
    """A message whose names get a prefix. rules: by field number, None for a
    name or the rules of a message."""
    out = b""
    for number, kind, value in fields(data):
        if number in rules:
            rule = rules[number]
            if rule is not None:
                value = renamed(value, rule, prefix)
            elif value:  # an empty name is an operand left out
                value = prefix + value
        out += field(number, kind, value)
    return out


#: The fields of messages that hold names, as rules of `renamed`.
NAMES_IN_TENSOR = {8: None}
NAMES_IN_VALUE = {1: None, 2: {1: {2: {1: {2: None}}}}}
NAMES_IN_GRAPH = {5: NAMES_IN_TENSOR, 11: NAMES_IN_VALUE, 12: NAMES_IN_VALUE,
                  13: NAMES_IN_VALUE}
NAMES_IN_NODE = {1: None, 2: None, 3: None,
                 5: {6: NAMES_IN_GRAPH, 11: NAMES_IN_GRAPH}}
NAMES_IN_GRAPH[1] = NAMES_IN_NODE


def merged(models):
    """One model's bytes with the graphs of several that import the same
    operators. models: bytes by the prefix of their names."""
    graph = b""
    for prefix, data in models.items():
        part = renamed(get(data, 7), NAMES_IN_GRAPH, prefix.encode())
        graph += b"".join(field(*f) for f in fields(part) if f[0] != 2)
    graph += put(2, "merged")
    return b"".join(field(n, kind, graph if n == 7 else value)
                    for n, kind, value in fields(data))
