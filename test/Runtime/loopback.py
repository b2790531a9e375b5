"""A job that starts its ranks itself listens only on the loopback interface.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files . && %python %s
"""

import os
import re
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from runs import begin, jobOf, processes

LOOPBACK = {"0100007F", "0" * 24 + "01000000"}


def listening(process):
    """The addresses, in hex, on which a process waits for connections."""
    sockets = set()
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            target = os.readlink(f"/proc/{process}/fd/{name}")
        except OSError:
            continue
        sockets.update(re.findall(r"socket:\[(\d+)\]", target))
    found = []
    for table in ("tcp", "tcp6"):
        with open(f"/proc/net/{table}") as file:
            for row in list(map(str.split, file))[1:]:
                if row[3] == "0A" and row[9] in sockets:
                    found.append(row[1].split(":")[0])
    return found


run = begin("toy-dp2-tp2", "--data", "tokens.bin", "--steps", "10000000",
            env=dict(os.environ, TOY_PAUSE_MS="20"))
while "step" not in run.stdout.readline():
    pass
found = [address for process in processes(jobOf(run))
         for address in listening(process)]
# Ranks above 0 listen for other ranks.
assert len(found) == 3 and set(found) <= LOOPBACK, found
run.send_signal(signal.SIGTERM)
out, err = run.communicate(timeout=20)
assert run.returncode == 0 and not err, err
