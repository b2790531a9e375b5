"""Runs a command on a terminal, with and without NO_COLOR. Prints whether it
shows a bar, and whether in color."""

import os
import pty
import sys

for name, setting in ("without", None), ("NO_COLOR", "1"):
    os.environ.pop("NO_COLOR", None)
    if setting:
        os.environ["NO_COLOR"] = setting
    os.environ["TERM"] = "xterm"
    shown = bytearray()

    def read(descriptor):
        data = os.read(descriptor, 1 << 16)
        shown.extend(data)
        return data

    output = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    status = pty.spawn(sys.argv[1:], read)
    os.dup2(output, 1)
    assert status == 0, shown
    print(f"{name}: {b'left' in shown} {b'[32m' in shown}", flush=True)
