# Sums over rows on devices equal those of a CPU: of few columns and many, of
# fewer rows than threads, of several tensors at a time; faults in how the
# slices of a block are added are detected.
# RUN: %python %s

import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import check, lower, tensor, unseen


def kernel(name, rows, columns, element, count=1):
    """A kernel that sums over the rows of `count` tensors."""
    given, wide = (tensor(rows, columns, element=e) for e in (element, "f32"))
    sums = [tensor(columns, element="f32")] * count
    names = ", ".join(f"%x{i}: {given}" for i in range(count))
    body = ""
    for i in range(count):
        body += f"""  %c{i} = nn.cast %x{i} : {given} -> {wide}
  %y{i} = nn.reduce %c{i} [0] : {wide} -> {sums[i]}
"""
    results = ", ".join(f"%y{i}" for i in range(count))
    types = ", ".join(sums)
    return f"""func.func private @{name}({names}) -> ({types}) attributes {{rt.kernel}} {{
{body}  return {results} : {types}
}}
"""


sizes = [(rows, columns, element, count)
         for rows, element, count in ((1, "f32", 1), (2, "bf16", 4), (7, "f16", 2),
                                      (33, "f32", 4), (256, "bf16", 1),
                                      (1000, "f32", 2))
         for columns in (1, 5, 16, 24, 96, 128, 260, 768, 770)]
said = check("sums over rows", "".join(kernel(f"k{i}", *size)
                                       for i, size in enumerate(sizes)))
assert f"{len(sizes)} kernels, 0 wrong" in said, said

for size in ((1000, 768, "f32"), (33, 64, "bf16"), (256, 96, "f32", 4)):
    source = kernel("k", *size)
    code = lower(source)
    barriers = [m.start() for m in re.finditer("gpu.barrier", code)]
    assert len(barriers) == 2
    halves = code.index("arith.shrui")
    whose = code.index("arith.cmpi ult", halves)
    faults = [("no barrier", at, "gpu.barrier", "") for at in barriers]
    faults += [("halves that grow", halves, "shrui", "shli"),
               ("one slice too many", whose, "ult", "ule"),
               ("the other half", whose, "ult", "ugt")]
    wrong = unseen(source, code, faults)
    assert not wrong, f"{size}: not seen: {wrong}"
