"""Programs without MPI under Slurm, with PMIx and without it.

REQUIRES: slurm
RUN: rm -rf %t && mkdir %t && cd %t && %build/test/Runtime/bin/toy-files .
RUN: %root/scripts/hosts --slurm %python %s %root %build 2>&1
"""

import sys

root, build = sys.argv[1:]
sys.path.insert(0, f"{root}/test/Runtime/Inputs")
from runs import good, requireEqual

PLAIN = f"{build}/test/Runtime/bin/plain"
TOY = [f"{PLAIN}/toy-dp2-tp2", "--data", "tokens.bin", "--lr", "1e-2",
       "--steps", "12", "--log-json"]

good(*TOY, "alone.json")
for name, flags in (("three", ["-N", "3"]), ("one", ["-N", "1"]),
                    ("pmix", ["-N", "2", "--mpi=pmix"])):
    out = good("srun", *flags, "-n", "4", *TOY, f"{name}.json")
    assert "found srun: joined 4 ranks" in out, out
    requireEqual("alone.json", f"{name}.json")
assert good("srun", "-N", "2", "-n", "4", f"{PLAIN}/exchange") == \
    "all checks hold\n"
