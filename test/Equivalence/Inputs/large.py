"""large.py FOLDER: data of losses.mlir whose targets are so large that the
cotangents of a mean of squares overflow f16, though the loss does not; in
FOLDER/lost the activations do, too."""

import os
import sys

import numpy as np

rows = np.random.default_rng(0)
for folder, size in ((sys.argv[1], 1), (os.path.join(sys.argv[1], "lost"), 1e6)):
    os.makedirs(folder)
    for name in ("x", "gain"):
        np.save(os.path.join(folder, name + ".npy"),
                size * rows.normal(size=(16, 8)))
    np.save(os.path.join(folder, "labels.npy"), np.full((16, 6), 1e5))
