"""Programs without MPI under mpirun over three hosts: the same curves as on one
host, and the way out if rank 0 is not on mpirun's host.

REQUIRES: hosts
RUN: rm -rf %t && mkdir %t && cd %t && %build/test/Runtime/bin/toy-files .
RUN: %root/scripts/hosts %python %s %root %build 2>&1
"""

import os
import subprocess
import sys

root, build = sys.argv[1:]
sys.path.insert(0, f"{root}/test/Runtime/Inputs")
from runs import good, requireEqual, run, until

PLAIN = f"{build}/test/Runtime/bin/plain"
TOY = [f"{PLAIN}/toy-dp2-tp2", "--data", "tokens.bin", "--lr", "1e-2"]
MPIRUN = ["mpirun", "--bind-to", "none"]
THREE = ["--host", "node1:1,node2:2,node3:1", "-n", "4"]
OTHERS = ["--host", "node2:2,node3:2", "-n", "4"]

good(*TOY, "--steps", "12", "--log-json", "one.json")
out = good(*MPIRUN, *THREE, *TOY, "--steps", "12", "--log-json", "three.json")
assert "found Open MPI's mpirun: joined 4 ranks" in out, out
requireEqual("one.json", "three.json")
assert good(*MPIRUN, *THREE, f"{PLAIN}/exchange") == "all checks hold\n"

code, _, err = run(*MPIRUN, *OTHERS, *TOY, "--steps", "12")
assert code == 3 and (
    "[rank 0] error: rank 0 runs on host 'node2', but the others look for it at "
    "the host of mpirun\n[rank 0] note: set PCC_EXCHANGE to rank 0's host, as by "
    "'mpirun -x PCC_EXCHANGE=HOST'\n") in err, (code, err)
good(*MPIRUN, "-x", "PCC_EXCHANGE=node2", *OTHERS, *TOY, "--steps", "12",
     "--log-json", "others.json")
requireEqual("one.json", "others.json")

# The loss of a host ends the run on all hosts, with a message.
lost = subprocess.Popen([*MPIRUN, *THREE, *TOY, "--steps", "100000",
                         "--log-json", "lost.json"], stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE, text=True,
                        env=dict(os.environ, TOY_PAUSE_MS="20"))
until(lambda: os.path.exists("lost.json") and os.path.getsize("lost.json"))
good("host", "--kill", "node3")
_, err = lost.communicate(timeout=60)
assert lost.returncode != 0
assert "rank 3 was lost" in err or "lost communication" in err, err
until(lambda: not good("host", "node2", "pgrep -x toy-dp2-tp2 || true"), 20)
