"""Data for losses.mlir: losses.py FOLDER writes classes/ and mse/."""

import os
import sys

import numpy as np

rng = np.random.default_rng(5)
arrays = {name: rng.standard_normal((24, 8)).astype(np.float32)
          for name in ("x", "gain")}
classes = rng.integers(0, 6, 24)
# Ignored labels: some of one data-parallel rank only, and all of a microbatch.
classes[[1, 2, 3, 12, 13, 14, 15]] = -100
for name, labels in (("classes", classes),
                     ("mse", rng.standard_normal((24, 6)).astype(np.float32))):
    folder = os.path.join(sys.argv[1], name)
    os.makedirs(folder, exist_ok=True)
    np.save(os.path.join(folder, "labels.npy"), labels)
    for key, array in arrays.items():
        np.save(os.path.join(folder, key + ".npy"), array)
