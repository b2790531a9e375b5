"""One-line mistakes that a pass of the back end could make.

Each class is a function from a program to the positions where its mistake can
be made: pairs of a description and a function that makes the mistake and
returns the text. Text that does not parse afterwards counts as rejected: the
verifier of an op must detect it.
"""

import itertools
import re

from program import another_name

COLLECTIVES = ("dist.all_reduce", "dist.all_gather", "dist.reduce_scatter",
               "dist.all_to_all", "rt.all_reduce", "rt.all_gather",
               "rt.reduce_scatter", "rt.all_to_all")
TRANSFERS = ("pipe.send", "pipe.recv", "pipe.exchange", "rt.send", "rt.recv",
             "rt.exchange")


def substituted(program, op, pattern, new, nth=0):
    """A function that replaces the nth match in an op's line."""
    line = program.lines[op.at]
    match = list(re.finditer(pattern, line))[nth]

    def edit():
        return program.with_lines(
            {op.at: [line[:match.start()] + new + line[match.end():]]})
    return edit


def without(program, op):
    """A function that drops an op and replaces its result by its first
    operand."""
    def edit():
        changes = {}
        if op.results:
            changes = program.renamed(program.scope_of[op.at], op.at,
                                      op.results[0], op.operands[0])
        return program.with_lines({**changes, op.at: []})
    return edit


def where(program, op):
    """Describes an op so that a reader finds it."""
    scope = program.lines[program.scope_of[op.at][0]]
    name = re.search(r"@[\w.]+|stage \d+", scope)
    text = program.lines[op.at].strip()
    return f"line {op.at + 1}, {name.group() if name else '?'}: {text[:80]}"


def collective_deleted(program):
    for op in program.named(*COLLECTIVES):
        yield where(program, op), without(program, op)


def collective_doubled(program):
    for op in program.named(*COLLECTIVES):
        def edit(op=op):
            line = program.lines[op.at]
            if not op.results:
                return program.with_lines({op.at: [line, line]})
            first, twice = op.results[0], another_name(op.results[0], "twice")
            again = (f"{op.indent}{twice} = {op.name}" +
                     op.rest.replace(op.operands[0], first, 1))
            changes = program.renamed(program.scope_of[op.at], op.at, first,
                                      twice)
            return program.with_lines({**changes, op.at: [line, again]})
        yield where(program, op), edit


def collective_over_other_axis(program):
    sizes = program.axis_sizes()
    for op in program.named(*COLLECTIVES):
        for axis in op.axes():
            for other in sizes:
                if other not in op.axes() and sizes[other] == sizes[axis]:
                    axes = ", ".join(f'"{other if a == axis else a}"'
                                     for a in op.axes())
                    yield (f"{axis} becomes {other} in {where(program, op)}",
                           substituted(program, op, r"over \[[^\]]*\]",
                                       f"over [{axes}]"))


def max_for_sum(program):
    for op in program.named("dist.all_reduce", "rt.all_reduce"):
        kind = op.rest.split()[0]
        if kind in ("sum", "max"):
            yield where(program, op), substituted(
                program, op, rf"all_reduce {kind}",
                "all_reduce " + {"sum": "max", "max": "sum"}[kind])


def neighbours(program, names):
    """Pairs of ops of these names that follow each other in a scope."""
    for scope in program.scopes:
        ops = [op for op in program.inside(scope) if op.name in names]
        yield from zip(ops, ops[1:])


def collectives_swapped(program):
    """Swaps collectives of one stage; in spmd, of all ranks."""
    for first, second in neighbours(program, COLLECTIVES):
        if program.can_rise(second, first.at):
            yield (f"the next before {where(program, first)}",
                   lambda a=first, b=second: program.moved(b, a.at))


def communicators_swapped(program):
    for first, second in neighbours(program, COLLECTIVES):
        if first.axes() != second.axes():
            def edit(first=first, second=second):
                lines = {}
                for op, other in ((first, second), (second, first)):
                    axes = ", ".join(f'"{axis}"' for axis in other.axes())
                    lines[op.at] = [re.sub(r"over \[[^\]]*\]",
                                           f"over [{axes}]",
                                           program.lines[op.at])]
                return program.with_lines(lines)
            yield f"with the next at {where(program, first)}", edit


def schedule_swapped(program):
    names = (*TRANSFERS, "pipe.run", "rt.call")
    for first, second in neighbours(program, names):
        if program.can_rise(second, first.at):
            yield (f"the next before {where(program, first)}",
                   lambda a=first, b=second: program.moved(b, a.at))


def numbers(program, names, pattern, others):
    """Replaces every number n that `pattern` finds in these ops by each of
    others(n)."""
    for op in program.named(*names):
        for nth, match in enumerate(re.finditer(pattern,
                                                program.lines[op.at])):
            for other in others(int(match.group(1))):
                text = match.group().replace(match.group(1), str(other))
                yield (f"'{text}' for '{match.group()}' in "
                       f"{where(program, op)}",
                       substituted(program, op, pattern, text, nth))


def peer_changed(program):
    yield from numbers(program, TRANSFERS, r"\b(?:to|from) (\d+)",
                       lambda n: [m for m in (n - 1, n + 1) if m >= 0])


def channel_changed(program):
    yield from numbers(program, TRANSFERS, r"\bchannel (\d+)",
                       lambda n: [m for m in (n - 1, n + 1) if m >= 0])


def slot_changed(program):
    yield from numbers(program, (*TRANSFERS, "pipe.run"), r"\bmicrobatch (?:%\w+ \+ )?(\d+)",
                       lambda n: [m for m in (n - 1, n + 1) if m >= 0])
    yield from numbers(program, ("rt.address", "rt.event_of"),
                       r"\bslot (?:%\w+ \+ )?(\d+)",
                       lambda n: [m for m in (n - 1, n + 1) if m >= 0])
    for op in program.named("rt.address", "rt.event_of"):
        bare = r" slot %\w+(?= :| among)"
        if match := re.search(bare, program.lines[op.at]):
            yield (f"a turn ahead in {where(program, op)}",
                   substituted(program, op, bare, match.group() + " + 1"))
    # The range of slots of a bucket.
    yield from numbers(program, ("rt.address",), r"\bamong (\d+)",
                       lambda n: [m for m in (n - 1, n + 1) if m >= 0])
    yield from numbers(program, ("rt.address",), r"\bamong \d+ to (\d+)",
                       lambda n: [n - 1, n + 1])


def stream_changed(program):
    for op in program.ops:
        if not op.name.startswith("rt.") or op.at not in program.scope_of:
            continue
        match = re.search(r" stream (\d+)", op.rest)
        if match:
            for other in (int(match.group(1)) - 1, int(match.group(1)) + 1):
                yield (f"stream {other} in {where(program, op)}",
                       substituted(program, op, r" stream \d+",
                                   f" stream {other}"))


def loop_bound_changed(program):
    yield from numbers(program, ("pipe.loop", "rt.for"), r"= (\d+) to",
                       lambda n: [m for m in (n - 1, n + 1) if m >= 0])
    yield from numbers(program, ("pipe.loop", "rt.for"), r" to (\d+) \{",
                       lambda n: [n - 1, n + 1])


def offset_moved(program):
    for op in program.ops:
        match = re.search(r" at (\d+(?:, \d+)*)", program.lines[op.at])
        if op.name in ("rt.buffer", "rt.temporary") and match:
            # One offset, or one for each slot.
            offsets = [int(offset) for offset in match[1].split(", ")]
            for i, by in itertools.product(range(len(offsets)), (-64, 64)):
                moved = [*offsets[:i], offsets[i] + by, *offsets[i + 1:]]
                if moved[i] >= 0:
                    yield (f"at {moved[i]}: {program.lines[op.at].strip()[:70]}",
                           substituted(program, op, r" at \d+(?:, \d+)*",
                                       f" at {', '.join(map(str, moved))}"))
        # The offsets of a bucket's members, in elements.
        rows = re.search(r" at \[([^]]*)\]", program.lines[op.at])
        if op.name == "nn.state" and rows:
            places = rows.group(1).split(", ")
            for i, place in enumerate(places):
                for by in (-64, 64):
                    moved = [*places[:i], str(int(place) + by), *places[i + 1:]]
                    if int(place) + by >= 0:
                        yield (f"member {i} at {moved[i]}: "
                               f"{program.lines[op.at].strip()[:70]}",
                               substituted(program, op, r" at \[[^]]*\]",
                                           f" at [{', '.join(moved)}]"))
        match = re.search(r" element (\d+)", program.lines[op.at])
        if op.name == "rt.buffer" and match:
            for by in (-64, 64):
                element = int(match.group(1)) + by
                if element >= 0:
                    yield (f"at element {element}: "
                           f"{program.lines[op.at].strip()[:70]}",
                           substituted(program, op, r" element \d+",
                                       f" element {element}"))
    yield from numbers(program, ("rt.view",), r"\boffset (\d+)",
                       lambda n: [n + 64] + [n - 64] * (n >= 64))


def layout_changed(program):
    """Shards buffers that the runtime reads and writes over another axis."""
    sizes = program.axis_sizes()
    for op in program.ops:
        layout = re.search(r" layout <\[.*?\], \[(.*?)\]>", op.rest)
        if op.name != "rt.buffer" or not layout:
            continue
        used = re.findall(r'"([^"]*)"', layout.group(1))
        for axis in used:
            for other in sizes:
                if other not in used and sizes[other] == sizes[axis]:
                    yield (f"{axis} becomes {other} in line {op.at + 1}: "
                           f"{op.rest.split()[0]}",
                           substituted(program, op, rf'"{axis}"',
                                       f'"{other}"'))


def member_twice(program):
    """Replaces a member of a bucket, or its memory, by that of the previous
    one."""
    members = r"members \[([^]]*)\]"
    last = {}  # by bucket: offset of the previous buffer
    for op in program.ops:
        line = program.lines[op.at]
        match = re.search(members, line) if op.name == "nn.state" else None
        names = match.group(1).split(", ") if match else []
        for i in range(1, len(names)):
            twice = ", ".join(names[:i] + names[i - 1:i] + names[i + 1:])
            yield (f"{names[i - 1]} for {names[i]} in line {op.at + 1}",
                   substituted(program, op, members, f"members [{twice}]"))
        match = re.search(r" in (@\S+) element (\d+)", line)
        if op.name != "rt.buffer" or not match:
            continue
        row, element = match.groups()
        if row in last:
            yield (f"at element {last[row]}: {line.strip()[:70]}",
                   substituted(program, op, r"element \d+",
                               f"element {last[row]}"))
        last[row] = element


def members_exchanged(program):
    """Exchanges the offsets, in one or two buckets, of two parameters,
    gradients or moments of one type."""
    place = r" in @\S+ element \d+ at \d+"
    last = {}  # by type and kind, of the stage
    for op in program.ops:
        if op.name == "rt.stage":
            last = {}
        match = re.search(r": (memref<\S+>) (\w+)" + place,
                          program.lines[op.at])
        if op.name != "rt.buffer" or not match:
            continue
        key = match.groups()
        if key in last:
            def edit(a=last[key].at, b=op.at):
                lines = [program.lines[at] for at in (a, b)]
                places = [re.search(place, line).group() for line in lines]
                return program.with_lines({
                    at: [line.replace(own, other)] for at, line, own, other in
                    zip((a, b), lines, places, reversed(places))})
            yield (f"{last[key].rest.split()[0]} and {op.rest.split()[0]} "
                   f"in line {op.at + 1}", edit)
        last[key] = op


def update_left_out(program):
    for op in program.named("nn.write", "nn.accumulate"):
        yield where(program, op), without(program, op)
    for scope in program.scopes:
        for result, _, name, _ in program.replaced(scope):
            give = program.inside(scope)[-1]
            yield (f"{name} stays in {where(program, give)}",
                   substituted(program, give, r"%[\w.$#-]+", name, result))
    for op in program.named("pipe.run", "rt.call"):
        if re.search(r"@(update|tied|reduce)", op.rest):
            yield where(program, op), without(program, op)
    for op in program.named("rt.launch"):
        if "adamw" in op.rest:
            yield where(program, op), without(program, op)


def gather_or_release_changed(program):
    """Parameters that are resident only while used are not gathered, not
    released, or released before their last use."""
    for op in program.named("pipe.run", "rt.call"):
        if re.search(r"@(gather|round)", op.rest):
            yield where(program, op), without(program, op)
    for op in program.named("pipe.release", "rt.release"):
        yield where(program, op), without(program, op)
        before = [other for other in
                  program.inside(program.scope_of[op.at])
                  if other.at < op.at and
                  other.name in ("pipe.run", "rt.call")]
        # In rt the address is computed in the line before.
        if before and op.name == "pipe.release":
            yield (f"earlier {where(program, op)}",
                   lambda op=op, at=before[-1].at: program.moved(op, at))
        elif before and program.lines[op.at - 1].split()[0] == op.operands[0]:
            def edit(op=op, at=before[-1].at):
                lines = list(program.lines)
                moved = lines[op.at - 1:op.at + 1]
                del lines[op.at - 1:op.at + 1]
                return "\n".join(lines[:at] + moved + lines[at:]) + "\n"
            yield f"earlier {where(program, op)}", edit


def first_writer_changed(program):
    """A sum accumulates into the old value instead of overwriting it, or the
    reverse."""
    for scope in program.scopes:
        kept = {name for _, _, name, _ in program.replaced(scope)}
        for op in program.inside(scope):
            if op.name == "nn.sum" and op.operands[0] in kept:
                yield (f"no {op.operands[0]} in {where(program, op)}",
                       substituted(program, op,
                                   re.escape(op.operands[0]) + ", ", ""))
    for op in program.named("rt.zero"):
        yield where(program, op), without(program, op)
    # The body for a first run has the name of the other body and ".first".
    first = {match.group(1) for line in program.lines for match in
             re.finditer(r"(?:pipe\.body|rt\.func) @(\S+?)\.first\b", line)}
    tasks = {op.rest.split()[0] for op in program.named("pipe.task")
             if " first @" in op.rest}
    for op in program.named("pipe.run"):
        if op.rest.endswith(" first"):
            yield (f"not first in {where(program, op)}",
                   substituted(program, op, r" first$", ""))
        elif op.rest.split()[0] in tasks:
            yield (f"first in {where(program, op)}",
                   substituted(program, op, r"$", " first"))
    for op in program.named("rt.call"):
        callee = re.search(r"@(\S+?)\(", op.rest).group(1)
        if callee.endswith(".first"):
            yield (f"not first in {where(program, op)}",
                   substituted(program, op, r"\.first\(", "("))
        elif callee in first:
            yield (f"first in {where(program, op)}",
                   substituted(program, op, r"\(", ".first("))
    for op in program.named("rt.reduce_scatter"):
        if " adds" in op.rest:
            yield (f"adds to nothing in {where(program, op)}",
                   substituted(program, op, r"(?<=\]) adds", ""))
        else:
            yield (f"adds in {where(program, op)}",
                   substituted(program, op, r"(?<=\])(?= [{s:])", " adds"))
    for op in program.named("rt.gemm"):
        has = re.search(r", beta = [^,>]*", op.rest)
        if has:
            yield (f"no beta in {where(program, op)}",
                   substituted(program, op, re.escape(has.group()), ""))
        else:
            yield (f"a beta in {where(program, op)}",
                   substituted(program, op, r">(?= [{:])",
                               ", beta = 1.000000e+00 : f32>"))


def swapped_in_lists(line, pattern, pairs):
    """Exchanges items of the comma-separated list that `pattern` finds in a
    line."""
    match = re.search(pattern, line)
    items = match.group(1).split(", ")
    for a, b in pairs:
        items[a], items[b] = items[b], items[a]
    return line[:match.start(1)] + ", ".join(items) + line[match.end(1):]


def states_swapped(program):
    """Swaps two states of equal type that a body replaces: as results of a
    task, as its arguments, and as destinations of the body's results."""
    for scope in program.scopes:
        replaced = program.replaced(scope)
        for first, second in zip(replaced, replaced[1:]):
            if first[3] != second[3]:
                continue
            for task in program.tasks_of(scope[0]):
                what = (f"{first[2]} and {second[2]} in "
                        f"{task.rest.split()[0]}")
                sources = r"calls [^(]*\(([^)]*)\)"
                targets = r"-> \(([^)]*)\)"

                def edit(lists, first=first, second=second, task=task):
                    line = program.lines[task.at]
                    for pattern, at in lists:
                        line = swapped_in_lists(line, pattern,
                                                [(first[at], second[at])])
                    return program.with_lines({task.at: [line]})
                yield (f"what goes into {what}",
                       lambda edit=edit: edit([(targets, 0)]))
                yield (f"what comes from {what}",
                       lambda edit=edit: edit([(sources, 1)]))

            def body(first=first, second=second, scope=scope):
                line = re.sub(
                    r"(?<= into )\d+", lambda match: str(
                        {first[1]: second[1], second[1]: first[1]}.get(
                            int(match.group()), int(match.group()))),
                    program.lines[scope[0]])
                changes = {scope[0]: [line]}
                for task in program.tasks_of(scope[0]):
                    changes[task.at] = [swapped_in_lists(
                        program.lines[task.at], r"-> \(([^)]*)\)",
                        [(first[0], second[0])])]
                return program.with_lines(changes)
            yield (f"places of {first[2]} and {second[2]} in line "
                   f"{scope[0] + 1}", body)


def wait_dropped(program):
    """Drops a wait, or a record, so that a wait refers to an earlier one."""
    for op in program.named("rt.wait", "rt.record"):
        yield where(program, op), without(program, op)


CLASSES = {
    "collective deleted": collective_deleted,
    "collective doubled": collective_doubled,
    "collective over another axis": collective_over_other_axis,
    "max for sum": max_for_sum,
    "collectives swapped": collectives_swapped,
    "communicators swapped": communicators_swapped,
    "schedule swapped": schedule_swapped,
    "peer changed": peer_changed,
    "channel changed": channel_changed,
    "slot changed": slot_changed,
    "stream changed": stream_changed,
    "offset moved by 64": offset_moved,
    "loop bound changed": loop_bound_changed,
    "layout changed": layout_changed,
    "bucket member twice": member_twice,
    "bucket members exchanged": members_exchanged,
    "update left out": update_left_out,
    "gather or release changed": gather_or_release_changed,
    "first writer changed": first_writer_changed,
    "states swapped": states_swapped,
    "wait or record dropped": wait_dropped,
}
