"""images.py OBJECT: says which code for GPUs an object holds."""

import re
import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
cubins = set()
for match in re.finditer(b"\x7fELF\x02\x01", data):
    header = data[match.start():match.start() + 64]
    # EM_CUDA; the chip is the second byte of e_flags.
    if struct.unpack_from("<H", header, 18)[0] == 190:
        cubins.add(struct.unpack_from("<I", header, 48)[0] >> 8 & 0xff)
ptx = sorted({int(n) for n in re.findall(rb"^\.target sm_(\d+)", data, re.M)})
print("cubins:", *sorted(cubins), end=", ")
print("ptx:", *ptx)
