# Attention by tiles with a bias computes the same on devices as on a CPU:
# biases of all shapes that broadcast, -inf, the least float, rows of nothing
# else, and the bias' gradient. It reads the expected bytes, and planted faults
# are detected. With PCC_TEST_ALL a size has more of the shapes, and faults more
# positions.
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
    """The forward and the backward kernel."""
    return (kernel(sizes, element, causal, p, False, bias=bias) +
            kernel(sizes, element, causal, p, True, bias=bias))


ALL = bool(os.environ.get("PCC_TEST_ALL"))
# Padding of keys and of pairs, slopes by the key (ALiBi), relative positions, a
# number per query, per sample and head, per score, and per pair. The gradient is
# computed for whole rows of scores. Some sizes fill tiles and allow reading pairs
# of keys at once, others do not.
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
    # The small size has half of the shapes, each large size one; with
    # PCC_TEST_ALL all, and half.
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

# -inf and the least number of a type as elements, and the latter as a float.
FILLS = {"f32": ("0xFF800000", "0xFF7FFFFF", -3.4028234663852886e38),
         "bf16": ("0xFF80", "0xFF7F", -3.3895313892515355e38),
         "f16": ("0xFC00", "0xFBFF", -65504.0)}


def nest(elements, shape):
    if not shape:
        return next(elements)
    return f"[{', '.join(nest(elements, shape[1:]) for _ in range(shape[0]))}]"


def filled(sizes, shape, element, wanted):
    """A bias with rows of numbers, of the least number, of -inf, and of several
    of them, with the lse and max of the rows if the scores are zero."""
    b, s, t, h = sizes[:4]
    draw = random.Random(3)
    inf, least, ofLeast = FILLS[element]
    values, text = [], []
    for row in range(shape[0] * shape[1] * shape[2]):
        # One after the other, so that all kinds occur.
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

# Reads in addition to those without a bias: the bias of all pairs for each tile
# of queries, in the backward pass also for each tile of keys; max with each
# lse; for dbias all operands of 128 queries and 64 keys.
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

# pcc-kernels --traffic, which counts the bytes itself, agrees.
large = (2, 384, 384, 4, 2, 64, 64)
for shape in ((2, 1, 1, 384), (1, 1, 384, 384)):
    result = run(["pcc-kernels", "-", "--traffic"], "".join(
        kernel(large, "bf16", True, 0.0, backward, inOrder=True, narrow=True,
               bias=Bias(shape, wanted=shape[2] > 1))
        for backward in (False, True)))
    assert not result.returncode, result.stdout + result.stderr

# Faults in the device code, with a bias that two samples share, so that tiles
# of its gradient are added one after the other, and with one that all queries
# share. One fault adds the highest score instead of subtracting it, others read
# rows and keys beyond the last. Threads read shared memory that others have
# written.
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
        # The second exp2: in the forward pass the first rescales a sum.
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
