#!/usr/bin/env python3
"""Any random plan of any random model compiles, or is refused.

    scripts/fuzz plans                a hundred models with four plans each
    scripts/fuzz plans --count 1000   a thousand models
    scripts/fuzz plans --seed 123     the model of a seed, with its commands
    scripts/fuzz plans --experts      mixtures of experts, with --ep and --etp

Compiles models of test/Inputs/models/make.py to rt, with all checks, for CPUs
and GPUs. Nothing runs, so that deep models, many stages, ranks and microbatches
are cheap. An internal error of the compiler is a failure; a plan that it
refuses with a user error counts as refused.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
MODELS = os.path.join(ROOT, "test", "Inputs", "models", "make.py")
PLANS = 4


def draw_model(draw, has_experts):
    family = "moe" if has_experts else draw.choice(
        ["gpt", "gpt-post", "gpt-parallel", "llama", "encdec", "encdec", "lora"])
    flags = {"layers": draw.choice([1, 2, 3, 4, 5, 6, 8]), "width": 32,
             "heads": 4, "inner": 64, "seq": 16, "vocab": 64,
             "batch": draw.choice([2, 4, 6, 12])}
    if draw.random() < 0.3:
        flags["dropout"] = 0.1
    if family in ("llama", "moe"):
        flags["kv-heads"] = draw.choice([2, 4])
    chosen = [family]
    if has_experts:
        flags["experts"] = draw.choice([4, 6, 8])
        flags["choices"] = draw.choice([1, 2, 3])
        flags["routing"] = draw.choice(["hash", "top_k"])
        chosen += [flag for flag in ("--expert-bias", "--shared-expert")
                   if draw.random() < 0.3]
    chosen += [f"--{key}={value}" for key, value in flags.items()]
    return chosen + (["--untied"] if draw.random() < 0.3 else [])


def draw_plan(draw, has_experts):
    flags = {"pp": draw.choice([1, 2, 2, 3, 4, 4, 5, 6, 8]),
             "dp": draw.choice([1, 1, 2, 3, 4]),
             "tp": draw.choice([1, 1, 2, 4]),
             "zero": draw.choice([0, 1, 2, 3])}
    for share, key, values in (
            (0.5, "schedule", ["gpipe", "1f1b"]),
            (0.4, "global-batch-size", [12, 24, 48, 96]),
            (0.3, "bucket-size", [1000, 20000, 100000]),
            (0.3, "precision", ["bf16", "fp16"]),
            (0.3, "target", ["cuda", "cuda-emulated"]),
            (0.3, "recompute", ["selective", "full"]),
            (0.15, "cp", [2]),
            (0.15, "overlap", ["off"])):
        if draw.random() < share:
            flags[key] = draw.choice(values)
    if has_experts:
        flags["ep"] = draw.choice([1, 2, flags["dp"]])
        if draw.random() < 0.3:
            flags["etp"] = 1
    chosen = [f"--{key}={value}" for key, value in flags.items()]
    if draw.random() < 0.2:
        chosen.append("--offload=optimizer" if "target" in flags
                      else "--offload=optimizer=D")
    return chosen + (["--sequence-parallel"] if draw.random() < 0.2 else [])


def try_model(seed, has_experts, build, folder, verbose):
    """The number of plans that compile and that are rejected, and the failures."""
    draw = random.Random(seed)
    model = draw_model(draw, has_experts)
    text = subprocess.run([sys.executable, MODELS, *model], check=True,
                          capture_output=True, text=True).stdout
    with open(os.path.join(folder, "model.mlir"), "w") as file:
        file.write('module attributes {pcc.phase = "nn"} {\n' + text + "}\n")
    compiled, refused, failed = 0, 0, []
    for _ in range(PLANS):
        command = [os.path.join(build, "bin", "pcc"), "model.mlir", "-q",
                   "--loss=causal-lm", "--emit=rt", "-o", "plan.mlir",
                   *draw_plan(draw, has_experts)]
        done = subprocess.run(command, cwd=folder, capture_output=True,
                              text=True, timeout=300)
        if verbose:
            print("make.py", *model, "|", *command, "|", done.returncode)
        if done.returncode == 0:
            compiled += 1
        elif done.returncode == 1 and "error:" in done.stderr:
            refused += 1
        else:
            failed.append(f"seed {seed}: make.py {' '.join(model)} | "
                          f"{' '.join(command)}: {done.stderr[:400]}")
    return compiled, refused, failed


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, help="one model")
    parser.add_argument("--experts", action="store_true",
                        help="mixtures of experts")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    args = parser.parse_args()
    seeds = ([args.seed] if args.seed is not None
             else range(args.first, args.first + args.count))
    compiled, refused, failed = 0, 0, []
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            result = try_model(seed, args.experts, os.path.abspath(args.build),
                               folder, args.seed is not None)
            compiled, refused = compiled + result[0], refused + result[1]
            failed += result[2]
            for text in result[2]:
                print(text, flush=True)
    print(f"{compiled} plans compile, {refused} are refused, "
          f"{len(failed)} fail")
    return bool(failed) or not compiled


if __name__ == "__main__":
    sys.exit(main())
