"""validation.py make: writes `all`, 11 samples of which some have no valid
target,
and `many`. validation.py check LOG ...: compares the val_loss of each with
numpy's."""

import json
import os
import sys

import numpy
from small_models import random


def samples(count):
    generator = numpy.random.default_rng(count)
    labels = generator.integers(0, 3, count)
    labels[[1, 2, 9]] = -100
    return generator.normal(size=(count, 4)).astype("f4"), labels


def val_loss(log):
    with open(log) as file:
        found = [json.loads(line) for line in file]
    found, = [row["val_loss"] for row in found if "val_loss" in row]
    return found


def check(log, wanted):
    found = val_loss(log)
    assert abs(found - wanted) < 1e-6 * abs(wanted), (log, found, wanted)


x, labels = samples(11)
if sys.argv[1] == "make":
    for name, count in (("all", 11), ("many", 64)):
        os.makedirs(name)
        for key, array in zip(("x", "labels"), samples(count)):
            numpy.save(f"{name}/{key}.npy", array)
elif sys.argv[1] == "check":
    logits = x.astype(float) @ random(4, 3)
    logs = logits - numpy.log(numpy.exp(logits).sum(1, keepdims=True))
    kept = labels >= 0
    for log in sys.argv[2:]:
        check(log, -logs[kept, labels[kept]].mean())
else:
    y = x.astype(float) @ (0.1 * random(4, 3))
    check(sys.argv[2], numpy.mean([
        numpy.exp(part @ part.T).mean() for part in (y[:4], y[4:8])]))
