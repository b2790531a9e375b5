# Attention by tiles on devices gives what it gives on a CPU, the same bits in
# two orders of blocks, and reads no more than it has to; mistakes in it are seen.
# Sizes are odd, of one key, of heads that share keys, of heads wider than a
# block's columns; 16-bit products are the tensor cores'.
# RUN: %python %s

import os
import re
import subprocess
import sys

FORWARD, BACKWARD = "attention", "attention_grad"


def tensor(*shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def kernel(sizes, element, causal, p, backward, inOrder=False, narrow=False):
    """A kernel on tensors. q is a part of another tensor, as of q, k and v.
    Positions are operands, which are drawn, or 0, 1, ... dq is narrow as
    programs for devices have it, or f32 as those for CPUs."""
    b, s, t, h, g, d, e = sizes
    Q, K, V, O = (tensor(*shape, element=element) for shape in
                  ((b, s, h, d), (b, t, g, d), (b, t, g, e), (b, s, h, e)))
    L = tensor(b, s, h, element="f32")
    DQ = tensor(b, s, h, d, element=element if narrow else "f32")
    QQ, I = tensor(b, s, 2, h, d, element=element), "tensor<i64>"
    at = f"tensor<{s}xi64>, tensor<{t}xi64>"
    names = f"%qq: {QQ}, %k: {K}, %v: {V}"
    if not inOrder:
        names += f", %at: tensor<{s}xi64>, %to: tensor<{t}xi64>"
    rest = "positions %at, %to"
    if p:
        names += f", %b: tensor<{b}xi64>, %seed: {I}, %step: {I}, %origin: {I}"
        rest += " samples %b seed %seed step %step head_origin %origin"
        at += f", tensor<{b}xi64>, {I}, {I}, {I}"
    rest += f" scale {4 / max(d, 8)} {{p = {p} : f64, id = 5 : i64}}"
    mask = "causal " if causal else ""
    part = f"  %q = nn.select %qq dim 2 index 1 : {QQ} -> {Q}\n"
    if inOrder:
        for name, n in (("%at", s), ("%to", t)):
            part += (f"  {name} = nn.constant dense<{list(range(n))}> : "
                     f"tensor<{n}xi64>\n")
    if not backward:
        return f"""func.func private @{FORWARD}({names}) -> ({O}, {L}) attributes {{rt.kernel}} {{
{part}  %o, %l = nn.attention {mask}%q, %k, %v {rest} : ({Q}, {K}, {V}, {at}) -> ({O}, {L})
  return %o, %l : {O}, {L}
}}
"""
    return f"""func.func private @{BACKWARD}({names}, %do: {O}, %o: {O}, %l: {L}) -> ({DQ}, {K}, {V}) attributes {{rt.kernel}} {{
{part}  %dq, %dk, %dv = nn.attention_grad {mask}%do, %q, %k, %v result %o lse %l {rest} : ({O}, {Q}, {K}, {V}, {O}, {L}, {at}) -> ({DQ}, {K}, {V})
  return %dq, %dk, %dv : {DQ}, {K}, {V}
}}
"""


def run(command, text):
    return subprocess.run(command, input=text, text=True, capture_output=True)


def check(what, text):
    """The lines of pcc-kernels about kernels that are right."""
    result = run(["pcc-kernels", "-"], text)
    if result.returncode:
        raise SystemExit(f"{what}\n{result.stdout}{result.stderr}")
    return result.stdout


# batch, queries, keys, heads, key heads, width, width of values
SIZES = ((2, 5, 7, 3, 3, 8, 8), (1, 67, 70, 4, 2, 20, 24),
         (1, 131, 66, 2, 1, 64, 64), (1, 20, 97, 2, 2, 80, 48),
         (1, 33, 17, 2, 1, 128, 16), (1, 40, 35, 1, 1, 200, 136),
         (1, 1, 1, 2, 1, 64, 64), (1, 1, 3, 1, 1, 1, 3))
ways = (("f32", False, 0.0), ("f32", True, 0.25), ("f16", True, 0.0),
        ("bf16", True, 0.25), ("bf16", False, 0.0))
for i, sizes in enumerate(SIZES):
    # A large one in two ways, a small one in all.
    for element, causal, p in ways if i % 2 == 0 else (ways[1], ways[3]):
        check(f"{sizes} {element} causal={causal} p={p}",
              kernel(sizes, element, causal, p, False) +
              kernel(sizes, element, causal, p, True))


for element in "bf16", "f16":
    check(f"dq of {element}", kernel(SIZES[1], element, True, 0.25, True,
                                     narrow=True))


def sectors(*shape, element):
    size = 1
    for n in shape:
        size *= n
    return size * {"bf16": 2, "f32": 4, "i64": 8}[element] / 32


# Forward reads q once, and k and v once for 128 queries of a head, causal only
# what these may see. Backward, blocks of 128 keys read what belongs to queries,
# blocks of 128 queries what belongs to keys. Positions are constants here.
b, s, h, d = 1, 512, 2, 64
times = s // 128
for element, causal in (("bf16", True), ("f32", False)):
    forward, backward = (
        list(map(float, re.search(r"reads (.*), writes (.*)\n", check(
            "traffic", kernel((b, s, s, h, h, d, d), element, causal, 0.0,
                              backward, inOrder=True))).groups()))
        for backward in (False, True))
    rows = sectors(b, s, h, d, element=element)
    numbers = sectors(b, s, h, element="f32")
    part = (times + 1) / (2 * times) if causal else 1
    # Half of q's tensor is another's. A number of lse has a sector of its own.
    bound = (rows + 2 * rows * times * part) / (4 * rows)
    assert forward[0] <= bound + 0.01, f"forward reads {forward[0]}: {bound}"
    bound = (rows + s * h) / (rows + numbers)
    assert forward[1] <= bound + 0.01, f"forward writes {forward[1]}: {bound}"
    keys = 2 * rows + (3 * rows + s * h) * times * part
    queries = 3 * rows + s * h + 2 * rows * times * part
    bound = (keys + queries) / (6 * rows + numbers)
    assert backward[0] <= bound + 0.01, f"backward reads {backward[0]}: {bound}"
    assert backward[1] == 1, f"backward writes {backward[1]}"

# So says pcc-kernels of what it counts itself, and sees what is read in vain.
large = (8, 512, 512, 8, 4, 64, 64)
for backward in (False, True):
    source = kernel(large, "bf16", True, 0.0, backward, inOrder=True, narrow=True)
    result = run(["pcc-kernels", "-", "--traffic"], source)
    assert not result.returncode, result.stdout + result.stderr
    lowered = run(["pcc-opt", "-", "--rt-lower-kernels-to-gpu"],
                  kernel(large, "bf16", False, 0.0, backward, inOrder=True,
                         narrow=True))
    code = re.search(r"^  gpu.module.*^  }$", lowered.stdout, re.M | re.S).group()
    result = run(["pcc-kernels", "-", "--traffic"], f"module {{\n{source}{code}\n}}")
    assert result.returncode and "moves more than" in result.stdout, result.stdout

# Mistakes in the device's code. The last query is alone in its tile, and sees
# the last key, which is alone in one, too. No thread reads what it has brought.
for element, causal, p in (("f32", True, 0.25), ("bf16", True, 0.0)):
    for backward in (False, True):
        source = kernel((1, 129, 129, 1, 1, 64, 72), element, causal, p,
                        backward, inOrder=True)
        lowered = run(["pcc-opt", "-", "--rt-lower-kernels-to-gpu"], source)
        assert not lowered.returncode, lowered.stderr
        code = re.search(r"^  gpu.module.*^  }$", lowered.stdout,
                         re.M | re.S).group()
        check("as it is", f"module {{\n{source}{code}\n}}")
        barriers = [m.start() for m in re.finditer("gpu.barrier", code)]
        seen = [m.start() for m in re.finditer("arith.cmpi sge", code)]
        assert seen and len(barriers) > 3
        faults = [("no barrier", at, "gpu.barrier", "") for at in barriers]
        # One key of 129 is less than what 16 bits may be wrong by.
        faults += [("a tile too few", at, "sge",
                    "sgt" if element == "f32" else "slt") for at in seen]
        # Of positions: those that masks compare.
        masks = [m for m in re.finditer(
            r"(%\w+) = arith.cmpi slt, (%\w+), (%\w+) : i32\n", code)
            if f"arith.select {m.group(1)}, " in code]
        assert masks
        faults.append(("a mask off by one", masks[0].start(), "slt", "sle"))
        wrong = []
        for what, at, old, new in faults:
            planted = code[:at] + code[at:].replace(old, new, 1)
            result = run(["pcc-kernels", "-"],
                         f"module {{\n{source}{planted}\n}}")
            if not result.returncode:
                wrong.append(f"{what} at {code[:at].count(chr(10))}")
        assert not wrong, f"{element} backward={backward}: not seen: {wrong}"
