"""edit_number.py MODEL NAME NUMBER OUT: replaces the value of the initializer
NAME, a single float, anywhere in the file."""

import struct
import sys

source, name, number, out = sys.argv[1:]
with open(source, "rb") as file:
    data = file.read()
# TensorProto: name is field 8, raw_data field 9.
head = b"\x42" + bytes([len(name)]) + name.encode() + b"\x4a\x04"
assert data.count(head) == 1, data.count(head)
at = data.index(head) + len(head)
with open(out, "wb") as file:
    file.write(data[:at] + struct.pack("<f", float(number)) + data[at + 4:])
