# The padding mask of a file that computes its loss is data: the mask in the
# folder determines the loss. Token files have no padding, so the mask is ones.
# RUN: %python %s %root %t

import json
import os
import shutil
import subprocess
import sys

import numpy as np

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test/Inputs"))
from onnx_files import INT64, floats, ints, model, node

rng = np.random.default_rng(0)
VOCAB, WIDTH, CLASSES, BATCH, SEQ = 20, 6, 3, 4, 5
TABLE = rng.standard_normal((VOCAB, WIDTH)).astype("f4")
HEAD = rng.standard_normal((WIDTH, CLASSES)).astype("f4")
LM_HEAD = rng.standard_normal((WIDTH, VOCAB)).astype("f4")
IDS = rng.integers(0, VOCAB, (BATCH, SEQ))
MASK = (np.arange(SEQ) < [[5], [3], [1], [4]]).astype("i8")
LABELS = rng.integers(0, CLASSES, BATCH)


def weight(name, array):
    return floats(name, list(array.shape), array.flatten().tolist())


def run(name, *arguments):
    done = subprocess.run(arguments, capture_output=True, text=True)
    assert done.returncode == 0, f"{name}: {done.stderr}"
    return done.stderr


def train(name, data, flags=()):
    path, program = (os.path.join(work, name + end) for end in (".onnx", ""))
    said = run(name, "pcc", path, "-q", "--micro-batch-size", str(BATCH),
               "--optimizer", "sgd", "-o", program, *flags)
    log = program + ".json"
    run(name, program, "--data", data, "--steps", "1", "--lr", "0", "--log-json",
        log)
    with open(log) as file:
        return json.loads(file.readline())["loss"], said


def save(name, data):
    with open(os.path.join(work, name + ".onnx"), "wb") as file:
        file.write(data)


def cross_entropy(logits, labels):
    shifted = logits - logits.max(-1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    return -np.take_along_axis(logs, labels[..., None], -1).mean()


def classes(mask):
    """The loss of sums of embeddings, without those at zeros of the mask."""
    x = (TABLE.astype("f8")[IDS] * mask[..., None]).sum(1)
    return cross_entropy(x @ HEAD, LABELS)


def close(found, wanted):
    assert abs(found - wanted) < 1e-5 * abs(wanted), (found, wanted)


shutil.rmtree(work, ignore_errors=True)
folder = os.path.join(work, "data")
os.makedirs(folder)
for name, array in (("input_ids", IDS), ("attention_mask", MASK),
                    ("labels", LABELS)):
    np.save(os.path.join(folder, name + ".npy"), array)
kept = [node("Gather", ["wte.weight", "input_ids"], ["x"]),
        node("Cast", ["attention_mask"], ["mask"], to=1),
        node("Unsqueeze", ["mask", "last"], ["column"]),
        node("Mul", ["x", "column"], ["kept"])]
save("classes", model(
    [*kept, node("ReduceSum", ["kept", "one"], ["pooled"], keepdims=0),
     node("MatMul", ["pooled", "head.weight"], ["logits"]),
     node("SoftmaxCrossEntropyLoss", ["logits", "labels"], ["loss"])],
    [("input_ids", INT64, [BATCH, SEQ]), ("attention_mask", INT64, [BATCH, SEQ]),
     ("labels", INT64, [BATCH])],
    [weight("wte.weight", TABLE), weight("head.weight", HEAD),
     ints("last", [-1]), ints("one", [1])], ["loss"]))
found, said = train("classes", folder)
close(found, classes(MASK))
assert "attention_mask" not in said, said
close(train("classes", folder, ["--padding-mask"])[0], classes(MASK))
close(train("classes", folder, ["--no-padding-mask"])[0], classes(MASK * 0 + 1))

# A language model's loss, with token files and with folders.
save("tokens", model(
    [*kept, node("MatMul", ["kept", "lm.weight"], ["logits"]),
     node("Reshape", ["logits", "rows"], ["flat"]),
     node("Reshape", ["labels", "row"], ["targets"]),
     node("SoftmaxCrossEntropyLoss", ["flat", "targets"], ["loss"])],
    [(name, INT64, [BATCH, SEQ])
     for name in ("input_ids", "attention_mask", "labels")],
    [weight("wte.weight", TABLE), weight("lm.weight", LM_HEAD),
     ints("last", [-1]), ints("rows", [-1, VOCAB]), ints("row", [-1])],
    ["loss"]))
tokens = rng.integers(0, VOCAB, BATCH * SEQ + 1)
tokens.astype("<u2").tofile(os.path.join(work, "tokens.bin"))
rows = tokens[:-1].reshape(BATCH, SEQ)
following = tokens[1:].reshape(BATCH, SEQ)


def language(ids, labels, mask):
    return cross_entropy(TABLE.astype("f8")[ids] * mask[..., None] @ LM_HEAD,
                         labels)


close(train("tokens", os.path.join(work, "tokens.bin"))[0],
      language(rows, following, np.ones((BATCH, SEQ))))
np.save(os.path.join(folder, "labels.npy"), IDS)
close(train("tokens", folder)[0], language(IDS, IDS, MASK))
print("passed")
