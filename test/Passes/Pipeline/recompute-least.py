# RUN: %python %s %build/bin/pcc-opt
"""For random segments, the residuals have the fewest bytes from which the
backward pass can recompute what it reads, and it recomputes as few values as
possible. All choices for each segment are tried."""

import itertools
import math
import random
import re
import subprocess
import sys

COUNT = 150
DEAR = {"contract"}


class Segment:
    """Values by number, each (op, elements, operands); what the backward pass
    of this segment, and of another, reads. The first are the segment's inputs."""

    def __init__(self, draw):
        self.values = [("input", draw.choice([1, 4, 6]), ())
                       for _ in range(draw.randint(1, 2))]
        for _ in range(draw.randint(2, 9)):
            op = draw.choice(["tanh", "exp", "sum", "reduce", "broadcast",
                              "contract", "contract"])
            of = draw.randrange(len(self.values))
            size = self.values[of][1]
            like = [number for number, value in enumerate(self.values)
                    if value[1] == size]
            if op == "sum":
                self.values.append((op, size, (of, draw.choice(like))))
            elif op == "reduce":
                self.values.append((op, 1, (of,)))
            elif op == "broadcast" and size == 1:
                self.values.append((op, draw.choice([4, 6]), (of,)))
            elif op == "contract":
                self.values.append((op, draw.choice([1, 4, 6]), (of,)))
            else:
                self.values.append(("tanh" if op == "broadcast" else op, size,
                                    (of,)))
        numbers = range(len(self.values))
        self.read = sorted(draw.sample(numbers, draw.randint(
            1, min(4, len(numbers)))))
        self.elsewhere = sorted(draw.sample(numbers, draw.randint(0, 1)))

    def text(self):
        lines = ['nn.param @p : tensor<1xf32> init normal', "func.func @microbatch("
                 '%x: tensor<1xf32> {nn.name = "x", nn.role = #nn.role<data>}) {',
                 "  %p = nn.read @p : tensor<1xf32>",
                 "  %px = nn.mul %p, %x {nn.segment = 0} : tensor<1xf32>",
                 "  %s = nn.reshape %px {nn.segment = 0} : tensor<1xf32> -> tensor<f32>"]
        for rows, columns in itertools.product((1, 4, 6), repeat=2):
            shape = f"{rows}x{columns}"
            lines.append(f"  %w{shape} = nn.read @w{shape} : tensor<{shape}xf32>")
            lines.insert(0, f"nn.param @w{shape} : tensor<{shape}xf32> init normal")

        def of(number):
            return f"tensor<{self.values[number][1]}xf32>"
        for number, (op, size, operands) in enumerate(self.values):
            name, mine = f"  %v{number}", f"tensor<{size}xf32>"
            where = "{nn.segment = 1}"
            if op == "input":
                lines.append(f"{name} = nn.broadcast %s [] {{nn.segment = 0}} : "
                             f"tensor<f32> -> {mine}")
            elif op == "contract":
                shape = f"{self.values[operands[0]][1]}x{size}"
                lines.append(f'{name} = nn.contract "a,ab->b" %v{operands[0]}, '
                             f"%w{shape} {where} : {of(operands[0])}, "
                             f"tensor<{shape}xf32> -> {mine}")
            elif op == "reduce":
                lines += [f"  %r{number} = nn.reduce %v{operands[0]} [0] {where} : "
                          f"{of(operands[0])} -> tensor<f32>",
                          f"{name} = nn.reshape %r{number} {where} : tensor<f32> -> {mine}"]
            elif op == "broadcast":
                lines += [f"  %r{number} = nn.reshape %v{operands[0]} {where} : "
                          f"tensor<1xf32> -> tensor<f32>",
                          f"{name} = nn.broadcast %r{number} [] {where} : "
                          f"tensor<f32> -> {mine}"]
            else:
                lines.append(f"{name} = nn.{op} " + ", ".join(
                    f"%v{operand}" for operand in operands) + f" {where} : {mine}")
        for segment, numbers in (2, self.elsewhere), (1, self.read):
            for number in numbers:
                lines.append(f"  %b{segment}_{number} = nn.sub %v{number}, %v{number} "
                             f"{{nn.bwd, nn.segment = {segment}}} : {of(number)}")
        lines.append("  %last = nn.tanh %v0 {nn.segment = 3} : " + of(0))
        return "\n".join(lines + ["  return", "}"])

    def made(self, kept, full):
        """The recomputed values if these are kept; None if some read value
        cannot be recomputed."""
        again, todo = set(), [number for number in self.read if number not in kept]
        while todo:
            number = todo.pop()
            op, _, operands = self.values[number]
            if op == "input" or (op in DEAR and not full):
                return None
            again.add(number)
            todo += [operand for operand in operands
                     if operand not in kept | again]
        return again

    def cost(self, kept):
        return sum(4 * self.values[number][1] for number in kept
                   if number not in self.elsewhere)

    def least(self, full):
        """(bytes, recomputed values) of the best of all choices. Residuals of
        other segments are available."""
        best = None
        numbers = range(len(self.values))
        for count in range(len(numbers) + 1):
            for kept in itertools.combinations(numbers, count):
                kept = set(kept) | set(self.elsewhere)
                made = self.made(kept, full)
                if made is not None:
                    choice = self.cost(kept), len(made)
                    best = min(best or choice, choice)
        return best


def found(text):
    """(bytes, recomputed values) that pcc-opt chose for a segment."""
    handed, elsewhere, again, sizes = set(), set(), set(), {}
    names = {}
    for line in text.splitlines():
        match = re.match(r"\s*%(\w+) = nn\.(\w+) (.*?)(\{.*\})? : (.*)", line)
        if not match:
            continue
        name, op, operands, marks, types = match.groups()
        marks = marks or ""
        names[name] = (op, marks)
        dims = re.findall(r"tensor<((?:\d+x)*)f32>", types)[-1]
        sizes[name] = math.prod(map(int, dims.split("x")[:-1]))
        used = re.findall(r"%(\w+)", operands)
        if "nn.bwd" not in marks:
            continue
        if "nn.segment = 2" in marks:
            elsewhere.update(used)
            continue
        if "nn.recomputed" in marks:
            again.add(name)
        # Values that depend on no input belong to no segment: weights.
        handed.update(one for one in used if one in names and
                      names[one][0] != "read" and "nn.bwd" not in names[one][1])
    return sum(4 * sizes[name] for name in handed - elsewhere), len(again)


def check(full):
    draws = [Segment(random.Random(seed)) for seed in range(COUNT)]
    done = subprocess.run(
        [sys.argv[1], "-", "-split-input-file",
         f"-pipe-recompute=kind={'full' if full else 'selective'}"],
        input="\n// -----\n".join(draw.text() for draw in draws),
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    texts = done.stdout.split("func.func @microbatch")[1:]
    assert len(texts) == COUNT, len(texts)
    saved = 0
    for seed, (segment, text) in enumerate(zip(draws, texts)):
        wanted, (size, again) = segment.least(full), found(text)
        assert size == wanted[0], (seed, full, size, wanted, text)
        # A value computed from a full sum is two ops: reduce and broadcast.
        assert again >= wanted[1], (seed, full, again, wanted, text)
        doubled = sum(1 for op, *_ in segment.values
                      if op in ("reduce", "broadcast"))
        assert again <= wanted[1] + doubled, (seed, full, again, wanted, text)
        saved += size < segment.cost(set(segment.read))
    # The random segments are not trivial.
    assert saved > COUNT // 8, saved


check(False)
check(True)
