#!/usr/bin/env python3
"""Where documents end: by tokens or by a Megatron index, in files, arrays and
blends of files, for text programs and models that shift labels themselves. The
loss of a sample is that of its documents, each in a sample of its own.

RUN: rm -rf %t && mkdir %t && cd %t && %python %s %root
"""

import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(sys.argv[1])
GPT2 = ROOT / "examples/models/gpt2-dynamo.onnx"
SEQ, VOCAB, END = 32, 128, 7
rng = np.random.default_rng(3)


def call(*command, code=0):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, timeout=600)
    if done.returncode != code:
        sys.exit(f"{command}: {done.returncode}: {done.stderr[-3000:]}")
    return done.stderr


def compiled(name, *flags, model=GPT2):
    call("pcc", model, "--seq", SEQ, "--loss", "causal-lm", "-q", "-o", name,
         *flags)


def losses(program, data, *flags):
    pathlib.Path("log.json").unlink(missing_ok=True)
    call(f"./{program}", "--data", data, "--log-json", "log.json", *flags)
    with open("log.json", encoding="utf-8") as lines:
        return [json.loads(line)["loss"] for line in lines]


def write_llmc(name, tokens):
    header = np.zeros(256, "<i4")
    header[:3] = 20240520, 1, len(tokens)
    pathlib.Path(name).write_bytes(header.tobytes() +
                                   np.asarray(tokens, "<u2").tobytes())


def write_megatron(name, tokens, sequences, documents, indices=None):
    """sequences: their lengths; documents: the first sequence of each, then the
    number of all."""
    pathlib.Path(name + ".bin").write_bytes(np.asarray(tokens, "<u2").tobytes())
    offsets = 2 * np.concatenate([[0], np.cumsum(sequences)[:-1]])
    pathlib.Path(name + ".idx").write_bytes(
        b"MMIDIDX\0\0" + struct.pack("<QBQQ", 1, 8, len(sequences),
                                     indices or len(documents)) +
        np.asarray(sequences, "<i4").tobytes() +
        np.asarray(offsets, "<i8").tobytes() +
        np.asarray(documents, "<i8").tobytes())


# 8 samples of 32 tokens and one more token; documents end at random tokens, at
# the last of a sample and at the first.
tokens = rng.integers(8, VOCAB, 8 * SEQ + 1)
tokens[rng.random(len(tokens)) < 0.1] = END
tokens[[SEQ - 1, 2 * SEQ, 4 * SEQ - 1, 4 * SEQ]] = END
write_llmc("tokens.bin", tokens)
compiled("apart", "--documents", END, "--global-batch-size=2")
compiled("joined", "--global-batch-size=2")
compiled("alone", "--global-batch-size=1")
STEPS = ("--steps=4", "--lr=1e-3")
apart = losses("apart", "tokens.bin", *STEPS)
joined = losses("joined", "tokens.bin", *STEPS)
assert all(abs(x - y) > 1e-4 for x, y in zip(apart, joined)), (apart, joined)

# Without training: the documents of sample 0, each in a sample of its own, which
# is padded by tokens without a target.
compiled("arrays", "--global-batch-size=1")


def loss_of_documents(first):
    """The mean over the targets of the documents of two samples."""
    total = count = 0
    for sample in range(first, first + 2):
        at = sample * SEQ
        row, after = tokens[at:at + SEQ], tokens[at + 1:at + SEQ + 1]
        ends = [i + 1 for i in range(SEQ) if row[i] == END]
        for begin, end in zip([0, *ends], [*ends, SEQ]):
            if begin == end:
                continue
            ids, labels = np.zeros((1, SEQ), "<i8"), np.full((1, SEQ), -100, "<i8")
            ids[0, :end - begin] = row[begin:end]
            labels[0, :end - begin] = after[begin:end]
            labels[0, :end - begin][row[begin:end] == END] = -100
            valid = (labels >= 0).sum()
            if not valid:
                continue
            pathlib.Path("one").mkdir(exist_ok=True)
            np.save("one/input_ids.npy", ids)
            np.save("one/labels.npy", labels)
            total += losses("arrays", "one", "--steps=1", "--lr=0")[0] * valid
            count += valid
    return total / count


frozen = losses("apart", "tokens.bin", "--steps=2", "--lr=0")
for step, loss in enumerate(frozen):
    wanted = loss_of_documents(2 * step)
    assert abs(loss - wanted) < 2e-6 * wanted, (step, loss, wanted)

# The same documents by a Megatron index, whose tokens may be any: of one
# sequence each, and of several, some of them empty.
ends = np.flatnonzero(tokens == END) + 1
bounds = [0, *ends, *([len(tokens)] if ends[-1] != len(tokens) else [])]
lengths = np.diff(bounds)
write_megatron("one", tokens, lengths, range(len(lengths) + 1))
assert losses("apart", "one.bin", *STEPS) == apart
sequences, first = [], [0]
for length in lengths:
    sequences += [0, length // 2, 0, length - length // 2]
    first.append(len(sequences))
write_megatron("several", tokens, sequences, first)
assert losses("apart", "several.idx", *STEPS) == apart
# An index without documents: by tokens.
write_megatron("none", tokens, lengths, [])
assert losses("apart", "none.bin", *STEPS) == apart
# One boundary moved by one token.
moved = lengths.copy()
moved[1] += 1
moved[2] -= 1
write_megatron("moved", tokens, moved, range(len(lengths) + 1))
assert losses("apart", "moved.bin", *STEPS)[0] != apart[0]
write_megatron("cut", tokens, lengths, range(3), indices=len(lengths) + 1)
said = call("./apart", "--data", "cut.bin", *STEPS, code=4)
assert "is cut off: it has 3 of" in said, said

# Arrays, files one after the other, and a blend of them.
pathlib.Path("arrays.d").mkdir()
np.save("arrays.d/input_ids.npy", tokens[:-1].reshape(8, SEQ).astype("<i8"))
np.save("arrays.d/labels.npy", tokens[1:].reshape(8, SEQ).astype("<i8"))
assert losses("apart", "arrays.d", *STEPS) == apart
write_llmc("a.bin", tokens[:100])
write_llmc("b.bin", tokens[100:])
assert losses("apart", "a.bin,b.bin", *STEPS) == apart
# A blend of two equal sources takes each sample twice.
pathlib.Path("twice").mkdir()
for name, row in (("input_ids", tokens[:-1]), ("labels", tokens[1:])):
    np.save(f"twice/{name}.npy",
            np.repeat(row.reshape(8, SEQ).astype("<i8"), 2, axis=0))
blended = losses("apart", "tokens.bin,arrays.d", "--data-weights=1,1", *STEPS)
assert blended == losses("apart", "twice", *STEPS), blended

# Several tokens that end a document, and any of the layouts.
two = tokens.copy()
two[np.flatnonzero(two == END)[::2]] = 5
write_llmc("two.bin", two)
compiled("two", "--documents", "7,5", "--global-batch-size=2")
compiled("split", "--documents", "5,7", "--global-batch-size=2", "--tp", 2, "--cp",
         2, "--micro-batch-size", 1)
one, other = (losses(program, "two.bin", *STEPS) for program in ("two", "split"))
assert max(abs(x - y) / x for x, y in zip(one, other)) < 2e-6, (one, other)
call("./apart", "--data", "tokens.bin", "--val-data", "tokens.bin", "--steps=1")

# Steps without targets: all tokens end documents, or all labels follow an end.
write_llmc("ends.bin", np.full(8 * SEQ + 1, END))
pathlib.Path("few").mkdir()
labels = tokens[1:].reshape(8, SEQ).astype("<i8")
np.save("few/input_ids.npy", tokens[:-1].reshape(8, SEQ).astype("<i8"))
np.save("few/labels.npy", np.where(tokens[:-1].reshape(8, SEQ) == END, labels, -100))
for data in ("ends.bin", "few"):
    said = call("./apart", "--data", data, "--steps=1", code=5)
    assert "its samples have no valid targets" in said, said
    assert "each target of its samples follows the end of a document" in said, said
    call("./apart", "--data", data, "--steps=2", "--skip-empty")
