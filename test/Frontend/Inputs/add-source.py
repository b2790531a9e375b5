"""add-source.py IN OUT JSON: a copy of an ONNX file that says, like a file of
pcc-export, which model directory it was exported from. The fields of protobuf
may come in any order, so the metadata is appended: weights stay in place."""

import sys


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, data):
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def add(source, target, text):
    with open(source, "rb") as file:
        model = file.read()
    # ModelProto.metadata_props, StringStringEntryProto.key and value.
    entry = field(1, b"pcc.source") + field(2, text.encode())
    with open(target, "wb") as file:
        file.write(model + field(14, entry))


if __name__ == "__main__":
    add(*sys.argv[1:])
