"""Edits that do not change a program's results: no check may reject them.

As in faults.py, a class is a function from a program to the positions of its
edit, and the functions that apply it.
"""

import math
import re

from faults import neighbours, where
from program import another_name

ALIGNMENT = 64
BYTES = {"f64": 8, "i64": 8, "f32": 4, "i32": 4, "f16": 2, "bf16": 2, "i8": 1,
         "i1": 1}


def value_renamed(program):
    for scope in program.scopes:
        for _, _, name, _ in program.replaced(scope):
            yield (f"{name} of line {scope[0] + 1}",
                   lambda scope=scope, name=name: program.with_lines(
                       program.renamed(scope, scope[0] - 1, name,
                                       another_name(name, "new"))))
        for op in program.inside(scope):
            for value in op.results:
                def edit(scope=scope, op=op, value=value):
                    changes = program.renamed(scope, op.at - 1, value,
                                              another_name(value, "new"))
                    return program.with_lines(changes)
                yield f"{value} of {where(program, op)}", edit


def symbol_renamed(program):
    """Renames kernels, bodies, values and buffers that only the module uses."""
    for line in program.lines:
        match = re.match(r'\s*(?:rt\.buffer|rt\.kernel|pipe\.value|pipe\.body|'
                         r'func\.func private) (@[\w.]+)', line)
        if match and "kind" not in line:
            name = match.group(1)

            def edit(name=name):
                pattern = re.compile(re.escape(name) + r"(?![\w.])")
                return "\n".join(pattern.sub(name + "_renamed", other)
                                 for other in program.lines) + "\n"
            # Names of states and inputs have a meaning, so they stay.
            if re.search(r"(frame|value) at|pipe\.value|pipe\.body|kernel", line):
                yield name, edit


def is_pure(op):
    return op.name.startswith("nn.") and op.name not in (
        "nn.read", "nn.write", "nn.accumulate")


def independent_swapped(program):
    for scope in program.scopes:
        ops = program.inside(scope)
        for first, second in zip(ops, ops[1:]):
            if is_pure(first) and is_pure(second) and \
                    program.can_rise(second, first.at):
                yield (f"the next before {where(program, first)}",
                       lambda a=first, b=second: program.moved(b, a.at))
    for first, second in neighbours(program, ("rt.address", "rt.temporary")):
        if second.at == first.at + 1:
            yield (f"the next before {where(program, first)}",
                   lambda a=first, b=second: program.moved(b, a.at))


def declarations_swapped(program):
    for name in ("pipe.value", "rt.buffer"):
        ops = [op for op in program.ops if op.name == name]
        for first, second in zip(ops, ops[1:]):
            if second.at == first.at + 1:
                yield (program.lines[first.at].strip()[:70],
                       lambda a=first, b=second: program.moved(b, a.at))


def wait_added(program):
    """A wait that is repeated after another op."""
    for op in program.named("rt.wait"):
        after = next((other for other in
                      program.inside(program.scope_of[op.at])
                      if other.at > op.at), None)
        # Not after the last op of a loop.
        if after and after.at == op.at + 1 and \
                not program.lines[after.at].rstrip().endswith("{"):
            yield where(program, op), lambda op=op, after=after: \
                program.with_lines({after.at: [program.lines[after.at],
                                               program.lines[op.at]]})


def stages(program):
    """(line of the rt.stage, bytes of its arena, lines of its buffers)"""
    found = []
    for op in program.ops:
        if op.name == "rt.stage":
            arena = int(re.search(r"arena (\d+)", op.rest).group(1))
            found.append((op.at, arena, []))
        elif op.name == "rt.buffer" and found:
            found[-1][2].append(op.at)
    return found


def with_arena(line, size):
    return re.sub(r"arena \d+", f"arena {size}", line)


def arena_larger(program):
    for at, arena, _ in stages(program):
        for more in range(1, 9):
            yield (f"{more} KiB more in line {at + 1}",
                   lambda at=at, size=arena + 1024 * more: program.with_lines(
                       {at: [with_arena(program.lines[at], size)]}))


def buffer_elsewhere(program):
    """Moves a buffer to the arena's end, which nothing else uses."""
    for at, arena, buffers in stages(program):
        end = -(-arena // ALIGNMENT) * ALIGNMENT
        for buffer in buffers:
            line = program.lines[buffer]
            # Gradients that are reduced by one collective are adjacent.
            if not re.search(r"> (frame|value) at", line):
                continue
            match = re.search(r": memref<((?:\d+x)*)(\w+)>", line)
            slots = re.search(r"slots (\d+)", line)
            size = BYTES[match.group(2)] * math.prod(
                map(int, match.group(1).split("x")[:-1]))
            size = -(-size // ALIGNMENT) * ALIGNMENT * \
                (int(slots.group(1)) if slots else 1)

            def edit(at=at, buffer=buffer, line=line, size=size, end=end):
                return program.with_lines({
                    at: [with_arena(program.lines[at], end + size)],
                    buffer: [re.sub(r" at \d+(, \d+)*", f" at {end}", line)]})
            yield line.strip()[:70], edit


def row_elsewhere(program):
    """Moves one slot of a bucket, with its members, to the arena's end. Slots
    at one offset may be the same slot, so they move together."""
    offsets_of = re.compile(r" at (\d+(?:, \d+)+)(?= slots)")
    for at, arena, buffers in stages(program):
        end = -(-arena // ALIGNMENT) * ALIGNMENT
        rows = {}
        for buffer in buffers:
            line = program.lines[buffer]
            offsets = offsets_of.search(line)
            name = re.search(r"rt\.buffer (@\S+)", line)[1]
            row = re.search(r"> \w+ in (@\S+)", line)
            if offsets and (row or "> bucket" in line):
                rows.setdefault(row[1] if row else name, []).append(
                    (buffer, [int(one) for one in offsets[1].split(", ")]))
        for name, members in rows.items():
            first, offsets = next(
                member for member in members
                if f"rt.buffer {name} " in program.lines[member[0]])
            shape = re.search(r": memref<1x(\d+)x(\w+)>",
                              program.lines[first])
            size = -(-int(shape[1]) * BYTES[shape[2]] // ALIGNMENT) * ALIGNMENT
            for moved in sorted(set(offsets)):
                def edit(at=at, members=members, offsets=offsets, moved=moved,
                         size=size, end=end):
                    lines = {at: [with_arena(program.lines[at], end + size)]}
                    for buffer, own in members:
                        new = [end + one - row if row == moved else one
                               for one, row in zip(own, offsets)]
                        lines[buffer] = [offsets_of.sub(
                            f" at {', '.join(map(str, new))}",
                            program.lines[buffer])]
                    return program.with_lines(lines)
                yield f"slots of {name} at {moved}", edit


CLASSES = {
    "value renamed": value_renamed,
    "symbol renamed": symbol_renamed,
    "independent ops swapped": independent_swapped,
    "declarations swapped": declarations_swapped,
    "wait added": wait_added,
    "arena larger": arena_larger,
    "buffer elsewhere": buffer_elsewhere,
    "row elsewhere": row_elsewhere,
}
