"""Writes the first inputs of the fuzzers: seeds.py FOLDER."""

import json
import os
import struct
import sys

import numpy


def safetensors(header, data):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def npy(array, **changes):
    header = {"descr": array.dtype.str, "fortran_order": False,
              "shape": array.shape} | changes
    text = (repr(header) + "\n").encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + \
        array.tobytes()


def file(data):
    return struct.pack("<H", len(data)) + data


def put(name, data):
    path = os.path.join(sys.argv[1], name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


two = {"__metadata__": {"format": "pt"}, "a": tensor("F32", [2, 3], 0, 24),
       "b": tensor("I8", [], 24, 25)}
put("safetensors/two", safetensors(two, bytes(25)))
put("safetensors/overlap", safetensors({"a": tensor("F32", [2], 0, 8),
                                    "b": tensor("F32", [2], 4, 12)},
                                   bytes(12)))
put("safetensors/length", struct.pack("<Q", 1 << 63) + b"{}")
put("safetensors/large", safetensors({"a": tensor("F64", [1 << 62, 8], 0, 0)}, b""))
put("safetensors/nested", safetensors(b'{"a":' + b"[" * 1000, b""))
put("safetensors/empty", safetensors({"a": tensor("BF16", [0], 0, 0)}, b""))

tokens = (numpy.arange(41) % 10).astype(numpy.uint16)
header = numpy.zeros(256, numpy.int32)
header[:3] = 20240520, 1, 41
put("data/uint16", b"\0" + tokens.tobytes())
put("data/llmc", b"\0" + header.tobytes() + tokens.tobytes())
index = b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, 2, 3) + \
    struct.pack("<2i2q3q", 20, 21, 0, 40, 0, 1, 2)
put("data/megatron", b"\1" + file(index) + tokens.tobytes())
put("data/pair", b"\2" + file(tokens[:20].tobytes()) + tokens[20:].tobytes())
ids = tokens[:40].reshape(10, 4)
put("data/arrays", b"\3" + file(npy(ids.astype(numpy.int64))) +
    npy(ids.astype(numpy.int32)))
put("data/bytes", b"\3" + file(npy(ids.astype(numpy.uint8))) +
    npy(ids.astype(numpy.int8)))
put("data/constant", b"\3" + file(npy(ids[:2])) + npy(ids[:2]))
put("data/shape", b"\3" + file(npy(ids, shape=(1 << 40, 1 << 40))) + npy(ids))

state = {"format": 1, "step": 3, "global_batch": 1, "sequence": 4,
         "options": {"lr": "0.1", "data": "x"}}
place = json.dumps({"shape": [5, 4], "offset": [0, 0]})
optimizer = safetensors({"__metadata__": {"exp_avg.w": place,
                                          "master.w": place},
                         "exp_avg.w": tensor("F32", [5, 4], 0, 80),
                         "master.w": tensor("F32", [5, 4], 80, 160)},
                        bytes(160))
model = safetensors({"w": tensor("BF16", [5, 4], 0, 40)}, bytes(40))
put("checkpoint/whole", file(json.dumps(state).encode()) + file(optimizer) +
    model)
source = {"path": "x", "digest": "", "samples": 9, "number": 0, "weight": 1,
          "start": 4, "taken": 1}
blend = state | {"data": {"since_step": 1, "sources": [
    source, source | {"path": "y", "number": 2},
    source | {"number": 1, "weight": 0}]}}
put("checkpoint/blend", file(json.dumps(blend).encode()) + file(optimizer) +
    model)
halves = safetensors({"__metadata__": {
    "exp_avg.w": json.dumps({"shape": [6, 4], "offset": [3, 0]})},
    "exp_avg.w": tensor("F32", [3, 4], 0, 48)}, bytes(48))
put("checkpoint/half", file(json.dumps(state).encode()) + file(halves) + model)
# Rejected for its hash. The fuzzer adds correct hashes to inputs without.
entry = {"bytes": 40, "header_bytes": 8, "header": "0" * 32,
         "blocks": ["0" * 32]}
hashed = state | {"hashes": {"kind": "xxh128", "block_bytes": 1 << 24,
                             "files": {"model.safetensors": entry}},
                  "hash": "0" * 32}
put("checkpoint/hashed", file(json.dumps(hashed, indent=2).encode() + b"\n") +
    file(b"") + model)
