"""Runs a tiny GPT, compiled with the flags after --, on the emulated device and
on the CPU and compares the results.

    streams.py BUILD [--leave-out-waits] [--keep-nothing] -- --pp 2 \\
        --global-batch-size 4

With --leave-out-waits the waits of the training step are then removed, one at a
time, until one removal (with PCC_TEST_ALL three) changes the results for some
seed. With --keep-nothing the program then declares that no byte of its arena
must be zero at first, which must change the results.
"""

import json
import os
import pathlib
import re
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SEEDS = range(3)
ENOUGH = 3 if os.environ.get("PCC_TEST_ALL") else 1


def model(path):
    """Three layers, so that a stage has two of them."""
    text = subprocess.run(
        [sys.executable, ROOT / "test/Inputs/models/make.py", "gpt", "--layers",
         "3", "--batch", "2", "--seq", "8", "--width", "32", "--inner", "64",
         "--heads", "4", "--vocab", "50"],
        check=True, capture_output=True, text=True).stdout
    path.write_text('module attributes {pcc.phase = "nn"} {\n' + text + "}\n")


def tokens(path):
    path.write_bytes(b"".join(struct.pack("<H", i * i % 47) for i in range(600)))


class Compiler:
    def __init__(self, build):
        self.build = pathlib.Path(build)
        self.compiled = None  # the lines that program.o has

    def text(self, flags):
        """The program in LLVM's dialect, by lines."""
        subprocess.run(
            [self.build / "bin/pcc", "model.mlir", "-q", "--loss", "causal-lm",
             *flags, "--emit=llvm", "-o", "program.mlir"], check=True)
        return pathlib.Path("program.mlir").read_text().splitlines()

    def link(self, lines, target, path):
        if lines != self.compiled:
            pathlib.Path("changed.mlir").write_text("\n".join(lines))
            subprocess.run([self.build / "bin/pcc", "changed.mlir", "-q",
                            "--emit=obj", "-o", "program.o"], check=True)
            self.compiled = lines
        libraries = self.build / "lib/pcc"
        given = (libraries / f"pcc-link-{target}.txt").read_text()
        given = given.replace("{lib}", str(libraries))
        given = given.replace("{object}", "program.o").split()
        subprocess.run(["ld.lld-22", "-o", path, *given], check=True)


def run(program, seed=0):
    """The log and the weights of a run; None if it fails."""
    env = dict(os.environ, PCC_EMULATED_SEED=str(seed), OMP_NUM_THREADS="1")
    result = subprocess.run(
        [f"./{program}", "--data", "tokens.bin", "--val-data", "tokens.bin",
         "--eval-batches", "2", "--init", "random", "--steps", "3", "--save",
         "saved", "--log-json", "log.json", "--clip-grad", "0.5"],
        env=env, capture_output=True, text=True, timeout=300)
    if result.returncode:
        return None
    with open("log.json", encoding="utf-8") as lines:
        log = [{k: v for k, v in json.loads(line).items()
                if k in ("step", "loss", "grad_norm", "norm", "val_loss")}
               for line in lines]
    saved = pathlib.Path("saved/step-00000003/model.safetensors")
    left = (log, saved.read_bytes())
    subprocess.run(["rm", "-rf", "saved", "log.json"], check=True)
    return left


def waits_of(lines):
    """The lines of a training step's waits."""
    found, function = [], ""
    for i, line in enumerate(lines):
        if "llvm.func internal @" in line:
            function = line.split("@")[1].split("(")[0]
        if "llvm.call @pcc_wait(" in line and function.endswith(".train"):
            found.append(i)
    return found


def keep_nothing(lines):
    """The program of one stage, declaring that no byte must be zero at
    first."""
    at = next(i for i, line in enumerate(lines) if "@pcc.stages.0()" in line)
    # After the bytes of the arena and of its offloaded part.
    kept = [i for i, line in enumerate(lines[at:at + 10], at)
            if re.search(r"constant\(\d+ : i64\)", line)][2]
    line = re.sub(r"constant\(\d+ :", "constant(0 :", lines[kept])
    return lines[:kept] + [line] + lines[kept + 1:]


def main():
    split = sys.argv.index("--")
    compiler = Compiler(sys.argv[1])
    faults = sys.argv[2:split]
    model(pathlib.Path("model.mlir"))
    tokens(pathlib.Path("tokens.bin"))
    lines = compiler.text(sys.argv[split + 1:])
    compiler.link(lines, "cpu", "cpu")
    due = run("cpu")
    if due is None:
        sys.exit("the program for CPUs fails")
    compiler.link(lines, "cuda-emulated", "emulated")
    for seed in SEEDS:
        left = run("emulated", seed)
        if left != due:
            sys.exit(f"seed {seed}: the device leaves something else: "
                     f"{left and left[0]}, due {due[0]}")
    if "--keep-nothing" in faults:
        compiler.link(keep_nothing(lines), "cuda-emulated", "emulated")
        if run("emulated") == due:
            sys.exit("memory that was never written is as good as zeros")
    if "--leave-out-waits" not in faults:
        return
    # Not each one: some order operations with those of an earlier step, which
    # are long complete.
    waits, noticed = waits_of(lines), 0
    for wait in waits:
        compiler.link(lines[:wait] + lines[wait + 1:], "cuda-emulated",
                      "emulated")
        noticed += any(run("emulated", seed) != due for seed in SEEDS)
        if noticed == ENOUGH:
            return
    sys.exit(f"of {len(waits)} waits left out {noticed} are noticed")


if __name__ == "__main__":
    main()
