# Loops only shorten a list of actions. Unrolled schedules of one to four stages
# and up to 33 microbatches equal hand-written ones, and the checker reports the
# same about faulty schedules with and without loops. Schedules that receive
# ahead run the same tasks, and all transfers have one order.
# RUN: %python %s

import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
sys.dont_write_bytecode = True
from expand import LOOP, expand  # noqa: E402
from orders import program, steps  # noqa: E402

SEPARATOR = "\n// -----\n"


def opt(text, *passes):
    run = subprocess.run(["pcc-opt", "--split-input-file", "-", *passes],
                         input=text, capture_output=True, text=True)
    return run.stdout, run.stderr


def schedules(text):
    """By (entry, stage), the actions of a module, and whether it has loops."""
    return {(m[1], int(m[2])): [line.strip() for line in m[3].splitlines()]
            for m in re.finditer(
                r"pipe\.schedule (\w+) stage (\d+) [^\n]*\{\n(.*?)\n  \}",
                text, re.DOTALL)}


PROGRAMS = [(stages, entry) for stages in (1, 2, 3, 4)
            for entry in ("train", "evaluate")]
INPUT = SEPARATOR.join(program(*which) for which in PROGRAMS)
looped = {}
for kind in ("1f1b", "gpipe"):
    for m in range(1, 34):
        out, err = opt(INPUT, f"--pipe-schedule=kind={kind} microbatches={m}",
                       "--pipe-check")
        assert not err, err
        written = out.split("// -----")
        for (stages, entry), text in zip(PROGRAMS, written, strict=True):
            looped[kind, stages, m, entry] = text
            found = schedules(expand(text))
            for stage in range(stages):
                wanted = steps(kind, stage, stages, m, entry)
                assert found[entry, stage] == wanted, (
                    kind, m, stage, entry, found[entry, stage], wanted)

# The length of the text does not depend on the number of microbatches.
for (kind, stages, m, entry), text in looped.items():
    if m > 9:
        same = looped[kind, stages, 10, entry]
        assert len(text.splitlines()) == len(same.splitlines()), (kind, m)


# With receives a microbatch ahead, each stage runs the same tasks in the same
# order. It receives a task's value before the previous task of the same
# direction, or just before the task if one of the other direction is in
# between.
for kind in ("1f1b", "gpipe"):
    for m in (1, 2, 3, 4, 5, 8, 13, 33):
        out, err = opt(INPUT, f"--pipe-schedule=kind={kind} microbatches={m} "
                       "ahead", "--pipe-check")
        assert not err, err
        for (stages, entry), text in zip(PROGRAMS, out.split("// -----"),
                                         strict=True):
            found = schedules(expand(text))
            for stage in range(stages):
                lines = found[entry, stage]
                blocking = [half for line in
                            steps(kind, stage, stages, m, entry) for half in
                            line.replace("exchange", "send").replace(
                                ", @", "\npipe.recv @").split("\n")]
                assert sorted(lines) == sorted(blocking), (kind, m, stage)
                for what in ("run", "send"):
                    assert [x for x in lines if "pipe." + what in x] == \
                        [x for x in blocking if "pipe." + what in x]
                runs = [x for x in lines if "pipe.run" in x]
                for i, line in enumerate(lines):
                    if "pipe.recv" not in line:
                        continue
                    name = "f" if "@a" in line else "b"
                    n = int(re.search(r"microbatch (\d+)", line)[1])
                    before = f"pipe.run @{name}{stage} microbatch {n - 1}"
                    user = f"pipe.run @{name}{stage} microbatch {n}"
                    ahead = n > 0 and (name == "f" or
                                       runs.index(user) ==
                                       runs.index(before) + 1)
                    assert i < lines.index(before if ahead else user), line


def plant(text, rng):
    """One fault in a schedule."""
    lines = text.splitlines(keepends=True)
    places = [i for i, line in enumerate(lines)
              if re.match(r" *pipe\.(run|send|recv|exchange|loop)", line)]
    i = rng.choice(places)
    kind = rng.randrange(4)
    is_loop = "pipe.loop" in lines[i]
    if is_loop:
        begin, end = map(int, re.search(r"= (\d+) to (\d+)", lines[i]).groups())
        begin, end = rng.choice([(begin + 1, end), (begin, end - 1),
                                 (begin, end + 1)])
        lines[i] = re.sub(r"= \d+ to \d+", f"= {begin} to {end}", lines[i])
    elif kind == 0:
        lines[i] = ""
    elif kind == 1 and i + 1 in places and "pipe.loop" not in lines[i + 1]:
        lines[i], lines[i + 1] = lines[i + 1], lines[i]
    elif kind == 2:
        lines.insert(i, lines[i])
    else:
        numbers = list(re.finditer(r"microbatch (%m)?(?: \+ )?(\d*)", lines[i]))
        number = rng.choice(numbers)
        value = max(int(number[2] or 0) + rng.choice((-1, 1)), 0)
        to = f"microbatch %m + {value}" if number[1] else f"microbatch {value}"
        lines[i] = lines[i][:number.start()] + to + lines[i][number.end():]
    return "".join(lines)


def refused(texts):
    """The indices of the modules that the checker rejects."""
    out = set()
    _, err = opt(SEPARATOR.join(texts), "--pipe-check", "-o", "/dev/null")
    ends, line = [], 0
    for text in texts:
        line += text.count("\n") + SEPARATOR.count("\n")
        ends.append(line)
    for where in re.finditer(r"^<stdin>:(\d+):\d+: error", err, re.MULTILINE):
        out.add(next(i for i, end in enumerate(ends) if int(where[1]) <= end))
    return out


rng = random.Random(5)
faulty = []
for _ in range(300):
    stages, m = rng.choice((1, 2, 3, 4)), rng.choice((4, 7, 13, 29, 33))
    kind, entry = rng.choice(("1f1b", "gpipe")), rng.choice(("train",) * 4 +
                                                            ("evaluate",))
    text = looped[kind, stages, m, entry].strip() + "\n"
    faulty.append(plant(text, rng))
assert any(LOOP.search(text) for text in faulty)
short, long = refused(faulty), refused([expand(text) for text in faulty])
for i in short ^ long:
    print(faulty[i], file=sys.stderr)
assert short == long, (sorted(short - long), sorted(long - short))
assert 200 < len(short) < 300, len(short)
