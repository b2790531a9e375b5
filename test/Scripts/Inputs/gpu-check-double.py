"""gpu-check-double.py ROOT BUILD FOLDER: runs scripts/gpu-check in FOLDER, which
has the program 'odd f32', on the test double of a GPU."""

import json
import os
import subprocess
import sys

ROOT, BUILD, FOLDER = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "scripts", "gpu"))
import cases  # noqa: E402
import prepare  # noqa: E402

DOUBLE = os.path.join(BUILD, "test", "Cuda", "double")
case = next(c for c in cases.ALONE if c.name == "odd f32")
prepare.compile_case(case, BUILD, "cuda-emulated", "kernels.o", "--emit=obj")
subprocess.run(["clang-22", "-shared", "-o", "kernels.so", "kernels.o",
                os.path.join(DOUBLE, "libcuda.so.1"), f"-Wl,-rpath,{DOUBLE}"],
               check=True)


def check(code, folder=FOLDER, *more):
    """Runs gpu-check, which must end with this code; returns its output."""
    done = subprocess.run(
        [os.path.join(ROOT, "scripts", "gpu-check"), "--folder", folder, "losses",
         "--results", "results.json", *more], capture_output=True, text=True,
        env=dict(os.environ, PCC_CUDA_LIBRARIES=DOUBLE, OMP_NUM_THREADS="1",
                 PCC_DOUBLE_KERNELS=os.path.abspath("kernels.so")))
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout


# The package is a folder or an archive.
os.mkdir("carried")
os.rename(FOLDER + ".tar.xz", "carried/made.tar.xz")
said = check(0, os.path.abspath("carried/made"))
assert os.listdir("carried") == ["made.tar.xz"]
assert "| odd f32 |" in said and "| same |" in said, said
assert "nothing is wrong" in said, said
with open("results.json") as file:
    (row,) = json.load(file)["losses"]
assert 0 < row["loss"] < 1e-4 and row["bits"] == "same", row

# A piece ends in time and reports missing cases, or is killed.
said = check(1, FOLDER, "--minutes", "0.3")
assert "wrong: losses: the time is over; not run: odd f32" in said, said
said = check(1, FOLDER, "--minutes", "0.0001")
assert "wrong: losses: no results: it took more than its time" in said, said

path = os.path.join(FOLDER, "manifest.json")
with open(path) as file:
    manifest = json.load(file)
manifest["curves"][case.name][1]["loss"] *= 1.001
with open(path, "w") as file:
    json.dump(manifest, file)
said = check(1)
assert "wrong: losses: odd f32: loss differs by 1.0e-03 from that of CPUs" in said, said
