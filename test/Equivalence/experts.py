# RUN: %python %s %root %build
"""Mixtures of experts train on every plan with expert parallelism as on one
rank: experts that token ids choose, and experts that scores choose. Most plans
are interpreted, as schedules; three are compiled, and their checkpoints resume
on each other's mesh. With PCC_TEST_ALL all plans are compiled, too, and three
more layouts."""

import array
import json
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT, BUILD = sys.argv[1:]
MAKE = os.path.join(ROOT, "test", "Inputs", "models", "make.py")
ALL = bool(os.environ.get("PCC_TEST_ALL"))
BATCH, SEQ, VOCAB, STEPS = 8, 8, 24, 5
SHAPE = (f"--layers=2 --seq={SEQ} --vocab={VOCAB} --width=16 --inner=8 "
         "--experts=8 --untied").split()
# Losses, relative; norms are sums of squares of gradients: ten times that.
BOUND = 2e-6

# Token ids choose: no rounding changes a choice.
HASH = "--routing=hash --choices=2"
# Scores choose: layers x tokens x steps is 640, and with this seed the k-th and
# the next score are further apart than rounding.
TOP_K = "--routing=top_k --choices=3 --expert-bias --shared-expert"
DROPOUT = HASH + " --dropout=0.1"
PLANS = [(kind, plan) for kind, plans in (
    (HASH, """
        --dp 2 --ep 2
        --dp 4 --ep 2 --zero 2
        --dp 4 --ep 4 --zero 1
        --dp 4 --ep 4 --zero 3 --micro-batch-size 1
        --tp 2
        --tp 2 --etp 1
        --tp 2 --dp 2 --ep 2 --zero 3
        --tp 2 --dp 2 --ep 2 --etp 1 --zero 2
        --tp 2 --dp 4 --ep 4 --etp 1
        --tp 2 --dp 4 --ep 2 --sp --zero 2 --micro-batch-size 1
        --tp 2 --dp 2 --ep 2 --etp 1 --sp
        --cp 2 --dp 4 --ep 2 --zero 3
        --cp 2 --tp 2 --dp 2 --ep 2 --sp
        --pp 2 --dp 4 --ep 2 --zero 1 --micro-batch-size 1
        --pp 2 --dp 2 --ep 2 --cp 2 --schedule gpipe --micro-batch-size 2
        --dp 2 --ep 2 --recompute full
        --tp 2 --dp 2 --ep 2 --recompute selective --sp"""),
    (TOP_K, """
        --dp 4 --ep 4 --zero 2
        --tp 2 --dp 4 --ep 2 --zero 3
        --tp 4 --dp 2 --ep 2 --etp 1 --sp
        --pp 2 --tp 2 --dp 2 --ep 2 --recompute full --micro-batch-size 2
        --cp 2 --dp 4 --ep 2"""),
    (DROPOUT, "--tp 2 --dp 2 --ep 2 --sp"))
    for plan in filter(None, map(str.strip, plans.splitlines()))]
# Compiled; checkpoints of each resume on all.
COMPILED = ["", "--dp 4 --ep 2 --tp 2 --zero 3 --micro-batch-size 1",
            "--pp 2 --dp 2 --ep 2 --tp 2 --etp 1 --sp --zero 1"]
if ALL:
    COMPILED += ["--dp 8 --ep 8 --zero 2", "--cp 2 --dp 4 --ep 4 --zero 1",
                 "--tp 4 --dp 2 --ep 2 --sp --zero 0"]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n"
                 f"{done.stdout}")


def model(kind, batch, folder):
    """The path of a model with batches of `batch`."""
    path = os.path.join(folder, f"{kind.replace(' ', '')}-{batch}.mlir")
    if not os.path.exists(path):
        text = subprocess.run(
            [sys.executable, MAKE, "moe", *SHAPE, *kind.split(),
             f"--batch={batch}"], stdout=subprocess.PIPE, text=True,
            check=True).stdout
        with open(path, "w") as file:
            file.write(f'module attributes {{pcc.phase = "nn"}} {{\n{text}}}\n')
    return path


def compiled(kind, plan, folder, emit, path):
    flags = dict(re.findall(r"--(\S+) (\d+)", plan))
    dp = int(flags.get("dp", 1))
    micro = int(flags.get("micro-batch-size", BATCH // dp))
    run(os.path.join(BUILD, "bin", "pcc"), model(kind, micro * dp, folder), "-q",
        "--loss=causal-lm", f"--global-batch-size={BATCH}", *plan.split(),
        f"--emit={emit}", "-o", path)
    return path


def train(command, log, *more):
    """The rows of the log of a run."""
    if os.path.exists(log):
        os.remove(log)
    run(*command, "--data", os.path.join(os.path.dirname(log), "tokens.bin"),
        f"--steps={STEPS}", "--lr=5e-2", "--seed=5", "--log-json", log, *more)
    with open(log) as file:
        return [json.loads(line) for line in file]


def distance(rows, reference, what):
    """The largest relative differences; exits if they are out of bounds."""
    if len(rows) != len(reference):
        sys.exit(f"{what}: {len(rows)} steps, not {len(reference)}")
    far = [max(abs(a[key] - b[key]) / abs(b[key])
               for a, b in zip(rows, reference)) for key in ("loss", "norm")]
    print(f"{far[0]:.1e} {far[1]:.1e} {what}", flush=True)
    # Written so that a NaN fails.
    if not (far[0] <= BOUND and far[1] <= 10 * BOUND):
        sys.exit(f"{what}: losses differ by {far[0]:.1e}, norms by {far[1]:.1e}")


def main(folder):
    log = os.path.join(folder, "log.jsonl")
    draw = random.Random(2)
    with open(os.path.join(folder, "tokens.bin"), "wb") as file:
        array.array("H", (draw.randrange(VOCAB) for _ in range(
            (BATCH * STEPS + 1) * SEQ))).tofile(file)
    # One rank.
    single = {}
    for kind in (HASH, TOP_K, DROPOUT):
        program = compiled(kind, "", folder, "exe", os.path.join(folder, "one"))
        single[kind] = train([program], log)
    for kind, plan in PLANS:
        text = compiled(kind, plan, folder, "pipeline",
                        os.path.join(folder, "plan.mlir"))
        distance(train([os.path.join(BUILD, "bin", "pcc-run"), text], log),
                 single[kind], plan)
        if ALL:
            program = compiled(kind, plan, folder, "exe",
                               os.path.join(folder, "program"))
            distance(train([program], log), single[kind], "compiled " + plan)
    programs = [compiled(TOP_K, plan, folder, "exe",
                         os.path.join(folder, f"program{number}"))
                for number, plan in enumerate(COMPILED)]
    for number, program in enumerate(programs):
        saved = os.path.join(folder, f"saved{number}")
        distance(train([program], log, "--save", saved, "--stop-after=2"),
                 single[TOP_K][:2], f"saved by {COMPILED[number] or 'one rank'}")
        for other, resumed in zip(COMPILED, programs):
            distance(train([resumed], log, "--resume", saved),
                     single[TOP_K][2:],
                     f"of {COMPILED[number] or 'one rank'} resumed by "
                     f"{other or 'one rank'}")


with tempfile.TemporaryDirectory() as temporary:
    main(temporary)
