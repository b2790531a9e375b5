#!/usr/bin/env python3
"""Random programs on random plans have the numbers of one device.

    scripts/fuzz programs               ten; a few are part of the tests
    scripts/fuzz programs --count 500   more of them
    scripts/fuzz programs --seed 123    the program of a seed, with its commands
    scripts/fuzz programs --interpret   faster, without the compiled programs
    scripts/fuzz programs --target cuda-emulated
                                        compiled for a GPU, which is emulated

Draws a small program (test/Inputs/models/random_model.py) and a plan: tp, pp,
dp, cp, sequence parallelism, zero and the size of buckets, microbatches,
schedule, optimizer. Then
  - the gradients that the training program computes must equal finite
    differences of its loss, in f64;
and over a few training steps
  - the scheduled program, interpreted in f64 on all its ranks, must have the
    losses, gradient norms, parameters and optimizer state of the program before
    partitioning, to the last digits;
  - the compiled program must have the losses and norms of the interpreted one,
    and the evaluation losses of one compiled for one rank, to f32's rounding.
A plan that the compiler refuses with a diagnostic counts as refused. Failures
are kept in a folder, with the commands.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
MODEL = os.path.join(ROOT, "test", "Inputs", "models", "random_model.py")

STEPS = 3
ZERO = (0, 1, 2, 3)
# Relative bounds: f64 in another order of sums; f32.
EXACT = 1e-8
LOSS, NORM = 2e-5, 1e-3


class Failed(Exception):
    pass


class Case:
    """The program and plan of a seed."""

    def __init__(self, seed, folder, options):
        self.folder, self.verbose = folder, options.seed is not None
        self.compiles = options.compile
        # Programs for other targets are compared with one rank of a CPU.
        self.target = ([f"--target={options.target}", "--precision=f32"]
                       if options.target else [])
        self.bin = os.path.join(os.path.abspath(options.build), "bin")
        self.commands = []
        draw = random.Random(seed)
        self.seed = seed
        self.tp, self.pp, self.dp = draw.choices(
            [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 3, 1), (1, 4, 1), (1, 1, 2),
             (2, 2, 1), (1, 2, 2), (2, 1, 2), (2, 3, 1), (4, 1, 1), (2, 2, 2)],
            [1, 2, 3, 4, 3, 2, 3, 2, 2, 2, 1, 2])[0]
        self.microbatches = draw.choice([1, 2, 3, 4, 5])
        self.schedule = draw.choice(["gpipe", "1f1b"])
        self.optimizer = draw.choice(["adamw", "sgd"])
        self.rows = draw.choice([1, 2])  # of a microbatch on a rank
        self.blocks = draw.randint(max(2, self.pp), 7)
        heads = draw.choice([1, 2, 4, 4])
        self.model = {
            "dropout": draw.choice([0, 0, 0.2]),
            "seq": draw.choice([1, 4, 6, 8, 8]),
            "width": draw.choice([6, 8, 16, 16]),
            "inner": draw.choice([1, 4, 12, 32]),
            "heads": heads,
            "kv-heads": max(1, heads // 2),
            "head-width": draw.choice([1, 4, 6]),
            "vocab": draw.choice([17, 24, 25]),
            "low-rank": draw.choice([1, 2, 4]),
        }
        # Most sizes are divisible as their plans require.
        if draw.random() < 0.9:
            for key in ("inner", "heads", "kv-heads", "low-rank"):
                self.model[key] = max(self.model[key], self.tp)
        self.cp, self.sp = 1, False
        if self.tp * self.pp * self.dp <= 4 and draw.random() < 0.2:
            self.cp = 2
        elif self.tp > 1:
            self.sp = draw.random() < 0.4
        if self.cp > 1 or self.sp:
            self.model["seq"] = 8
        self.zero, self.bucket = 0, 0
        if self.dp * self.cp > 1:
            self.zero = draw.choice(ZERO)
            self.bucket = draw.choice([0, 600, 4000])
        self.recompute = draw.choice(["none", "selective", "full"])

    def __str__(self):
        return (f"seed {self.seed}: tp {self.tp} pp {self.pp} dp {self.dp} "
                f"cp {self.cp}{' sp' if self.sp else ''} zero {self.zero}, "
                f"{self.microbatches} microbatches, {self.schedule}, "
                f"{self.optimizer}, recompute {self.recompute}, "
                f"{self.blocks} blocks")

    def call(self, *command, stdout=None):
        """Runs a command; its exit code and what it wrote."""
        text = " ".join(command) + (f" > {stdout}" if stdout else "")
        self.commands.append(text)
        if self.verbose:
            print(text)
        done = subprocess.run(command, cwd=self.folder, text=True,
                              capture_output=True, timeout=300)
        if not stdout:
            return done.returncode, done.stdout + done.stderr
        with open(os.path.join(self.folder, stdout), "w") as file:
            file.write(done.stdout)
        return done.returncode, done.stderr

    def must(self, *command, stdout=None):
        code, text = self.call(*command, stdout=stdout)
        if code:
            raise Failed(f"ended with {code}:\n{text[-2000:]}")

    def log(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return [json.loads(line) for line in file]

    def is_smooth(self):
        """Whether finite differences are valid: no op has a kink."""
        with open(os.path.join(self.folder, "model.mlir")) as file:
            return not re.search(r"nn\.(relu|max|min) ", file.read())

    def run(self):
        """The outcome as a word."""
        batch = self.rows * self.dp
        self.must(sys.executable, MODEL, str(self.seed), f"--batch={batch}",
                  f"--layers={self.blocks}",
                  *(f"--{key}={value}" for key, value in self.model.items()),
                  stdout="model.mlir")
        draw = random.Random(self.seed)
        with open(os.path.join(self.folder, "data.bin"), "wb") as file:
            tokens = batch * self.microbatches * STEPS * self.model["seq"] + 1
            for _ in range(tokens):
                token = draw.randrange(self.model["vocab"])
                file.write(token.to_bytes(2, "little"))
        pcc, pcc_opt, pcc_run = (
            os.path.join(self.bin, n) for n in ("pcc", "pcc-opt", "pcc-run"))
        batches = [f"--global-batch-size={batch * self.microbatches}",
                   f"--optimizer={self.optimizer}", "--loss=causal-lm",
                   "-q"]
        flags = [f"--tp={self.tp}", f"--pp={self.pp}", f"--dp={self.dp}",
                 f"--cp={self.cp}", *(["--sequence-parallel"] * self.sp),
                 f"--schedule={self.schedule}", f"--zero={self.zero}",
                 f"--recompute={self.recompute}",
                 *([f"--bucket-size={self.bucket}"] if self.bucket else []),
                 *batches, *self.target]
        code, text = self.call(pcc, "model.mlir", *flags, "--emit=train",
                               "-o", "train.mlir")
        if code == 0:
            code, text = self.call(pcc, "train.mlir", *flags,
                                   "--emit=pipeline", "-o", "pipeline.mlir")
        if code == 1 and "error: " in text and "pcc-run" not in text:
            return "refused: " + text.split("error: ", 1)[1].split("\n")[0]
        if code:
            raise Failed(f"ended with {code}:\n{text[-2000:]}")
        # With padding of the vocabulary, as for all GPUs, random parameters
        # would have other values; and a few targets may all be ignored.
        if (self.is_smooth() and not self.target and
                self.model["vocab"] % self.tp == 0 and
                batch * self.model["seq"] > 3):
            self.must(pcc_opt, "model.mlir", "--nn-attach-loss=loss=causal-lm",
                      "-o", "loss.mlir")
            self.must(pcc_run, "train.mlir", "--loss-from=loss.mlir",
                      "--check-gradients", f"--fill={self.seed}")
        steps = ["--data=data.bin", f"--steps={STEPS}", "--lr=1e-2",
                 f"--seed={self.seed}", "--init=random", "--eps=1e-3",
                 "--log-json"]
        self.must(pcc_run, "pipeline.mlir", "--against=train.mlir", "--exact",
                  f"--rtol={EXACT}", *steps, "exact.jsonl", "--print=none")
        self.must(pcc_run, "pipeline.mlir", *steps, "pipeline.jsonl",
                  "--print=none")
        if not self.compiles:
            return "ok"
        self.must(pcc, "pipeline.mlir", "-q", *self.target[:1], "-o",
                  "program")
        evaluate = ["--val-data=data.bin", "--eval-every=1"]
        self.must(os.path.join(".", "program"), *evaluate, *steps,
                  "compiled.jsonl")
        self.compare("compiled.jsonl", "pipeline.jsonl", ["loss", "norm"])
        self.must(pcc, "model.mlir", *batches, "-o", "single")
        self.must(os.path.join(".", "single"), *evaluate, *steps,
                  "single.jsonl")
        self.compare("compiled.jsonl", "single.jsonl",
                     ["loss", "norm", "val_loss"])
        return "ok"

    def compare(self, found, wanted, keys):
        """Compares the numbers of every step in two logs."""
        rows, reference = self.log(found), self.log(wanted)
        for key in keys:
            a = [row[key] for row in rows if key in row]
            b = [row[key] for row in reference if key in row]
            if not len(a) == len(b) == STEPS:
                raise Failed(f"{found} and {wanted} have not {STEPS} {key}")
            bound = NORM if key == "norm" else LOSS
            for step, (x, y) in enumerate(zip(a, b), 1):
                # Written so that a NaN fails.
                if not abs(x - y) <= bound * abs(y):
                    raise Failed(f"{key} of step {step}: {found} has {x}, "
                                 f"{wanted} {y}")


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz programs", description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--count", type=int, default=10, help="of seeds")
    parser.add_argument("--seed", type=int, help="this one only")
    parser.add_argument("--interpret", dest="compile", action="store_false",
                        help="nothing is compiled: several times as many")
    parser.add_argument("--target", help="that of pcc; the CPU if left out")
    parser.add_argument("--keep", default=tempfile.gettempdir(),
                        help="where folders of failures go")
    options = parser.parse_args()
    os.makedirs(options.keep, exist_ok=True)
    seeds = ([options.seed] if options.seed is not None
             else range(options.first, options.first + options.count))
    counts = {"ok": 0, "refused": 0, "FAILED": 0}
    started = time.monotonic()
    for seed in seeds:
        folder = tempfile.mkdtemp(prefix=f"fuzz-{seed}-", dir=options.keep)
        case = Case(seed, folder, options)
        try:
            outcome = case.run()
        except (Failed, subprocess.TimeoutExpired) as error:
            outcome = f"FAILED: {error}\nkept in {folder}"
        counts[outcome.split(":")[0]] += 1
        print(f"{case}: {outcome}", flush=True)
        if outcome.startswith("FAILED"):
            with open(os.path.join(folder, "commands"), "w") as file:
                file.write("\n".join(case.commands) + "\n")
        else:
            shutil.rmtree(folder)
    print(", ".join(f"{n} {what}" for what, n in counts.items())
          + f" in {time.monotonic() - started:.0f} s")
    sys.exit(1 if counts["FAILED"] else 0)


if __name__ == "__main__":
    main()
