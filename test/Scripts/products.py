# benchmarks/products builds with the current back end and measures every kind
# of GEMM, in f32 and in bf16.
# RUN: %python %s %root %t

import os
import sys

root, folder = sys.argv[1:]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(root, "scripts"))
from loading import script  # noqa: E402

products = script("../benchmarks/products")
ours = products.Ours(products.build(folder), 1)
assert "bf16: " in ours.text, ours.text
for form in "nn", "nt", "tn":
    for dtype, result in ((products.F32, products.F32),
                          (products.BF16, products.BF16),
                          (products.BF16, products.F32)):
        seconds = ours.time(3, 5, 7, form, dtype, result)
        assert 0 < seconds < 60, (form, dtype, result, seconds)
ours.process.stdin.close()
assert ours.process.wait() == 0
