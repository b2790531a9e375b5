# Attention with a bias, forward and backward, is assembled by ptxas, and no
# kernel has too few registers: heads of 64 and 128, each type, padding masks
# and trained relative positions, with and without dropout. Every second
# combination; with PCC_TEST_ALL all.
# REQUIRES: cuda
# RUN: %python %s %root

import itertools
import os
import re
import sys

sys.path.append(os.path.join(sys.argv[1], "test/Execute/Gpu/Inputs"))
from kernels import Bias, kernel, run

ALL = bool(os.environ.get("PCC_TEST_ALL"))
b, s, h, g = 2, 256, 4, 2
kernels, halves = [], []
for number, (width, element, (causal, p)) in enumerate(itertools.product(
        (64, 128), ("f32", "bf16", "f16"),
        ((False, 0.0), (False, 0.25), (True, 0.25)))):
    for k, bias in enumerate((Bias((b, 1, 1, s)),
                              Bias((1, h, s, s), wanted=True))):
        if not ALL and (number + k) % 2:
            continue
        for backward in (False, True):
            if (width == 64 and element != "f32" and not causal and
                    not backward and not (p and bias.wanted)):
                halves.append(len(kernels))
            text = kernel((b, s, s, h, g, width, width), element, causal, p,
                          backward, inOrder=True, narrow=True, bias=bias)
            kernels.append(re.sub(r"@(attention\w*)",
                                  rf"@k{len(kernels)}_\1", text))
result = run(["pcc-kernels", "-", "--assemble"], "".join(kernels))
said = f"{len(kernels)} of {len(kernels)} kernels, 0 with too few registers"
if result.returncode or said not in result.stdout:
    raise SystemExit(result.stdout + result.stderr)
assert halves
# Two blocks of a forward kernel with narrow heads fit a multiprocessor's
# registers, unless it has dropout and is causal or has a bias per query.
for i in halves:
    used = re.search(rf"^k{i}_\w+: (\d+) registers", result.stdout, re.M)
    assert int(used.group(1)) <= 128, result.stdout
