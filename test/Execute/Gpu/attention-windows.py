# Attention with windows, chunks, documents, soft caps and sinks computes the same
# on devices as on a CPU; tiles outside of the mask are skipped; planted faults are
# detected. Also heads of 256 elements, and of 192 with values of 128.
# RUN: %python %s

import os
import re
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import Bias, check, kernel, lower, run, sectors, traffic, unseen

ALL = bool(os.environ.get("PCC_TEST_ALL"))
WINDOW, CHUNK, CAP = "window = 9 : i64", "chunk = 20 : i64", "softcap = 0.5 : f64"


def both(*arguments, **options):
    return (kernel(*arguments, False, **options) +
            kernel(*arguments, True, **options))


# batch, queries, keys, heads, key heads, width, width of values
SIZES = ((2, 67, 70, 4, 2, 20, 24), (1, 131, 131, 2, 1, 64, 64),
         (1, 33, 97, 2, 1, 128, 16))
ways = (("f32", 0.0, WINDOW, True), ("bf16", 0.25, CHUNK, True),
        ("f16", 0.0, f"{WINDOW}, {CAP}", False),
        ("f32", 0.25, f"{CHUNK}, {CAP}", True),
        ("bf16", 0.0, f"{WINDOW}, {CHUNK}, {CAP}", True))
for i, sizes in enumerate(SIZES):
    for k, (element, p, more, sinks) in enumerate(ways):
        if not ALL and (i + k) % 2:
            continue
        check(f"{sizes} {element} p={p} {more} sinks={sinks}",
              both(sizes, element, True, p, inOrder=k % 2 == 0, more=more,
                   sinks=sinks))
b, s, t, h = SIZES[0][:4]
for shape in (1, h, s, t), (b, 1, 1, t):
    check(f"a bias {shape}", both(SIZES[0], "f32", True, 0.0, more=f"{WINDOW}, {CAP}",
                                  sinks=True, bias=Bias(shape, wanted=True)))
for i, (element, p, more, bias) in enumerate((
        ("f32", 0.0, "", None), ("bf16", 0.25, WINDOW, None),
        ("f32", 0.25, f"{CHUNK}, {CAP}", Bias((b, h, s, t), wanted=True)),
        ("bf16", 0.0, "", Bias((1, 1, s, t), wanted=True)))):
    check(f"documents {element} p={p} {more}",
          both(SIZES[0], element, True, p, inOrder=i % 2 == 0, more=more, bias=bias,
               starts="random"))
    starts = [0] * 20 + [20] * 45 + [65] * 2
    check(f"three documents {element} p={p} {more}",
          both(SIZES[0], element, True, p, inOrder=True, more=more, bias=bias,
               starts=starts))
check("no mask", both(SIZES[0], "f32", False, 0.0, more=CAP, sinks=True))
for sizes, element in (((1, 70, 70, 2, 1, 192, 128), "f32"),
                       ((1, 70, 70, 2, 1, 192, 128), "bf16"),
                       ((1, 40, 40, 1, 1, 256, 256), "f32"),
                       ((1, 40, 40, 2, 1, 256, 128), "bf16")):
    check(f"{sizes} {element}",
          both(sizes, element, True, 0.0, more="window = 24 : i64"))
# A CPU has no tiles of such bf16 heads to compare with.
assert lower(kernel((1, 40, 40, 1, 1, 256, 256), "bf16", True, 0.0, True,
                    more="window = 24 : i64"))

# The pairs of tiles that blocks load, from the sectors that they read: 64 keys
# forward and for dq. Positions are constants here. q is half of its tensor.
LENGTH, D = 4096, 64
rows = sectors(1, LENGTH, 1, D, element="bf16")


def pairs(length, more, tile=64, starts=None):
    """Of `length` tokens, as if there were LENGTH of them in samples."""
    sizes = (LENGTH // length, length, length, 1, 1, D, D)
    reads, _ = traffic(kernel(sizes, "bf16", True, 0.0, False, inOrder=True,
                              more=more, starts=starts))
    return (reads * 4 * rows - rows) / (2 * rows) * length / tile * (LENGTH // length)


windows, ofCausal = pairs(LENGTH, "window = 128 : i64"), pairs(256, "")
print(f"pairs of tiles: window 128 {windows:.1f}, causal over 256 tokens "
      f"{ofCausal:.1f}")
# 128 queries see 4 tiles of 64 keys; the first 128 see 2.
least = LENGTH // 128 * 4 - 2
assert least * 0.99 <= windows <= 1.2 * least
assert windows <= 1.35 * ofCausal
# Documents of 100 tokens.
starts = [i // 100 * 100 for i in range(LENGTH)]
documents = pairs(LENGTH, "", starts=starts)
least = sum((min(first + 127, LENGTH - 1) // 64 - starts[first] // 64 + 1)
            for first in range(0, LENGTH, 128))
print(f"documents of 100 tokens: {documents:.1f} pairs, at least {least}")
assert least * 0.99 <= documents <= 1.2 * least
sizes = (1, LENGTH, LENGTH, 1, 1, D, D)
reads, _ = traffic(kernel(sizes, "bf16", True, 0.0, True, inOrder=True,
                          more="window = 128 : i64"))
# 64 keys are seen by queries of 3 tiles, except the last; 64 queries see keys
# of 3 tiles, except the first.
times = (LENGTH // 64 * 3 - 3) / (LENGTH // 64)
number = LENGTH  # each lse is in a sector of its own
of = 2 * rows + (3 * rows + number) * times + 3 * rows + number + 2 * rows * times
of /= 6 * rows + sectors(1, LENGTH, 1, element="f32")
print(f"backward reads {reads}, at least {of:.3f} times the operands")
assert reads <= 1.2 * of

# pcc-kernels --traffic, which counts kernels of more than 1 MiB itself, agrees,
# and detects a window that is computed as a causal mask.
for backward in (False, True):
    large = (2 if backward else 4, 1024, 1024, 8, 4, 64, 64)
    source = kernel(large, "bf16", True, 0.0, backward, inOrder=True, narrow=True,
                    more="window = 100 : i64")
    result = run(["pcc-kernels", "-", "--traffic"], source)
    assert not result.returncode, result.stdout + result.stderr
    code = lower(kernel(large, "bf16", True, 0.0, backward, inOrder=True,
                        narrow=True))
    result = run(["pcc-kernels", "-", "--traffic"], f"module {{\n{source}{code}\n}}")
    assert result.returncode and "moves more than" in result.stdout, result.stdout

# Faults in the device code.
for element, p in (("f32", 0.25), ("bf16", 0.0)):
    for backward in (False, True):
        def faulty(length, window):
            source = kernel((1, length, length, 1, 1, 64, 72), element, True, p,
                            backward, inOrder=True, sinks=True,
                            more=f"window = {window} : i64")
            return source, lower(source)

        # The last query is alone in its tile. It sees the last key, which is
        # alone in its tile, too, and the last one of the tile before.
        source, code = faulty(129, 2)
        seen = [m.start() for m in re.finditer("arith.cmpi sge", code)]
        assert len(seen) > 1
        wrong = unseen(source, code, [
            ("a tile too few", at, "sge", "sgt" if element == "f32" else "slt")
            for at in (seen if ALL or element == "f32" else seen[::2])])
        # With a window of 66, query 128, the first of its tile, sees key 63, the
        # last of its tile. In bf16 one key is less than the rounding error. The
        # window is subtracted from a query's position: to find the first and the
        # last tile, to skip a tile, to find out whether it has a mask, and in the
        # mask.
        own, less, more = (65, 64, 66) if element == "f32" else (99, 1, 190)
        source, code = faulty(193, own + 1)
        constant = f"arith.constant {own} : i32"
        places = [m.start() for m in re.finditer(constant, code)]
        wrong += unseen(source, code, [
            ("a wrong window", at, constant, f"arith.constant {n} : i32")
            for at, n in ((places[0], less), (places[1], less),
                          (places[3], less), (places[3], more))])
        # The document that begins at 127, the last key of its tile, has the
        # first queries of the next block.
        begins = [0] * 127 + [127] * 65 + [192]
        apart = kernel((1, 193, 193, 1, 1, 64, 72), element, True, p, backward,
                       inOrder=True, starts=begins)
        inCode = lower(apart)
        seen = [m.start() for m in re.finditer("arith.cmpi sge", inCode)]
        hidden = [m.start() for m in re.finditer("arith.cmpi slt, .* : i32",
                                                 inCode)]
        if element == "f32":
            wrong += unseen(apart, inCode, [
                ("a tile too few of a document", at, "sge", "sgt")
                for at in (seen if ALL else seen[-1:])])
            wrong += unseen(apart, inCode, [
                ("a document that begins late", hidden[-1], "slt", "sle")])
        ends = code.index("arith.maxui")
        wrong += unseen(source, code, [
            ("tiles end with the first", ends, "maxui", "minui")])
        if not backward:
            # The sink's exponential is 1, in one lane of a row.
            sink = re.search(r"arith.select %\w+, (%\w+), (%\w+) : f32", code)
            wrong += unseen(source, code, [
                ("a sink of every lane", sink.start(),
                 f"{sink.group(1)}, {sink.group(2)}",
                 f"{sink.group(1)}, {sink.group(1)}")])
        assert not wrong, f"{element} backward={backward}: not seen: {wrong}"
