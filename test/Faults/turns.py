# RUN: %python %s %root %build
"""The check of rt interprets only some iterations of a loop. It accepts and
rejects the same programs as with unrolled loops, also with random faults: two
of each class per plan; with PCC_TEST_ALL=1 eight."""

import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT, BUILD = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "test", "Faults", "Inputs"))
import faults
from program import Program

LOOP = re.compile(r"\s*rt\.for (%\w+) = (\d+) to (\d+) \{")
FRAME = re.compile(r"(\s*)rt\.buffer @(\S+) : memref<(\d+)xi8> frame at ([\d, ]+) "
                   r"slots (\d+)$")
CALL = re.compile(r" frame @([\w.$-]+)")
VALUE = re.compile(r"%([\w]+)")


def slot_in(turn, match):
    slot = turn + int(match[1] or 0)
    if not match[2]:
        return slot
    first, end = int(match[2]), int(match[3])
    # A rotation through an empty range of slots is always rejected.
    return first + slot % (end - first) if first < end else -1


def frames_apart(text):
    """The lines of the text, with one scratch buffer for each slot. Calls in
    loops name it with the number of slots, @frame.body.turn[4]."""
    lines, slots = [], {}
    for line in text.splitlines():
        frame = FRAME.match(line)
        if "rt.stage " in line:
            slots = {}
        if frame:
            offsets = [int(offset) for offset in frame[4].split(", ")]
            count = int(frame[5])
            step = -(-int(frame[3]) // 64) * 64
            if len(offsets) == 1:
                offsets = [offsets[0] + i * step for i in range(count)]
            slots[frame[2]] = count
            lines += [f"{frame[1]}rt.buffer @{frame[2]}.turn{i} : "
                      f"memref<{frame[3]}xi8> frame at {offset}"
                      for i, offset in enumerate(offsets)]
        else:
            lines.append(CALL.sub(
                lambda match: f"{match[0]}.turn[{slots[match[1]]}]"
                if match[1] in slots else match[0], line))
    return lines


def written_out(text):
    """The text with its loops unrolled."""
    lines, out = frames_apart(text), []
    at = 0
    while at < len(lines):
        loop = LOOP.match(lines[at])
        if not loop:
            out.append(lines[at])
            at += 1
            continue
        end = next(i for i in range(at, len(lines))
                   if lines[i].strip() == "}")
        inside = lines[at + 1:end]
        made = {name for line in inside if " = " in line
                for name in VALUE.findall(line.split(" = ")[0])}
        for turn in range(int(loop.group(2)), int(loop.group(3))):
            for line in inside:
                line = re.sub(r" slot %\w+(?: \+ (-?\d+))?"
                              r"(?: among (\d+) to (\d+))?",
                              lambda match: " slot "
                              f"{slot_in(turn, match)}", line)
                line = re.sub(r"\.turn\[(\d+)\]",
                              lambda match: f".turn{turn % int(match[1])}", line)
                out.append(VALUE.sub(
                    lambda match: f"%t{at}.{turn}.{match.group(1)}"
                    if match.group(1) in made else match.group(), line))
        at = end + 1
    return "\n".join(out) + "\n"


def is_accepted(text):
    return subprocess.run(
        [os.path.join(BUILD, "bin", "pcc-opt"), "-", "--check-rt", "-o",
         os.devnull], input=text, text=True, stderr=subprocess.DEVNULL,
        timeout=120).returncode == 0


def program(model, flags):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rt.mlir")
        subprocess.run([os.path.join(BUILD, "bin", "pcc"),
                        os.path.join(ROOT, "examples", model), "-q", "--seq=8",
                        *flags.split(), "--emit=rt", "-o", path], check=True)
        with open(path) as file:
            return file.read()


PLANS = (
    ("gpt2/gpt2.onnx", "--pp=2 --micro-batch-size=1 --global-batch-size=11"),
    ("gpt2/gpt2-dropout.onnx", "--pp=4 --tp=2 --micro-batch-size=1 "
     "--global-batch-size=17"),
    ("models/llama-dynamo.onnx", "--micro-batch-size=1 "
     "--global-batch-size=7"),
    # Buckets rotate through slots.
    ("gpt2/gpt2.onnx", "--pp=4 --dp=2 --zero=3 --micro-batch-size=1 "
     "--global-batch-size=26"),
)
# Text outside entry points is the same in both.
CLASSES = ("schedule swapped", "slot changed", "peer changed",
           "loop bound changed", "update left out", "wait or record dropped", "first writer changed",
           "offset moved by 64")
FAULTS = 8 if os.environ.get("PCC_TEST_ALL") else 2

draw = random.Random(5)
texts = [program(*plan) for plan in PLANS]
cases = list(texts)
assert " among " in texts[-1]
assert any(FRAME.match(line) for line in texts[-1].splitlines())
for text in texts:
    assert LOOP.search(written_out(text)) is None and "rt.for" in text
    parsed = Program(text)
    entries = [(first, last) for first, last in parsed.scopes
               if re.search(r"@(train|evaluate)\(", parsed.lines[first])]
    for name in CLASSES:
        found = [edit() for _, edit in faults.CLASSES[name](parsed)]
        draw.shuffle(found)
        cases += found[:FAULTS]

with concurrent.futures.ThreadPoolExecutor(2) as pool:
    short = list(pool.map(is_accepted, cases))
    whole = list(pool.map(is_accepted, map(written_out, cases)))
assert all(short[:len(texts)])
for case, text in enumerate(cases):
    if short[case] != whole[case]:
        differs = os.path.join(tempfile.mkdtemp(), "rt.mlir")
        with open(differs, "w") as file:
            file.write(text)
        sys.exit(f"{'accepted' if short[case] else 'refused'} with loops, not "
                 f"so without: {differs}")
print(len(cases), "programs,", short.count(False), "refused")
assert short.count(False) > len(cases) // 2
