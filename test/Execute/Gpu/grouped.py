# Grouped contractions by tiles compute the same on devices as on a CPU, with
# the same bits in two orders of blocks; planted faults are detected. Sizes fill
# no tile, groups are without rows, there are more groups than rows, and a
# single one. Products of bf16 and fp16 use tensor cores.
# RUN: %python %s

import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import check, lower, run, tensor, unseen

ALL = bool(os.environ.get("PCC_TEST_ALL"))
FORMS = {"rk,enk->rn": "nt", "rn,enk->rk": "nn", "rn,rk->enk": "tn"}


def grouped(form, rows, groups, n, k, element, result=None, adds=False):
    """A kernel on tensors; with `adds` it accumulates in place."""
    shapes = {"rn": (rows, n), "rk": (rows, k), "enk": (groups, n, k)}
    lhs, rhs = form.split("->")[0].split(",")
    A, B = tensor(*shapes[lhs], element=element), tensor(*shapes[rhs], element=element)
    C = tensor(*shapes[form.split("->")[1]], element=result or element)
    I = tensor(groups, element="i32")
    name = f"{FORMS[form]}_{rows}_{groups}_{n}_{k}_{element}"
    product = f"""  %c = nn.grouped_contract "{form}" %a, %b ends %ends {{rt.by_tiles}} : {A}, {B}, {I} -> {C}
"""
    if not adds:
        return f"""func.func private @{name}(%a: {A}, %b: {B}, %ends: {I}) -> {C} attributes {{rt.kernel}} {{
{product}  return %c : {C}
}}
"""
    # The gradient's bucket is flat.
    F = tensor(groups * n * k, element=result or element)
    return f"""func.func private @adds_{name}(%a: {A}, %b: {B}, %ends: {I}, %old: {F}) -> ({F} {{rt.inplace = 3 : i64}}) attributes {{rt.kernel}} {{
{product}  %f = nn.reshape %c : {C} -> {F}
  %s = nn.sum %old, %f : {F}
  return %s : {F}
}}
"""


if sys.argv[1:] == ["--print"]:
    # Sizes with each size of tile and of access; test/Cuda/kernels.test assembles
    # them.
    for rows, groups, n, k in ((700, 4, 700, 704), (701, 3, 701, 703),
                               (5000, 128, 64, 2048), (101, 3, 41, 37),
                               (8192, 64, 1023, 33), (8192, 7, 96, 4096)):
        for element, result in (("f32", "f32"), ("bf16", "bf16"), ("bf16", "f32"),
                                ("f64", "f64")):
            for form in FORMS:
                adds = form == "rn,rk->enk"
                print(grouped(form, rows, groups, n, k, element, result,
                              adds).replace(" @", f" @{result}_"))
    sys.exit()

# Rows, groups, n, k: odd; vectors of 4 and tiles that are not full; more groups
# than rows; one group; one row; several tiles per group.
SIZES = ((37, 3, 5, 7), (100, 4, 40, 36), (9, 13, 24, 16), (50, 1, 33, 64),
         (1, 2, 1, 1), (300, 3, 72, 48))
for rows, groups, n, k in SIZES if ALL else SIZES[:3] + SIZES[5:]:
    for element, result in (("f32", "f32"), ("bf16", "f32"), ("f16", "f16")):
        kernels = "".join(
            grouped(form, rows, groups, n, k, element, result) for form in FORMS)
        kernels += grouped("rn,rk->enk", rows, groups, n, k, element, result,
                           adds=True)
        check(f"{rows} {groups} {n} {k} {element}", kernels)
check("f64", "".join(grouped(form, 37, 3, 5, 8, "f64") for form in FORMS))

# Tiles of 128 and, with PCC_TEST_ALL, of 64 rows and columns, several steps; some groups fill no
# tile, others several.
LARGE = ((128, 1500, 3, 6), (64, 700, 4, 5))
for side, rows, groups, sums in LARGE if ALL else LARGE[:1]:
    wide, depth = rows - 52, 40
    for element, result in (("f32", "f32"), ("bf16", "bf16")):
        shapes = {"rk,enk->rn": (rows, groups, wide, depth),
                  "rn,enk->rk": (rows, groups, depth, wide),
                  "rn,rk->enk": (90, sums, 5 * side + 8, 5 * side - 40)}
        for form, sizes in shapes.items():
            source = grouped(form, *sizes, element, result)
            tiles = re.search(r"rt.shared = (\d+)", lower(source)).group(1)
            step, gap = (32, 8) if element == "bf16" else (16, 4)
            # A factor's two tiles have rows of steps, or in 16 bits as in memory.
            outer = {True: step * (side + gap), False: side * (step + gap)}
            isByStep = element == "f32", element == "f32" or form != "rk,enk->rn"
            isByStep = isByStep[0] or form == "rn,rk->enk", isByStep[1]
            due = 2 * sum(outer[each] for each in isByStep) * (64 // step)
            assert int(tiles) == due, (form, element, tiles, due)
            check(f"{side} {form} {element}", source)


def rowBound(code):
    """The first comparison after the products."""
    return code.index("arith.cmpi slt", code.rindex("arith.mulf" if "arith.mulf"
                                                    in code else "nvvm.mma"))


# Faults in the device code.
for element in ("f32", "bf16"):
    for form in FORMS:
        adds = form == "rn,rk->enk"
        source = grouped(form, 200, 3, 70, 68, element, "f32", adds)
        code = lower(source)
        faults = [("no barrier", m.start(), "gpu.barrier", "")
                  for m in re.finditer("gpu.barrier", code)]
        assert len(faults) == 1
        # A single tile in shared memory, which other warps still read: the number
        # of a step by 4 instead of its remainder by 2.
        loop = code.rindex("scf.for", 0, faults[0][1])
        faults.append(("one tile", code.index("arith.remui", loop), "arith.remui",
                       "arith.shrui"))
        # Bounds of steps, rows and columns of factors and results; the search
        # of a tile. One step too many of one factor meets zeros of the other.
        bounds = [m.start() for m in re.finditer("arith.cmpi slt", code)]
        assert len(bounds) > 8
        faults += [("a bound", at, "slt", "sge")
                   for at in (bounds if ALL else bounds[::5] + bounds[-1:])]
        if adds:
            old = code.index("arith.addf", rowBound(code))
            faults.append(("no old value", old, "arith.addf", "arith.mulf"))
        else:
            faults += [("a row too many", rowBound(code), "slt", "sle"),
                       ("another tile", code.index("arith.cmpi ult"), "ult", "ugt")]
        wrong = unseen(source, code, faults)
        assert not wrong, f"{element} {form}: not seen: {wrong}"
