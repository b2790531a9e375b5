"""edit_number.py MODEL NAME NUMBER OUT: the model with the number, a float, in
place of that of the initializer NAME, wherever it lies in the file."""

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
