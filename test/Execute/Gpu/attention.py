# Attention by tiles computes the same on devices as on a CPU, with the same
# bits in two orders of blocks, and reads the expected bytes; planted faults are
# detected. Sizes are odd, with a single key, with heads that share keys, with
# heads wider than a block's columns. GEMMs of bf16 and fp16 use tensor cores.
# With PCC_TEST_ALL a size is computed in more ways, and faults have more
# positions.
# RUN: %python %s

import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import check, kernel, lower, run, sectors, traffic, unseen

ALL = bool(os.environ.get("PCC_TEST_ALL"))
# batch, queries, keys, heads, key heads, width, width of values
SIZES = ((2, 5, 7, 3, 3, 8, 8), (1, 67, 70, 4, 2, 20, 24),
         (1, 131, 66, 2, 1, 64, 64), (1, 20, 97, 2, 2, 80, 48),
         (1, 33, 17, 2, 1, 128, 16), (1, 40, 35, 1, 1, 200, 136),
         (1, 1, 1, 2, 1, 64, 64), (1, 1, 3, 1, 1, 1, 3))
ways = (("f32", False, 0.0), ("f32", True, 0.25), ("f16", True, 0.0),
        ("bf16", True, 0.25), ("bf16", False, 0.0))
for i, sizes in enumerate(SIZES):
    # Sizes at odd positions in one of two ways, the others in a third of all
    # ways; with PCC_TEST_ALL in both, and in all.
    chosen = ways if i % 2 == 0 else (ways[1], ways[3])
    if not ALL:
        apart = 2 if i % 2 else 3
        chosen = chosen[i // 2 % apart::apart]
    for element, causal, p in chosen:
        check(f"{sizes} {element} causal={causal} p={p}",
              kernel(sizes, element, causal, p, False) +
              kernel(sizes, element, causal, p, True))


for element in "bf16", "f16":
    check(f"dq of {element}", kernel(SIZES[1], element, True, 0.25, True,
                                     narrow=True))

# Some of the many scores' random words have the same upper half as the bound
# below which scores are dropped, 0x19999999: then the lower half decides.
source = kernel((1, 384, 512, 2, 1, 8, 8), "f32", False, 0.1, False, inOrder=True)
code = lower(source)
upper = "arith.constant 6553 : i32"
assert code.count(upper) > 8
assert not unseen(source, code, [])
planted = code.replace(upper, "arith.constant 13 : i32")
result = run(["pcc-kernels", "-"], f"module {{\n{source}{planted}\n}}")
assert result.returncode, "other lower halves of words are not seen"


# The forward pass reads q once, and k and v once per 128 queries of a head; if
# causal, only the visible keys. In the backward pass blocks of 128 keys, in
# bf16 and fp16 of 64, read the operands of queries, and blocks of as many
# queries those of keys. Positions are constants here.
b, s, h, d = 1, 256, 2, 64
for element, causal in (("bf16", True), ("f32", False)):
    forward, backward = (
        traffic(kernel((b, s, s, h, h, d, d), element, causal, 0.0, backward,
                       inOrder=True)) for backward in (False, True))
    rows = sectors(b, s, h, d, element=element)
    numbers = sectors(b, s, h, element="f32")
    partOf = lambda times: (times + 1) / (2 * times) if causal else 1
    times = s // 128
    part = partOf(times)
    # q is half of its tensor. Each number of lse is in a sector of its own.
    bound = (rows + 2 * rows * times * part) / (4 * rows)
    assert forward[0] <= bound + 0.01, f"forward reads {forward[0]}: {bound}"
    bound = (rows + s * h) / (rows + numbers)
    assert forward[1] <= bound + 0.01, f"forward writes {forward[1]}: {bound}"
    times = s // (64 if element == "bf16" else 128)
    part = partOf(times)
    keys = 2 * rows + (3 * rows + s * h) * times * part
    queries = 3 * rows + s * h + 2 * rows * times * part
    bound = (keys + queries) / (6 * rows + numbers)
    assert backward[0] <= bound + 0.01, f"backward reads {backward[0]}: {bound}"
    assert backward[1] == 1, f"backward writes {backward[1]}"

# pcc-kernels --traffic, which counts kernels of more than 1 MiB itself, agrees,
# and detects unnecessary reads.
large = (2, 512, 512, 4, 2, 64, 64)
for backward in (False, True):
    source = kernel(large, "bf16", True, 0.0, backward, inOrder=True, narrow=True)
    result = run(["pcc-kernels", "-", "--traffic"], source)
    assert not result.returncode, result.stdout + result.stderr
    code = lower(kernel(large, "bf16", False, 0.0, backward, inOrder=True,
                        narrow=True))
    result = run(["pcc-kernels", "-", "--traffic"], f"module {{\n{source}{code}\n}}")
    assert result.returncode and "moves more than" in result.stdout, result.stdout

# Faults in the device code. The last query is alone in its tile and sees the
# last key, which is alone in its tile, too. Threads read shared memory that
# others have written.
for element, causal, p in (("f32", True, 0.25), ("bf16", True, 0.0)):
    for backward in (False, True):
        source = kernel((1, 129, 129, 1, 1, 64, 72), element, causal, p,
                        backward, inOrder=True)
        code = lower(source)
        barriers = [m.start() for m in re.finditer("gpu.barrier", code)]
        seen = [m.start() for m in re.finditer("arith.cmpi sge", code)]
        assert seen and len(barriers) > 3
        step = 1 if ALL else 3
        faults = [("no barrier", at, "gpu.barrier", "") for at in barriers[::step]]
        # In bf16 one key of 129 is less than the rounding error.
        faults += [("a tile too few", at, "sge",
                    "sgt" if element == "f32" else "slt") for at in seen[::step]]
        # The comparisons of positions in masks.
        masks = [m for m in re.finditer(
            r"(%\w+) = arith.cmpi slt, (%\w+), (%\w+) : i32\n", code)
            if f"arith.select {m.group(1)}, " in code]
        assert masks
        faults.append(("a mask off by one", masks[0].start(), "slt", "sle"))
        wrong = unseen(source, code, faults)
        assert not wrong, f"{element} backward={backward}: not seen: {wrong}"
