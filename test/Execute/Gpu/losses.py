# Losses and softmaxes of long rows, which devices read once, are those of a
# CPU: rows of whole vector accesses and of others, shorter than a thread's part
# and of several rounds, with padding columns; logits that grow along the row,
# that are far apart, and -inf. Faults in the device code are detected. With
# PCC_TEST_ALL more element types.
# RUN: %python %s

import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import check, constant, lower, tensor, unseen

ALL = bool(os.environ.get("PCC_TEST_ALL"))
INF = {"f32": "0xFF800000", "bf16": "0xFF80", "f16": "0xFC00"}
# The numbers that are added to logits between 0 and 1, or of both signs.
ADDED = {
    "drawn": lambda c, n: "0.0",
    "growing": lambda c, n: f"{c * 64 // n}.0",
    "far apart": lambda c, n: f"{c * 977 % 61 * 1000 - 30000}.0",
    # All threads but one have only -inf.
    "-inf": lambda c, n: "0.0" if c == n // 2 + 1 else "-inf",
    "-inf alone": lambda c, n: "-inf",
}


def loss(rows, columns, classes, element, added, grad=False):
    X, T = tensor(rows, columns, element=element), f"tensor<{rows}xi64>"
    R, C = tensor(rows, element="f32"), tensor(columns, element=element)
    body, logits = "", "%x"
    if added != "drawn":
        numbers = ", ".join(
            INF[element] if text == "-inf" else text
            for text in (ADDED[added](c, columns) for c in range(columns)))
        body = (constant("%row", f"[{numbers}]", C) +
                f"  %rows = nn.broadcast %row [1] : {C} -> {X}\n"
                f"  %far = nn.sum %x, %rows : {X}\n")
        logits = "%far"
    results, types = "%l, %lse", f"{R}, {R}"
    if added == "-inf alone":
        # The loss is NaN, which would not be compared.
        results, types = "%lse", R
    body += (f"  %l, %lse = nn.cross_entropy {logits}, %t classes {classes} : "
             f"{X}, {T} -> {R}\n")
    if grad:
        body += (f"  %dx = nn.cross_entropy_grad %d, {logits}, %t lse %lse "
                 f"classes {classes} : {R}, {X}, {T}\n")
        results, types = results + ", %dx", f"{types}, {X}"
    names = f"%x: {X}, %t: {T}" + (f", %d: {R}" if grad else "")
    return (f"func.func private @loss({names}) -> ({types}) "
            f"attributes {{rt.kernel}} {{\n{body}"
            f"  return {results} : {types}\n}}\n")


def softmax(rows, columns, element):
    X = tensor(rows, columns, element=element)
    return (f"func.func private @softmax(%x: {X}) -> "
            f"({X} {{rt.inplace = 0 : i64}}) attributes {{rt.kernel}} {{\n"
            f"  %y = nn.softmax %x : {X}\n  return %y : {X}\n}}\n")


# rows, columns, classes: rows per warp, with few columns and with an odd
# number; rows per block, whose last columns fill no access, no round, or are
# padding.
SIZES = ((300, 48, 45), (260, 333, 300), (3, 1000, 1000), (2, 8200, 8197),
         (2, 40000, 39990))
for i, (rows, columns, classes) in enumerate(SIZES):
    for j, added in enumerate(ADDED):
        # Without padding columns there is nothing to test: a padding column is
        # higher than a row of -inf.
        if added == "-inf alone" and classes == columns:
            continue
        elements = ("f32", "bf16", "f16")
        for element in (elements[(i + j) % 2::2] if ALL else
                        elements[(i + j) % 3:][:1]):
            check(f"{rows} {columns} {classes} {element} {added}",
                  loss(rows, columns, classes, element, added))
    check(f"{rows} {columns} {classes} with its gradient",
          loss(rows, columns, classes, "bf16", "growing", grad=True))
check("softmax", softmax(2, 20000, "f32"))

# Faults: powers of another base, which logits of similar size show; the minimum
# for the maximum, which only distant logits show, as any number may be
# subtracted; no barrier. Code before the first shuffle handles a thread's
# columns, first a round of four accesses of 8; code after it combines threads.
for added, isJoined, what, new in (
        ("drawn", False, "math.exp2", "math.exp"),
        ("drawn", True, "math.exp2", "math.exp"),
        ("far apart", False, "arith.maxnumf", "arith.minnumf"),
        ("-inf", True, "arith.maxnumf", "arith.minnumf"),
        ("far apart", True, "gpu.barrier", "")):
    source = loss(2, 40000, 39990, "bf16", added)
    code = lower(source)
    shuffle = code.index("gpu.shuffle")
    places = [m.start() for m in re.finditer(what + r"\b", code)
              if (m.start() > shuffle) == isJoined]
    if not isJoined:
        assert len(places) > 32, "the sweeps are not made in one"
        places = places[:32:5]
    wrong = unseen(source, code, [(what, at, what, new) for at in places])
    assert places and not wrong, f"not seen: {wrong}"
