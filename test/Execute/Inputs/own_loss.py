#!/usr/bin/env python3
"""Data of test/Execute/own-loss.mlir: eight samples in FOLDER. With LOG, the
losses that pcc-run wrote against numpy's. usage: own_loss.py FOLDER [LOG]"""

import json
import os
import sys

import numpy as np

folder, *log = sys.argv[1:]
random = np.random.default_rng(7)
x = random.normal(size=(8, 4)).astype(np.float32)
labels = random.integers(0, 4, 8)
if not log:
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "x.npy"), x)
    np.save(os.path.join(folder, "labels.npy"), labels)
    sys.exit()
# The only parameter is zero.
each = np.log(np.exp(x.astype(np.float64)).sum(1)) - x[np.arange(8), labels]
with open(log[0]) as file:
    got = [json.loads(line)["loss"] for line in file]
expected = each.reshape(2, 4).mean(1)
np.testing.assert_allclose(got, expected, rtol=1e-6)
print(len(got), "steps as numpy")
