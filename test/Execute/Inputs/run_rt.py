"""run_rt.py MODEL FOLDER FLAGS...: the rt text of a plan computes in the
interpreter what its pipeline text does: losses, norms, parameters and moments of
two steps and an evaluation, to 1e-9 in f64 and to 2e-6 in f32. With --faults
before the model, each of a list of edits is refused or changes the results of
a step."""

import json
import os
import re
import subprocess
import sys

import numpy as np

faults = sys.argv[1] == "--faults"
model, folder, *flags = sys.argv[1 + faults:]
DATA = os.path.join(os.path.dirname(model), "..", "data", "gpl-3.bin")
os.makedirs(folder, exist_ok=True)


def emit(phase):
    file = os.path.join(folder, phase + ".mlir")
    subprocess.run(["pcc", model, "-q", *flags, "--emit", phase, "-o", file],
                   check=True)
    return file


def compute(file, names, *options):
    """The results of two steps and an evaluation, with faults of one step, with
    the values of tensors, and the errors; the results are None if there is an
    error."""
    log = os.path.join(folder, "log")
    steps = subprocess.run(
        ["pcc-run", file, "--data", DATA, "--init=random", "--seed=3",
         f"--steps={1 if faults else 2}", "--lr=0.01", f"--log-json={log}",
         "--print=" + (",".join(names) or "none"), "--max-elements=1000000",
         *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if steps.returncode:
        return None, steps.stderr
    result = "" if faults else subprocess.run(
        ["pcc-run", file, "--entry=evaluate", "--fill=3", *options],
        stdout=subprocess.PIPE, text=True, check=True).stdout
    with open(log) as lines:
        rows = [json.loads(line) for line in lines]
    values = {line.split()[0]: line for line in steps.stdout.splitlines()
              if line[0] == "@"}
    return ([(row["loss"], row["norm"]) for row in rows], values,
            result), ""


def numbers(found):
    curve, _, result = found
    return [n for row in curve for n in row] + [
        float(n) for n in re.findall(r"= (\S+)", result)]


def elements(line):
    text = line.split("=", 1)[1].translate(str.maketrans("[],", "   "))
    return np.array(list(map(float, text.split())))


pipeline, rt = emit("pipeline"), emit("rt")
with open(rt) as text:
    text = text.read()
kinds = "param" if faults else "param|state"
names = sorted(set(re.findall(rf"rt\.buffer (@\S+) : \S+ (?:{kinds})\b",
                              text)))
exact, said = compute(rt, names, "--exact")
if not exact:
    sys.exit(said)
if not faults:
    assert len(names) > 10 and sorted(exact[1]) == names
    wanted = compute(pipeline, names, "--exact")[0]
    assert numbers(exact) == numbers(wanted)
    for name in names:
        found, right = elements(exact[1][name]), elements(wanted[1][name])
        # The gradient of a key's bias is only rounding error.
        assert abs(found - right).max() <= 1e-9 * max(abs(right).max(), 1e-9), name
    single = [numbers(compute(file, ())[0]) for file in (rt, pipeline)]
    for one, other in zip(*single):
        assert abs(one - other) <= 2e-6 * abs(other), (one, other)
    # The results in f32 differ from those in f64.
    assert single[0] != numbers(exact)
    print(f"{len(names)} tensors and {len(single[0])} numbers are the same")
    sys.exit()


def moved(kind, by):
    def move(match):
        return match.group(1) + str(int(match.group(2)) + by)
    return (rf"(rt\.buffer @\S+ : \S+ {kind} (?:in \S+ element \d+ )?at )"
            r"(\d+)", move)


EDITS = {
    "a value moved": moved("value", 64),
    "a parameter moved": moved("param", 64),
    "a temporary moved": (r"(rt\.temporary at )(\d+)(?= : memref<1x8x64xf32>)",
                          lambda m: m.group(1) + str(int(m.group(2)) + 64)),
    "a buffer beyond the arena": moved("value", 1 << 30),
    "a buffer not aligned": moved("frame", 4),
    "a sum that forgets": (r", beta = 1\.0+e\+00 : f32", ""),
    "results swapped": (r"(rt\.launch @kernel_\w+_layer_norm ins\(.*?\) "
                        r"outs\(%\w+, )(%\w+), (%\w+)", r"\1\3, \2"),
    "another slot": (r"(rt\.address @value\.0 slot %\w+)", r"\1 + 1"),
    "another microbatch": (r"(rt\.address @input\.tokens slot %\w+)", r"\1 + 1"),
    "a collective dropped": (r"\n *rt\.all_reduce sum .* over \[\"tp\"\].*", ""),
    "the greatest for the sum": (r"all_reduce sum", "all_reduce max"),
    "another axis": (r'(rt\.reduce_scatter .*over \[)"dp"', r'\1"tp"'),
    "a gradient begun twice": (r"(rt\.call @backward\.\d+\.body)\(",
                               r"\1.first("),
    "a kernel dropped": (r"\n *rt\.launch @kernel_2_.*", ""),
    "another kernel": (r"rt\.launch @kernel_6_(\w+)", r"rt.launch @kernel_3_sum"),
    "a message dropped": (r"\n *rt\.send .*", ""),
    "another channel": (r"(rt\.recv .*channel )(\d+)",
                        lambda m: m.group(1) + str(int(m.group(2)) + 1)),
    "a gather dropped": (r"\n *rt\.call @gather.*", ""),
    "in place of another": (r"inplace \[0\]", "inplace [-1]"),
}
for name, (pattern, new) in EDITS.items():
    edited, count = re.subn(pattern, new, text, count=1)
    assert count == 1 and edited != text, name
    file = os.path.join(folder, "edited.mlir")
    with open(file, "w") as out:
        out.write(edited)
    found, said = compute(file, names, "--exact")
    if found == exact:
        sys.exit(f"{name}: nothing changes")
    said = re.search(r"error: (.*)", said)
    print(f"{name}: {said.group(1) if said else 'computes something else'}")
