# Attention by tiles on devices with a bias gives what it gives on a CPU: biases
# of all shapes that broadcast, -inf, the least float, rows of nothing else, and
# the bias' gradient; it reads no more than it has to, and mistakes are seen.
# With PCC_TEST_ALL a size has more of the shapes, and mistakes are at more places.
# RUN: %python %s

import math
import os
import random
import re
import struct
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import Bias, check, kernel, lower, run, sectors, traffic, unseen


def both(sizes, element, causal, p, bias):
    """A kernel forward and one backward."""
    return (kernel(sizes, element, causal, p, False, bias=bias) +
            kernel(sizes, element, causal, p, True, bias=bias))


ALL = bool(os.environ.get("PCC_TEST_ALL"))
# Padding of keys, of pairs, slopes by the key, relative positions, what belongs
# to queries or to heads, all scores; backward that of whole rows of them. Tiles
# are whole, and pairs of keys are read at once, or not.
shapes = (lambda b, h, s, t: (b, 1, 1, t), lambda b, h, s, t: (b, 1, s, t),
          lambda b, h, s, t: (1, h, 1, t), lambda b, h, s, t: (1, h, s, t),
          lambda b, h, s, t: (1, 1, s, 1), lambda b, h, s, t: (b, h, 1, 1),
          lambda b, h, s, t: (b, h, s, t), lambda b, h, s, t: (1, 1, s, t))
ways = (("f32", "f32", False, 0.0), ("bf16", "f32", True, 0.25),
        ("f16", "f16", False, 0.25), ("f32", "bf16", True, 0.25),
        ("bf16", "bf16", False, 0.0))
SIZES = ((2, 5, 7, 4, 2, 8, 8), (2, 67, 70, 2, 1, 20, 24),
         (1, 32, 64, 2, 2, 16, 16), (1, 40, 35, 1, 1, 136, 16),
         (1, 20, 97, 2, 2, 80, 48), (1, 1, 3, 2, 1, 64, 64))
for i, sizes in enumerate(SIZES):
    b, s, t, h = sizes[:4]
    # A small one has half of the shapes, a large one one; or all, and half.
    for k, shape in enumerate(shapes):
        isChosen = k == (2 * i + 5) % len(shapes) if i else k % 2 == 0
        if not isChosen and not (ALL and i * (i + k) % 2 == 0):
            continue
        for way in range(2 if i == 0 and ALL else 1):
            element, ofBias, causal, p = ways[(i + k // 2 + 2 * way) % len(ways)]
            bias = Bias(shape(b, h, s, t), ofBias, wanted=True)
            check(f"{sizes} {element} causal={causal} p={p} {bias.type}",
                  both(sizes, element, causal, p, bias))
check("a gradient that nobody asks for",
      both(SIZES[1], "bf16", True, 0.0, Bias((2, 1, 67, 70))))

# -inf and the least number of a type, as elements and as floats.
FILLS = {"f32": ("0xFF800000", "0xFF7FFFFF", -3.4028234663852886e38),
         "bf16": ("0xFF80", "0xFF7F", -3.3895313892515355e38),
         "f16": ("0xFC00", "0xFBFF", -65504.0)}


def nest(elements, shape):
    if not shape:
        return next(elements)
    return f"[{', '.join(nest(elements, shape[1:]) for _ in range(shape[0]))}]"


def filled(sizes, shape, element, wanted):
    """A bias with rows of numbers, of the least one, of -inf, and of several of
    these, with the lse and max that rows have if the scores are zero."""
    b, s, t, h = sizes[:4]
    draw = random.Random(3)
    inf, least, ofLeast = FILLS[element]
    values, text = [], []
    for row in range(shape[0] * shape[1] * shape[2]):
        # Each in its turn, so that all are there.
        kinds = (("inf",), ("least",), ("number",), ("inf", "number"),
                 ("least", "number"), ("inf", "least"))[row % 6]
        for _ in range(shape[3]):
            kind = draw.choice(kinds)
            number = draw.randrange(-8, 9) / 4
            values.append({"inf": -math.inf, "least": ofLeast}.get(kind, number))
            text.append({"inf": inf, "least": least}.get(kind, repr(number)))

    def scores(i, k, head):
        for j in range(t):
            at = 0
            for size, place in zip(shape, (i, head, k, j)):
                at = at * size + (place if size > 1 else 0)
            yield values[at]

    rows = [list(scores(i, k, head)) for i in range(b) for k in range(s)
            for head in range(h)]
    highest = [max(row) for row in rows]
    lse = [-math.inf if most == -math.inf else
           math.log(sum(math.exp(x - most) for x in row))
           for row, most in zip(rows, highest)]
    highest = [0.0 if most == -math.inf else most for most in highest]

    def ofRows(numbers):
        return nest((f"0x{struct.unpack('<I', struct.pack('<f', x))[0]:08X}"
                     for x in numbers), (b, s, h))

    return Bias(shape, element, wanted, nest(iter(text), shape),
                (ofRows(lse), ofRows(highest)))


for i, sizes in enumerate(((2, 9, 37, 2, 1, 16, 16), (1, 40, 36, 2, 2, 40, 24))):
    b, s, t, h = sizes[:4]
    for k, shape in enumerate(((b, 1, s, t), (1, h, s, t), (b, h, s, t),
                               (1, 1, s, 1), (b, h, 1, t))):
        if not ALL and (i + k) % 2:
            continue
        element, ofBias, causal, p = ways[(k + 2 * i) % len(ways)]
        bias = filled(sizes, shape, ofBias, shape[2:] == (s, t))
        check(f"fills {sizes} {element} causal={causal} {bias.type}",
              both(sizes, element, causal, p, bias))

# Beside what attention reads: the bias of all pairs for each tile of queries, and
# backward for each of keys; max wherever lse is; for dbias all of what belongs to
# 128 queries and 64 keys.
b, s, h, d = 1, 256, 2, 64
times, pairs = s // 128, s // 64
rows, numbers = sectors(b, s, h, d, element="bf16"), 2 * s * h
forward, backward = (
    traffic(kernel((b, s, s, h, h, d, d), "bf16", False, 0.0, backward,
                   inOrder=True, narrow=True,
                   bias=Bias((1, h, s, s), wanted=True)))
    for backward in (False, True))
bias = sectors(h, s, s, element="f32")
bound = (rows + 2 * rows * times + bias) / (4 * rows + bias)
assert forward[0] <= bound + 0.01, f"forward reads {forward[0]}: {bound}"
bound = (rows + numbers) / (rows + 2 * sectors(b, s, h, element="f32"))
assert forward[1] <= bound + 0.01, f"forward writes {forward[1]}: {bound}"
ofQueries = 3 * rows + numbers
bound = (2 * rows + ofQueries * times + ofQueries + 2 * rows * times +
         ofQueries * pairs + 2 * rows * times + 3 * bias) / (
    6 * rows + 2 * sectors(b, s, h, element="f32") + bias)
assert backward[0] <= bound + 0.01, f"backward reads {backward[0]}: {bound}"
assert backward[1] == 1, f"backward writes {backward[1]}"

# So says pcc-kernels of what it counts itself.
large = (2, 384, 384, 4, 2, 64, 64)
for shape in ((2, 1, 1, 384), (1, 1, 384, 384)):
    result = run(["pcc-kernels", "-", "--traffic"], "".join(
        kernel(large, "bf16", True, 0.0, backward, inOrder=True, narrow=True,
               bias=Bias(shape, wanted=shape[2] > 1))
        for backward in (False, True)))
    assert not result.returncode, result.stdout + result.stderr

# Mistakes in the device's code, of a bias that two samples share, so that tiles
# of its gradient come one after another, and of one that all queries share.
# What is added to is the highest score, and rows and keys behind the last one are
# read as others. No thread reads what it has brought.
sizes = (2, 129, 129, 1, 1, 32, 72)
for shape, element in (((1, 1, 129, 129), "f32"), ((2, 1, 1, 129), "bf16")):
    bias = Bias(shape, wanted=shape[2] > 1)
    for backward in (False, True):
        source = kernel(sizes, element, True, 0.0, backward, inOrder=True,
                        bias=bias)
        code = lower(source)
        barriers = [m.start() for m in re.finditer("gpu.barrier", code)]
        bounds = [m.start() for m in
                  re.finditer(r"arith.minsi %\S+, %\S+ : index", code)]
        # Of the second exponent: forward, the first is that of a sum.
        second = list(re.finditer("math.exp2", code))[1].start()
        assert len(barriers) > 3 and bounds
        faults = [("no barrier", at, "gpu.barrier", "")
                  for at in barriers[::1 if ALL else 3]]
        faults += [("no bound", at, "minsi", "maxsi") for at in
                   bounds[::(1 + len(bounds) // 4) * (1 if ALL else 2)]]
        faults += [("a sum for a difference",
                    code.rindex("arith.subf", 0, second), "subf", "addf")]
        wrong = unseen(source, code, faults)
        assert not wrong, f"{element} backward={backward}: not seen: {wrong}"
