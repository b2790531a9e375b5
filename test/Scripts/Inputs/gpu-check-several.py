"""gpu-check-several.py ROOT BUILD: runs scripts/gpu-check --gpus 8 on test doubles
of 8 GPUs, with models that are small enough for the emulator."""

import json
import os
import shutil
import subprocess
import sys

ROOT, BUILD = sys.argv[1:]
DOUBLE = os.path.join(BUILD, "test", "Cuda", "double")
ONLY = "wide8"

# A copy of the checkout with a few small models.
os.makedirs("tree")
for name in os.listdir(ROOT):
    if name != "scripts":
        os.symlink(os.path.join(ROOT, name), os.path.join("tree", name))
shutil.copytree(os.path.join(ROOT, "scripts"), "tree/scripts",
                ignore=shutil.ignore_patterns("__pycache__"))
SMALL = """
GPT = ["gpt", "--layers", "2", "--seq", "8", "--width", "32", "--inner", "32",
       "--heads", "4", "--vocab", "128"]
"""
OVERRIDES = {
    "cases.py": SMALL + """
STEPS, FEW_STEPS = 3, 2
ALONE = [Case("wide8 alone f32", GPT + ["--batch", "2"], "f32",
              ["--global-batch-size", "4"])]
EVERYWHERE = ("wide8 alone f32",)
""",
    "plans.py": """
def wide(gpus):
    return [*cases.GPT, "--batch", str(gpus)]


def along_one_axis(gpus):
    return []


def combined(gpus, whole=combined):
    return whole(gpus)[:1]


def counts(gpus):
    return [1, 8]


FAMILIES = (("wide8 small, dp", [*cases.GPT, "--layers", "1"], 1, [], ["--dp", "{n}", "--zero", "1"]),)
""",
    "attention.py": """
BATCH, STEPS, HEADS = 4, 2, 2
MODEL = ["gpt", "--layers", "1", "--width", "128", "--inner", "32", "--heads", "2",
         "--vocab", "128", "--batch", "4"]
PAIRS = [(case_of(16, " wide8", ["--attention-backend", "cudnn"]),
          case_of(16, " wide8 tiles", cases.TILES))]
CASES = [case for pair in PAIRS for case in pair]
""",
    "speed.py": "STEPS, WARM_UP = 3, 1\n",
    "scaling.py": "STEPS = 3\n",
    "bandwidth.py": "SIZES = [1024, 65536]\nLARGE = 65536\n",
    # For ranks that share the cores of a busy machine.
    "faults.py": "TIMEOUT = 5\n",
}
for name, text in OVERRIDES.items():
    with open(os.path.join("tree/scripts/gpu", name), "a") as file:
        file.write("\n\n" + text)
sys.path.insert(0, os.path.abspath("tree/scripts/gpu"))
sys.dont_write_bytecode = True
import attention  # noqa: E402
import cases  # noqa: E402
import faults  # noqa: E402
import machine  # noqa: E402
import plans  # noqa: E402
import prepare  # noqa: E402

# What nvidia-smi would print of the machine.
os.makedirs("tools")
with open("tools/nvidia-smi", "w") as file:
    file.write(f"""#!{sys.executable}
import sys
(query,) = [a.split("=")[1].split(",") for a in sys.argv if "--query-gpu" in a]
for gpu in range(8):
    known = {{"index": gpu, "uuid": f"GPU-{{gpu}}", "name": "NVIDIA H100 80GB HBM3",
             "driver_version": "580.1", "memory.total": 81559,
             "memory.used": 1000 + gpu, "power.draw": 600 + gpu, "clocks.sm": 1500}}
    print(", ".join(str(known[field]) for field in query))
""")
os.chmod("tools/nvidia-smi", 0o755)
ENVIRONMENT = dict(
    os.environ, PCC_CUDA_LIBRARIES=DOUBLE, OMP_NUM_THREADS="1",
    PCC_DOUBLE_DEVICES="8", PCC_DOUBLE_KERNELS=os.path.abspath("kernels") + "/",
    PATH=os.path.abspath("tools") + ":" + os.environ["PATH"])
ENVIRONMENT.pop("CUDA_VISIBLE_DEVICES", None)


def check(code, *arguments, **environment):
    """The output of gpu-check, which must end with this code."""
    done = subprocess.run(
        [sys.executable, "-B", "tree/scripts/gpu-check", "--folder", "made", *arguments],
        capture_output=True, text=True, env={**ENVIRONMENT, **environment})
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


said = check(0, "--gpus", "8", "--prepare", "--build", BUILD, "--only", ONLY)
assert "MiB in made.tar.xz" in said, said

# The test double runs kernels that are compiled for it, separately for each
# program.
os.makedirs("kernels")
for case in (cases.ALONE + plans.together(8) + plans.scaled(8) + attention.CASES):
    name = cases.file_of(case)
    if ONLY not in case.name:
        continue
    prepare.compile_case(case, BUILD, "cuda-emulated", name + ".o", "--emit=obj")
    subprocess.run(["clang-22", "-shared", "-o", f"kernels/{name}.so", name + ".o",
                    os.path.join(DOUBLE, "libcuda.so.1"), f"-Wl,-rpath,{DOUBLE}"],
                   check=True)

said = check(0, "--gpus", "8", "ranks", "--only", "tp 2 pp 2")
assert "| wide8 f32 tp 2 pp 2 dp 2 zero 1 |" in said and "| same |" in said, said
said = check(0, "--gpus", "8", "attention", "same", "bandwidth", "faults", "scaling",
             "--results", "results.json")
assert said.startswith("8 x NVIDIA H100 80GB HBM3, 580.1, 81559 MiB; "), said
assert "nothing is wrong" in said, said
with open("results.json") as file:
    results = json.load(file)

# cuDNN's attention, with random scores and with scores that are all small.
(row,) = results["attention"]
assert all(row[scores]["finite"] for scores in ("drawn", "about -128")), row
(row,) = results["same"]
assert row["gpus"] == 8 and row["others"] == {}, row

# Bus bandwidth, as in nccl-tests: 7/4 of an all_reduce's algorithm bandwidth.
rows = {(row["op"], row["bytes"]): row for row in results["bandwidth"]}
assert set(rows) == {(op, size) for size in (1024, 65536) for op in (
    "all_reduce", "all_gather", "reduce_scatter", "send_recv")}, rows
for op, share in ("all_reduce", 7 / 4), ("all_gather", 7 / 8), ("send_recv", 1):
    row = rows[op, 65536]
    assert abs(row["bus_gb_s"] / row["algorithm_gb_s"] - share) < 1e-9, row
    assert abs(row["algorithm_gb_s"] - 65536 / row["seconds"] / 1e9) < 1e-9, row

assert [row["fault"] for row in results["faults"]] == [
    "a rank is killed", "a rank is stopped", "too few devices",
    "a device that does not exist", "no device", "one device for all ranks",
    "the run after these"], results["faults"]
assert {row["ends"] for row in results["faults"]} == {"as it should be"}
assert {row["case"] for row in results["faults"]} == {"wide8 f32 tp 2 pp 2 dp 2 zero 1"}

eight, one = results["scaling"]
assert eight["ranks"] == 8 and one["ranks"] == 1, results["scaling"]
rates = [row["tokens_per_second"] / row["ranks"] for row in (eight, one)]
assert one["efficiency"] == 1 and eight["efficiency"] == rates[0] / rates[1], eight
assert eight["mfu"] > 0 and "exposed_ms" in eight and "exposed_ms" not in one, eight
assert eight["communication_ms"] > 0 and eight["sent"]["reduce_scatter"] > 0, eight
assert [gpu["watts"] for gpu in eight["gpus"]] == list(range(600, 608)), eight
assert "torch.distributed.run" in said, said

# Ranks share a GPU only if there are too few GPUs.
machine.Gpus.count = 8
assert machine.shared(8) == {} and machine.shared(16) == {"PCC_SHARE_DEVICES": "1"}
machine.Gpus.count = 1
assert machine.shared(1) == {} and machine.shared(2) == {"PCC_SHARE_DEVICES": "1"}

# With fewer GPUs, and with more than the machine has.
said = check(0, "--gpus", "2", "same")
assert "| wide8 alone f32 | 2 | same |" in said, said
said = check(2, "same", "--gpus", "16")
assert "error: --gpus 16: CUDA finds 8 on this machine" in said, said
said = check(1, "same", "bandwidth", "scaling", CUDA_VISIBLE_DEVICES="5")
assert "GPUs: 1; nothing to compare" in said, said
assert said.count("has nothing of it, for 1 GPUs") == 3, said


def replace(case, text):
    """Replaces a program by a script; the program gets the suffix ".real"."""
    path = os.path.join("made", cases.file_of(case))
    os.rename(path, path + ".real")
    with open(path, "w") as file:
        file.write(f"#!{sys.executable}\n"
                   "import json, os, subprocess, sys, time\n"
                   "def given(flag): return sys.argv[sys.argv.index(flag) + 1]\n"
                   + text)
    os.chmod(path, 0o755)


# Problems name the GPU that has them. Then a norm that is not finite, and
# losses that differ from those of tiles.
replace(cases.ALONE[0], """
folder = given("--save") + "/step-1"
os.makedirs(folder)
gpu = os.environ["CUDA_VISIBLE_DEVICES"]
open(folder + "/model.safetensors", "w").write("x" * (gpu == "3"))
open(given("--log-json"), "w").write(
    '{"loss": %d, "norm": 1}' % (2 if gpu == "5" else 1))
sys.exit(6 if gpu == "6" else 0)
""")
said = check(1, "same")
for wrong in "3: other parameters", "5: other losses", "6: ends with 6: ":
    assert "wrong: same: wide8 alone f32: GPU " + wrong in said, said
assert said.endswith("3 wrong\n"), said
library, _ = attention.PAIRS[0]
replace(library, f"""
os.environ["PCC_DOUBLE_KERNELS"] += "{cases.file_of(library)}.so"
code = subprocess.run([sys.argv[0] + ".real", *sys.argv[1:]]).returncode
rows = [json.loads(line) for line in open(given("--log-json"))]
is_first = not os.path.exists("turn")
open("turn", "w").close()
with open(given("--log-json"), "w") as file:
    for row in rows:
        row["norm"] = None if is_first else 2 * row["norm"]
        print(json.dumps(row), file=file)
sys.exit(code)
""")
said = check(1, "attention")
for wrong in "drawn: not finite", "about -128: norm differs by 1.0e+00":
    assert f"{library.name}: scores {wrong}" in said, said

# Faults: a run with a wrong exit code, and one that leaves a process.
machine.Gpus.count, faults.END = 8, 1
replace(faults.case_of({"gpus": 8}, "made"), """
if os.environ.get("CUDA_VISIBLE_DEVICES") == "99":
    subprocess.Popen(["sleep", "100"], stderr=subprocess.DEVNULL)
    print("error: no CUDA device", file=sys.stderr)
    sys.exit(9)
""")
found, wrong = faults.run({"gpus": 8}, "made", "device")
assert wrong[0].startswith("too few devices: ends with 0, due 9"), wrong
assert wrong[2].startswith("no device: leaves processes ["), wrong
assert len(found) == len(wrong) == 4, wrong
found, wrong = faults.run({"gpus": 8}, "made", "killed")
assert wrong == ["a rank is killed: ended with 0 before the fault: "], wrong
