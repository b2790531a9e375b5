"""Starts ranks on a host whose /dev/shm has no space for their shared memory:
the next folder is used. If that one has no space, either, or cannot be used,
the run ends before the ranks start, and its error has the numbers.

REQUIRES: mount-namespaces
RUN: rm -rf %t && mkdir -p %t/temporary && cd %t && toy-files . && %python %s
"""

import os
import subprocess


def withMemory(size, temporary):
    script = f"mount -t tmpfs -o size={size} pcc /dev/shm && exec \"$@\""
    return subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", "toy-dp2-tp2",
         "--data", "tokens.bin", "--steps", "2"],
        capture_output=True, text=True, timeout=60,
        env=dict(os.environ, TMPDIR=temporary))


for size in ("64k", "1m", "8m", "20m"):
    run = withMemory(size, "temporary")
    assert run.returncode == 0 and not run.stderr, run
    assert not os.listdir("temporary")
run = withMemory("1m", "nowhere")
assert run.returncode == 3 and run.stderr == (
    "error: the ranks share 30.0 MiB of memory or disk: /dev/shm has 1.0 MiB "
    "room, in nowhere no folder can be made: No such file or directory\n"
    "note: set TMPDIR to a folder on a disk of this host\n"), run
assert withMemory("40m", "nowhere").returncode == 0
