"""Writes tokens.bin (2001 uint16) of this folder in all formats that the
runtime reads, and damaged files."""

import os
import struct

import numpy

tokens = numpy.fromfile("tokens.bin", numpy.uint16)
SEQ = 8

# Three files: uint16, llm.c, Megatron.
tokens[:700].tofile("a.bin")
header = numpy.zeros(256, numpy.int32)
header[:3] = 20240520, 1, 301
with open("b.bin", "wb") as file:
    file.write(header.tobytes() + tokens[700:1001].tobytes())


def megatron(name, tokens, code, lengths, pointers=None, sequences=None,
             magic=b"MMIDIDX\0\0"):
    tokens.tofile(name + ".bin")
    if pointers is None:
        pointers = numpy.cumsum([0, *lengths[:-1]]) * tokens.itemsize
    with open(name + ".idx", "wb") as file:
        file.write(magic)
        file.write(struct.pack("<QBQQ", 1, code, sequences or len(lengths),
                               len(lengths) + 1))
        file.write(numpy.array(lengths, numpy.int32).tobytes())
        file.write(numpy.array(pointers, numpy.int64).tobytes())
        file.write(numpy.arange(len(lengths) + 1).tobytes())


megatron("c", tokens[1001:], 8, [1000])
megatron("megatron-u16", tokens, 8, [1, 0, 1500, 500])
megatron("megatron-i32", tokens.astype(numpy.int32), 4, [2001])
megatron("megatron-i64", tokens.astype(numpy.int64), 5, [1000, 1001])
megatron("hole", tokens, 8, [1000, 1001], [0, 2004])
megatron("beyond", tokens[:2000], 8, [1000, 1001])
megatron("negative", tokens, 8, [-1000, 3001])
megatron("many", tokens, 8, [1000, 1001], sequences=1 << 63)
megatron("float", tokens, 7, [1000, 1001])
megatron("magic", tokens, 8, [1000, 1001], magic=b"MMIDIDY\0\0")

megatron("part", tokens, 8, [1000])
megatron("narrow", tokens.astype(numpy.int32), 8, [2001])

# Headers with wrong counts, and a file without a header.
with open("llmc-more.bin", "wb") as file:
    file.write(header.tobytes() + tokens.tobytes())
with open("llmc-half.bin", "wb") as file:
    file.write(header.tobytes() + tokens[:301].tobytes() + b"x")
tokens.astype("<u4").tofile("wide.bin")
tokens.astype("<i8").tofile("widest.bin")
tokens.astype(">u4").tofile("wide-big.bin")
tokens.astype(">u2").tofile("big.bin")
tokens[:2000].astype("u1").tofile("narrow-bytes.bin")
numpy.save("array.npy", tokens)
with open("text.txt", "w") as file:
    file.write("It is no token what stands here, but text.\n" * 9)

ids = tokens[:2000].reshape(-1, SEQ).astype(numpy.int64)
labels = tokens[1:].reshape(-1, SEQ).astype(numpy.int32)


def folder(name, **arrays):
    os.makedirs(name)
    for key, array in arrays.items():
        numpy.save(f"{name}/{key}.npy", array)


def changed(array, index, value):
    array = array.copy()
    array[index] = value
    return array


folder("arrays", input_ids=ids, labels=labels)
folder("none", other=ids, labels=labels)
folder("shape", input_ids=numpy.zeros((250, 9), int), labels=labels)
folder("scalar", input_ids=numpy.int64(1), labels=labels)
folder("counts", input_ids=ids, labels=labels[:249])
folder("real", input_ids=ids.astype(numpy.float32), labels=labels)
folder("few", input_ids=ids[:7], labels=labels[:7])
folder("label", input_ids=ids, labels=changed(labels, (249, 7), -1))
folder("id", input_ids=changed(ids, (2, 3), 101), labels=labels)
folder("columns", input_ids=numpy.asfortranarray(ids), labels=labels)
folder("big", input_ids=ids.astype(">i8"), labels=labels)
for name in "cut", "huge", "header", "short":
    folder(name, input_ids=ids, labels=labels)
path = "cut/input_ids.npy"
os.truncate(path, os.path.getsize(path) - 1)
for name, before, after in (
        ("huge", b"(250, 8), }" + b" " * 20, b"(4294967296, 4294967296), }    "),
        ("header", b"'descr'", b"'descs'"),
        ("short", b"\x76\x00{", b"\xff\xff{")):
    path = f"{name}/input_ids.npy"
    with open(path, "rb") as file:
        data = file.read()
    assert len(before) == len(after) and before in data, (name, data[:128])
    with open(path, "wb") as file:
        file.write(data.replace(before, after, 1))
