"""Blends of data: for 20 random weights, layouts and resume points a run reads
the same samples in the same order. The share of each source is within one
sample of its weight at every prefix, and each source makes its own passes.

The tokens identify a sample: its source and its number there. TOY_READ makes
the toy programs write what they read.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files . && %python %s
"""

import fractions
import glob
import json
import os
import random
import shutil
import subprocess

import numpy

BATCH, SEQ, VOCAB, STEPS = 8, 8, 101, 14
LAYOUTS = "toy-1", "toy-dp2", "toy-pp2", "toy-tp2", "toy-dp2-tp2", "toy-pp2-tp2"


def write(name, source, samples):
    """A source whose sample n begins with the tokens source, n / V, n % V."""
    tokens = (numpy.arange(samples * SEQ).reshape(-1, SEQ) * 7) % VOCAB
    tokens[:, 0] = source
    tokens[:, 1], tokens[:, 2] = numpy.divmod(numpy.arange(samples), VOCAB)
    numpy.append(tokens.ravel(), 0).astype(numpy.uint16).tofile(name)
    return tokens


def run(program, *flags):
    """Runs a program. Returns its output and the samples that it read, as
    (source, number), in order."""
    for path in glob.glob("read.*"):
        os.remove(path)
    done = subprocess.run([program, *flags], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60,
                          env=dict(os.environ, TOY_READ="read"))
    assert done.returncode == 0, (program, flags, done.stdout)
    rows = []
    for path in glob.glob("read.*"):
        with open(path) as file:
            rows += [tuple(map(int, line.split())) for line in file]
    rows.sort()
    return done.stdout, [(row[2], row[3] * VOCAB + row[4]) for row in rows]


def losses(path):
    with open(path) as file:
        return {row["step"]: row["loss"] for row in map(json.loads, file)}


def check(order, weights, sizes, shuffle):
    """Checks the shares at every prefix and the passes of each source."""
    total = sum(weights)
    counts = [0] * len(weights)
    passes = [[] for _ in weights]
    for t, (source, number) in enumerate(order, 1):
        seen = passes[source]
        if counts[source] % sizes[source] == 0:
            seen.append([])
        seen[-1].append(number)
        counts[source] += 1
        for count, weight in zip(counts, weights):
            assert abs(count - weight * t / total) < 1, (weights, t, counts)
    for seen, size in zip(passes, sizes):
        for one in seen:
            if not shuffle:
                assert one == list(range(len(one))), one
            elif len(one) == size:
                assert sorted(one) == list(range(size)), one


rng = random.Random(43)
sizes = [300, 40, 5, 1, 77]
for source, size in enumerate(sizes):
    write(f"{source}.bin", source, size)
for trial in range(20):
    count = 2 + trial % 4
    texts = [rng.choice((f"{rng.random():.3f}1", str(rng.randint(1, 99)),
                         f"{rng.randint(1, 9)}e-{rng.randint(1, 9)}"))
             for _ in range(count)]
    shuffle = trial % 2 == 1
    flags = ["--data", ",".join(f"{i}.bin" for i in range(count)),
             "--data-weights", ",".join(texts), "--steps", str(STEPS),
             "--lr", "1e-2", "--seed", str(trial)]
    flags += ["--shuffle"] * shuffle
    for path in glob.glob("*.json"):
        os.remove(path)
    _, whole = run("toy-1", *flags, "--log-json", "whole.json")
    assert len(whole) == BATCH * STEPS
    check(whole, [fractions.Fraction(text) for text in texts], sizes, shuffle)
    first, second = rng.sample(LAYOUTS, 2)
    stop = rng.randint(1, STEPS - 1)
    save = f"save{trial}"
    _, begin = run(first, *flags, "--log-json", "parts.json", "--save", save,
                   "--stop-after", str(stop))
    output, end = run(second, "--resume", save, "--log-json", "parts.json")
    assert begin + end == whole, (trial, first, second, stop)
    assert "kept" not in output and "changed" not in output, output
    one, other = losses("whole.json"), losses("parts.json")
    assert list(one) == list(other)
    for step, loss in one.items():
        assert abs(loss - other[step]) <= 2e-6 * loss, (trial, step)
print("the order is the same")

# Another blend: each source continues where it was, in its permutations.
common = ["--steps", "40", "--shuffle", "--seed", "5"]
_, all_of_1 = run("toy-1", "--data", "1.bin,0.bin", "--data-weights", "1,1",
                  *common)
_, begin = run("toy-dp2", "--data", "1.bin,0.bin", "--data-weights", "1,1",
               *common, "--save", "other", "--stop-after", "5")
os.rename("0.bin", "moved.bin")
output, middle = run("toy-pp2", "--resume", "other", "--save", "other", "--data",
                     "2.bin,moved.bin", "--data-weights", "1,3",
                     "--stop-after", "10")
assert ("kept       moved.bin, which was 0.bin, at sample 21 of pass 1\n"
        in output), output
assert "new        2.bin\n" in output, output
assert "gone       1.bin, after 20 samples\n" in output, output
assert "changed    --data-weights 1,1 -> 1,3\n" in output, output
assert "pass       2.bin starts again in step 8: pass 2\n" in output, output
output, end = run("toy-tp2", "--resume", "other", "--data",
                  "1.bin,2.bin,moved.bin", "--data-weights", "1,1,1")
assert "kept       1.bin, at sample 21 of pass 1\n" in output, output
assert "gone" not in output and "new " not in output, output
for source, size in (0, 300), (1, 40), (2, 5):
    read = [n for s, n in begin + middle + end if s == source]
    for at in range(0, len(read) - size + 1, size):
        assert sorted(read[at:at + size]) == list(range(size)), (source, at)
    whole = [n for s, n in all_of_1 if s == source]
    together = min(len(read), len(whole))
    assert read[:together] == whole[:together] or source == 2, source
weights = {0: 3, 2: 1}
for t in range(1, len(middle) + 1):
    for source, weight in weights.items():
        taken = sum(s == source for s, _ in middle[:t])
        assert abs(taken - weight * t / 4) < 1, (t, source)
print("each source continues")

# A run without weights that becomes a blend, and a grown file.
_, begin = run("toy-1", "--data", "1.bin", "--steps", "9", "--save", "plain",
               "--stop-after", "3")
write("1.bin", 1, 50)
output, end = run("toy-1", "--resume", "plain", "--data", "1.bin,4.bin",
                  "--data-weights", "0.5,0.5")
assert "kept       1.bin, at sample 25 of pass 1\n" in output, output
assert ("warning: '1.bin' has other contents than when the checkpoint was "
        "saved, and 50 samples instead of 40" in output), output
assert [n for s, n in end if s == 1] == list(range(24, 48))
print("a run without weights becomes a blend")

# One that concatenates files: each continues where it was. The 56 samples of 7
# steps are the 321 tokens of 1.bin, and 15 samples and 7 tokens of 4.bin.
write("1.bin", 1, 40)
write("4.bin", 4, 77)


def blended(*flags, stop=5, **moved):
    """Resumes a run of several files with weights."""
    folder = "joined" + "".join(flags)
    _, begin = run("toy-1", "--data", "1.bin,4.bin", "--steps", "40", "--save",
                   folder, "--stop-after", str(stop), *flags)
    for name, new in moved.items():
        os.rename(name[1:] + ".bin", new)
    output, end = run("toy-1", "--resume", folder, "--data",
                      ",".join(moved.get(f"_{i}", f"{i}.bin") for i in (1, 4)),
                      "--data-weights", "1,1")
    for name, new in moved.items():
        os.rename(new, name[1:] + ".bin")
    return output, [[n for s, n in end if s == source] for source in (1, 4)]


output, (one, four) = blended(stop=4)
assert "kept       1.bin, at sample 33 of pass 1\n" in output, output
assert "kept       4.bin, at sample 1 of pass 1\n" in output, output
assert "gone" not in output and "new " not in output, output
assert one[:9] == [*range(32, 40), 0] and four[:2] == [0, 1], (one, four)
shutil.rmtree("joined")
output, (one, four) = blended(stop=7, _4="moved.bin")
assert "kept       1.bin, at sample 1 of pass 2\n" in output, output
assert ("kept       moved.bin, at sample 16 of pass 1, of which 7 tokens were "
        "seen\n" in output), output
assert one[:2] == [0, 1] and four[:2] == [15, 16], (one, four)
write("4.bin", 4, 78)
output, _ = run("toy-1", "--resume", "joined", "--data-weights", "1,1")
assert ("not known, since they have moved or changed: each source starts with "
        "its first sample\n" in output), output
output, (one, four) = blended("--shuffle")
assert ("warning: how far the run was in each file of '1.bin,4.bin' is not "
        "known, since their samples were shuffled together: each source starts "
        "with its first sample\n" in output), output
assert "gone       1.bin,4.bin, after 40 samples\n" in output, output
print("concatenated files become a blend")

# Other data without weights: the step's number decides, and the start says so.
_, _ = run("toy-1", "--data", "1.bin", "--steps", "9", "--save", "alone",
           "--stop-after", "3")
output, end = run("toy-1", "--resume", "alone", "--data", "4.bin")
assert ("changed    --data 1.bin -> 4.bin\n"
        "new        4.bin, at sample 25 of pass 1: without --data-weights, that "
        "follows from the step's number\n"
        "gone       1.bin, after 24 samples\n" in output), output
assert end[0] == (4, 24), end
os.rename("1.bin", "moved.bin")
output, _ = run("toy-1", "--resume", "alone", "--data", "moved.bin")
assert ("kept       moved.bin, which was 1.bin, at sample 25 of pass 1\n"
        in output), output
write("1.bin", 1, 50)
output, _ = run("toy-1", "--resume", "alone")
assert ("warning: '1.bin' has other contents than when the checkpoint was "
        "saved, and 50 samples instead of 40: it continues at sample 25"
        in output), output
print("a run without weights says what becomes of its data")
