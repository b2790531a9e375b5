"""Small ONNX files by the protobuf wire format. Field numbers are onnx.proto's."""
import struct

from wire import put

FLOAT, UINT8, INT64, BOOL = 1, 2, 7, 9


def message(*fields):
    return b"".join(put(*field) for field in fields)


def value_info(name, kind, dims):
    """A dim is a number, or a name."""
    shape = b"".join(put(1, put(1 if isinstance(d, int) else 2, d))
                     for d in dims)
    return message((1, name), (2, put(1, put(1, kind) + put(2, shape))))


def tensor(name, kind, dims, *more):
    return message(*((1, d) for d in dims), (2, kind), (8, name), *more)


def ints(name, values):
    raw = b"".join(v.to_bytes(8, "little", signed=True) for v in values)
    return tensor(name, INT64, [len(values)], (9, raw))


def external(name, kind, dims, location, **more):
    entry = lambda k, v: (13, message((1, k), (2, v)))
    return tensor(name, kind, dims, entry("location", location),
                  *(entry(k, str(v)) for k, v in more.items()), (14, 1))


def floats(name, dims, values):
    return tensor(name, FLOAT, dims, (9, struct.pack(f"<{len(values)}f",
                                                     *values)))


def attribute(name, value):
    """An attribute of the type of a Python value."""
    if isinstance(value, str):
        return message((1, name), (4, value), (20, 3))
    if isinstance(value, float):
        return message((1, name)) + b"\x15" + struct.pack("<f", value) + put(20, 1)
    if isinstance(value, list):
        return message((1, name), *((8, v) for v in value), (20, 7))
    return message((1, name), (3, value), (20, 2))


def node(op, inputs, outputs, *attributes, domain="", **named):
    return message(*((1, n) for n in inputs), *((2, n) for n in outputs),
                   (3, outputs[0]), (4, op), *((5, a) for a in attributes),
                   *((5, attribute(k, v)) for k, v in named.items()),
                   *([(7, domain)] if domain else []))


def model(nodes, inputs=(("x", FLOAT, [2, 4]),), initializers=(),
          outputs=("y",), opset=17, more=()):
    """A ModelProto; `more` are further fields of it."""
    graph = message(*((1, n) for n in nodes), (2, "graph"),
                    *((5, t) for t in initializers),
                    *((11, value_info(*i)) for i in inputs),
                    *((12, value_info(o, FLOAT, [])) for o in outputs))
    return message((1, 8), (7, graph), (8, put(2, opset)), *more)
