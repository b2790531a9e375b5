"""evaluated.py make: writes folders of samples for the toy model.
evaluated.py check LOG N ...: the val_loss of a log is the mean over the first N
samples that numpy computes."""

import json
import os
import sys

import numpy

V, D, SEQ = 101, 16, 8


def samples():
    tokens = numpy.fromfile("tokens.bin", "<u2")[:11 * SEQ + 1].astype(int)
    ids, labels = tokens[:-1].reshape(-1, SEQ), tokens[1:].reshape(-1, SEQ)
    return ids, labels


def loss(ids, labels):
    weights = numpy.fromfile("toy.bin", "<f4", offset=64).astype(float)
    table, head = weights[:2 * V * D].reshape(2, V, D)
    logits = table[ids] @ head.T + weights[2 * V * D:2 * V * D + V]
    logs = logits - numpy.log(numpy.exp(logits).sum(-1, keepdims=True))
    return -numpy.take_along_axis(logs, labels[..., None], -1).mean()


def save(name, ids, labels):
    os.makedirs(name)
    numpy.save(f"{name}/input_ids.npy", ids)
    numpy.save(f"{name}/labels.npy", labels)


if sys.argv[1] == "make":
    ids, labels = samples()
    save("eleven", ids, labels)
    save("three", ids[:3], labels[:3])
    save("empty", ids[:0], labels[:0])
    numpy.fromfile("tokens.bin", "<u2")[:11 * SEQ + 1].tofile("eleven.bin")
else:
    for log, count in zip(sys.argv[2::2], map(int, sys.argv[3::2])):
        with open(log) as file:
            found = [json.loads(line) for line in file]
        found = [row["val_loss"] for row in found if "val_loss" in row]
        ids, labels = samples()
        wanted = loss(ids[:count], labels[:count])
        assert len(found) == 1 and abs(found[0] - wanted) < 1e-6 * wanted, (
            log, found, wanted)
