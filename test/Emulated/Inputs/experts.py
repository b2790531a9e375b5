"""Trains small models with experts on the emulated GPU and on a CPU, in the
current folder. Compares losses, gradient norms, and the bits of runs with other
delays. With PCC_TEST_ALL also plans of several ranks in bf16."""

import json
import os
import pathlib
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Bounds of losses and of gradient norms. In bf16, those of low-precision layouts.
BOUNDS = {"f32": (2e-6, 2e-5), "bf16": (2e-3, 1e-2)}
ALL = bool(os.environ.get("PCC_TEST_ALL"))
# Experts, choices of a token, hidden sizes of the model and of an expert; flags
# of several ranks. More experts than some microbatch has tokens, so that experts
# have no rows; one expert with all tokens; sizes of no tile and no vector. Experts
# that tp splits, and that ep and tp divide.
EP = ("--dp", "2", "--ep", "2")
CASES = ((5, 2, 16, 12, ("--tp", "2"), ("--pp", "2")),
         (24, 1, 20, 6, (*EP, "--zero", "1"), (*EP, "--tp", "2", "--etp", "1")),
         (1, 1, 16, 33), (3, 3, 12, 7))


def write_model(experts, chosen, width, inner):
    text = subprocess.run(
        [sys.executable, ROOT / "test/Inputs/models/make.py", "moe", "--layers",
         "2", "--batch", "2", "--seq", "10", "--width", str(width), "--inner",
         str(inner), "--experts", str(experts), "--choices", str(chosen), "--heads",
         "2", "--kv-heads", "1", "--vocab", "29"],
        check=True, capture_output=True, text=True).stdout
    pathlib.Path("model.mlir").write_text(
        'module attributes {pcc.phase = "nn"} {\n' + text + "}\n")


def compile_for(target, precision, flags):
    subprocess.run(["pcc", "model.mlir", "-q", "--loss", "causal-lm", "--precision",
                    precision, "--global-batch-size", "4", "--target", target,
                    *flags, "-o", target], check=True)


def train(target, seed="1"):
    """Losses and norms of a few steps, and the saved model."""
    for path in pathlib.Path().glob("log*"):
        path.unlink()
    done = subprocess.run(
        [f"./{target}", "--data", "tokens.bin", "--init", "random", "--steps", "3",
         "--log-json", "log", "--log-every", "1000", "--save", f"saved-{seed}"],
        capture_output=True, text=True,
        env={**os.environ, "PCC_EMULATED_SEED": seed, "OMP_NUM_THREADS": "1"})
    if done.returncode:
        sys.exit(f"{target} ends with {done.returncode}:\n{done.stdout}{done.stderr}")
    rows = [json.loads(line) for line in pathlib.Path("log").read_text().splitlines()]
    (saved,) = pathlib.Path(f"saved-{seed}").glob("step-*/model.safetensors")
    bits = saved.read_bytes()
    subprocess.run(["rm", "-rf", f"saved-{seed}"], check=True)
    return [(row["loss"], row["norm"]) for row in rows], bits


def check(precision, case, flags=()):
    what = f"{precision} {case} {' '.join(flags)}"
    compile_for("cuda-emulated", precision, flags)
    found, bits = train("cuda-emulated")
    again, others = train("cuda-emulated", "2")
    if (found, bits) != (again, others):
        sys.exit(f"{what}: other delays, other bits")
    compile_for("cpu", precision, ())
    expected, _ = train("cpu")
    for i, (bound, name) in enumerate(zip(BOUNDS[precision], ("loss", "norm"))):
        worst = max(abs(a[i] - b[i]) / abs(b[i]) for a, b in zip(found, expected))
        if not worst <= bound:
            sys.exit(f"{what}: {name} differs by {worst:.1e}, at most {bound:g}")


pathlib.Path("tokens.bin").write_bytes(
    b"".join(struct.pack("<H", (i * i + i // 7) % 29) for i in range(800)))
for experts, chosen, width, inner, *plans in CASES:
    case = (experts, chosen, width, inner)
    write_model(*case)
    for precision in BOUNDS if ALL or experts > 3 else ("f32",):
        check(precision, case)
    for flags in plans:
        check("f32", case, flags)
        if ALL:
            check("bf16", case, flags)
