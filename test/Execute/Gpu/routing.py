# The choice of elements of rows, and its use, on a device: the results of a
# CPU, with several rows for a block, and several warps for a row. Scores have
# ties and NaNs. Faults in the device code are detected.
# RUN: %python %s

import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import check, lower, tensor, unseen


def router(rows, extent, count, element):
    """Chooses among multiples of an eighth, where zeros are NaNs, and picks
    others' elements."""
    X, I, V = (tensor(rows, extent, element=element),
               tensor(rows, count, element="i32"),
               tensor(rows, count, element=element))
    return f"""func.func private @router(%x: {X}, %y: {X}) -> ({I}, {V}) attributes {{rt.kernel}} {{
  %s = nn.scale %x by 8.0 : {X}
  %r = nn.round %s : {X}
  %n = nn.div %r, %r : {X}
  %z = nn.mul %r, %n : {X}
  %i = nn.top_k %z : {X} -> {I}
  %v = nn.pick %y, %i : {X}, {I} -> {V}
  return %i, %v : {I}, {V}
}}
"""


def spread(rows, extent, count, element):
    X, I, V = (tensor(rows, extent, element=element),
               tensor(rows, count, element="i32"),
               tensor(rows, count, element=element))
    return f"""func.func private @spread(%v: {V}, %i: {I}, %o: tensor<i64>) -> {X} attributes {{rt.kernel}} {{
  %s = nn.spread %v, %i offset %o : tensor<i64> : {V}, {I} -> {X}
  %e = nn.exp %s : {X}
  return %e : {X}
}}
"""


for rows, extent, count, element in (
        (600, 16, 2, "f32"), (300, 19, 3, "bf16"), (7, 128, 8, "f32"),
        (3, 3000, 4, "f16"), (2, 64, 40, "f32")):
    # A choice of many is computed by other ops.
    if count <= 32:
        check(f"router {rows} {extent} {count} {element}",
              router(rows, extent, count, element))
    check(f"spread {rows} {extent} {count} {element}",
          spread(rows, extent, count, element))

# Faults: the least for the greatest, of a thread's columns and of threads; a
# NaN that is no largest; the order of negative numbers.
source = router(7, 128, 4, "f32")
code = lower(source)
faults = [("arith.maxsi", m.start(), "arith.maxsi", "arith.minsi")
          for m in re.finditer(r"arith.maxsi\b", code)][::9]
faults.append(("arith.cmpi ugt", code.index("arith.cmpi ugt"),
               "arith.cmpi ugt", "arith.cmpi ult"))
wrong = unseen(source, code, faults)
assert len(faults) > 4 and not wrong, f"not seen: {wrong}"
# Rows of which most elements are chosen, negative ones, too.
source = router(40, 6, 5, "f32")
code = lower(source)
wrong = unseen(source, code, [("arith.shrsi", code.index("arith.shrsi"),
                               "arith.shrsi", "arith.shrui")])
assert not wrong, f"not seen: {wrong}"
