# Attention kernels on tensors, and the counts of pcc-kernels.

import re
import subprocess

FORWARD, BACKWARD = "attention", "attention_grad"


def tensor(*shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


class Bias:
    """A bias of scores: a tensor of a shape, with random or given elements;
    whether its cotangent is computed, from whole rows of scores; the
    elements of lse and max that follow from it, which are random otherwise."""

    def __init__(self, shape, element="f32", wanted=False, elements=None,
                 rows=None):
        self.shape, self.element, self.wanted = shape, element, wanted
        self.type = tensor(*shape, element=element)
        self.elements, self.rows = elements, rows


def constant(name, elements, type):
    return f"  {name} = nn.constant dense<{elements}> : {type}\n"


def kernel(sizes, element, causal, p, backward, inOrder=False, narrow=False,
           bias=None, more="", sinks=False, positions=None, starts=None):
    """A kernel on tensors, with `more` attributes. q is a slice of another tensor,
    as of a fused projection. Positions are random operands, or 0, 1, ... or those
    given. starts: those of documents, the same of each sample, or an operand if it
    is "random". dq is low
    precision as in programs for devices, or f32 as in programs for CPUs."""
    inOrder = inOrder or bool(positions)
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
    if bias:
        at += f", {bias.type}"
        rest += " bias %bias"
        if not bias.elements:
            names += f", %bias: {bias.type}"
    if p:
        names += f", %b: tensor<{b}xi64>, %seed: {I}, %step: {I}, %origin: {I}"
        rest += " samples %b seed %seed step %step head_origin %origin"
        at += f", tensor<{b}xi64>, {I}, {I}, {I}"
    sunk, ofSinks = "", ""
    if sinks and not backward:
        sunk, ofSinks = " sinks %sinks", f", {tensor(h, element='f32')}"
        names += f", %sinks: {ofSinks[2:]}"
        # Sinks are before the operands of dropout.
        rest = rest.replace(" samples", f"{sunk} samples") if p else rest + sunk
        at = (at.replace(f", tensor<{b}xi64>, {I}", f"{ofSinks}, tensor<{b}xi64>, {I}")
              if p else at + ofSinks)
    if starts:
        rest += " starts %starts"
        at += f", tensor<{b}x{s}xi64>"
        if starts == "random":
            names += f", %starts: tensor<{b}x{s}xi64>"
    more = f", {more}" if more else ""
    rest += f" scale {4 / max(d, 8)} {{p = {p} : f64, id = 5 : i64{more}}}"
    mask = "causal " if causal else ""
    part = f"  %q = nn.select %qq dim 2 index 1 : {QQ} -> {Q}\n"
    if inOrder:
        for name, n, given in zip(("%at", "%to"), (s, t),
                                  positions or (None, None)):
            part += constant(name, given or list(range(n)), f"tensor<{n}xi64>")
    if starts and starts != "random":
        part += constant("%starts", [list(starts)] * b, f"tensor<{b}x{s}xi64>")
    if bias and bias.elements:
        part += constant("%bias", bias.elements, bias.type)
    # With a bias there is the highest score in addition to lse.
    rows, most, given = ("%l, %m", "max %m ", f"{L}, {L}") if bias else (
        "%l", "", L)
    if not backward:
        return f"""func.func private @{FORWARD}({names}) -> ({O}, {given}) attributes {{rt.kernel}} {{
{part}  %o, {rows} = nn.attention {mask}%q, %k, %v {rest} : ({Q}, {K}, {V}, {at}) -> ({O}, {given})
  return %o, {rows} : {O}, {given}
}}
"""
    names += f", %do: {O}, %o: {O}"
    if bias and bias.rows:
        part += constant("%l", bias.rows[0], L) + constant("%m", bias.rows[1], L)
    else:
        names += f", %l: {L}" + (f", %m: {L}" if bias else "")
    made, types = "%dq, %dk, %dv", f"{DQ}, {K}, {V}"
    if bias and bias.wanted:
        whole = tensor(*bias.shape[:2], s, t, element=bias.element)
        made, types = made + ", %db", f"{types}, {whole}"
    return f"""func.func private @{BACKWARD}({names}) -> ({types}) attributes {{rt.kernel}} {{
{part}  {made} = nn.attention_grad {mask}%do, %q, %k, %v result %o lse %l {most}{rest} : ({O}, {Q}, {K}, {V}, {O}, {given}, {at}) -> ({types})
  return {made} : {types}
}}
"""


def run(command, text):
    return subprocess.run(command, input=text, text=True, capture_output=True)


def check(what, text, *flags):
    """The output of pcc-kernels for kernels that must be right."""
    result = run(["pcc-kernels", "-", *flags], text)
    if result.returncode:
        raise SystemExit(f"{what}\n{result.stdout}{result.stderr}")
    return result.stdout


def sectors(*shape, element):
    size = 1
    for n in shape:
        size *= n
    return size * {"bf16": 2, "f32": 4, "i64": 8}[element] / 32


def traffic(source):
    """The bytes that a kernel reads and writes, as multiples of the minimum."""
    return list(map(float, re.search(r"reads (.*), writes (.*)\n",
                                     check("traffic", source)).groups()))


def lower(source):
    """The device code of a kernel."""
    lowered = run(["pcc-opt", "-", "--rt-lower-kernels-to-gpu"], source)
    if lowered.returncode:
        raise SystemExit(lowered.stderr)
    code = re.search(r"^  gpu.module.*^  }$", lowered.stdout,
                     re.M | re.S).group()
    # Names of affine maps are declared outside of the gpu.module.
    for name, text in re.findall(r"^(#\w+) = (.*)$", lowered.stdout, re.M):
        code = re.sub(rf"{name}\b", text, code)
    return code


def unseen(source, code, faults):
    """Faults, (what, place, old, new), that pcc-kernels does not detect."""
    check("as it is", f"module {{\n{source}{code}\n}}")
    wrong = []
    for what, at, old, new in faults:
        planted = code[:at] + code[at:].replace(old, new, 1)
        result = run(["pcc-kernels", "-"], f"module {{\n{source}{planted}\n}}")
        if not result.returncode:
            wrong.append(f"{what} at {code[:at].count(chr(10))}")
    return wrong
