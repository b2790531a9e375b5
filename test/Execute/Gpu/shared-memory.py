# Kernels for a GPU with 99 KiB of shared memory compute the same as on a CPU,
# and need no more shared memory: the emulator refuses a block that does.
# RUN: %python %s

import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import check, kernel, lower, run

SMALL = 99 << 10


def require(what, source):
    """Requires that the kernel is right and that a block fits the shared
    memory; the kernel for sm_90 needs more."""
    report = check(what, source, "--gpu-arch", "sm_120")
    most = int(re.search(r", shared (\d+),", report).group(1))
    assert most <= SMALL, f"{what}: {most} bytes"
    code = lower(source)
    assert int(re.search(r"rt.shared = (\d+)", code).group(1)) > most, what
    return code


# batch, queries, keys, heads, key heads, width, width of values; with narrow
# heads several blocks share a multiprocessor's memory.
for sizes, element, backward in (
        ((1, 130, 130, 1, 1, 128, 128), "f32", False),
        ((1, 130, 130, 1, 1, 128, 128), "f32", True),
        ((1, 130, 130, 2, 1, 64, 64), "bf16", True)):
    require(f"{sizes} {element} {backward}",
            kernel(sizes, element, True, 0.0, backward, inOrder=True,
                   narrow=element != "f32"))

# A loss of many classes, whose row a block of sm_90 keeps in shared memory, and
# expensive values, of which a work item keeps some.
CLASSES, COLUMNS = 30000, 16384
L, N = f"tensor<2x{CLASSES}xf32>", f"tensor<2x{COLUMNS}xf32>"
loss = f"""func.func private @loss(%x: {L}) -> {L} attributes {{rt.kernel}} {{
  %y = nn.softmax %x : {L}
  return %y : {L}
}}
"""
costly = f"""func.func private @costly(%x: {N}, %z: {N}) -> {N} attributes {{rt.kernel}} {{
  %g = nn.gelu %x : {N}
  %h = nn.tanh %z : {N}
  %y = nn.softmax %g : {N}
  %w = nn.softmax %h : {N}
  %s = nn.sum %y, %w : {N}
  return %s : {N}
}}
"""
require("costly", costly)
code = require("loss", loss)

# More sums over rows than shared memory has room for: a block has fewer slices.
X, S, NUMBERS = "tensor<64x256xf32>", "tensor<256xf32>", range(26)
operands = ", ".join(f"%x{i}: {X}" for i in NUMBERS)
types = ", ".join(S for _ in NUMBERS)
lines = [f"func.func private @sums({operands}) -> ({types}) attributes {{rt.kernel}} {{",
         *(f"  %s{i} = nn.reduce %x{i} [0] : {X} -> {S}" for i in NUMBERS),
         f"  return {', '.join(f'%s{i}' for i in NUMBERS)} : {types}", "}\n"]
require("sums", "\n".join(lines))

result = run(["pcc-kernels", "-", "--gpu-arch", "sm_89"],
             f"module {{\n{loss}{code}\n}}")
assert result.returncode, "a block has more shared memory than there is"
assert re.search(r"emulator: kernel 'loss', block 0: needs 1\d+ bytes of shared "
                 f"memory, a block has at most {SMALL}", result.stderr), result
