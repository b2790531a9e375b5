"""The peak number of live bytes of an rt program, computed from its text.

The live range of a value is from its write to its last read before it is
overwritten as a whole. Parameters and state are always live. Inputs are live
from the start of an entry point, before which the runtime fills them, or from
the op that fills them; outputs until the end. Gradients and gathered parameters
have live ranges like values. A bucket is live as a whole, in its slot, while
any of its members is.

A buffer that another stream uses is live until stream 0 has waited for it. Each
instance of a buffer, and the scratch buffer of each call, is counted
separately. No compiler can use less memory, unless it computes in another
order.
"""

import math
import re

from messages import size_of

ENTRIES = ("train", "evaluate", "forward")
KEPT = ("bucket", "part", "param", "copy", "number", "state", "gradient", "sum")


def elements_of(type_):
    dims = re.match(r"memref<((?:\d+x)*)\w+", type_).group(1)
    return math.prod(map(int, dims.split("x")[:-1]))


class Stage:
    def __init__(self, arena, offloaded):
        self.arena = arena - offloaded  # the bytes in memory
        self.offloaded = offloaded
        self.buffers = {}  # symbol -> (kind, bytes of a slot, slots)
        self.rows = {}  # symbol -> its bucket
        self.cut = set()  # buckets of which a rank keeps a shard
        self.of = {}  # working copy -> its parameter
        self.same = {}  # symbol -> by slot, the first at its offset
        self.events = {}  # symbol -> slots
        self.functions = {}  # symbol -> (names of arguments, lines)
        self.refilled = set()  # inputs that entry points fill themselves

    def row_of(self, symbol):
        """The buffer, or its bucket, that is counted."""
        return self.rows.get(symbol, symbol)

    def renewed(self):
        """Buffers that are dead at the start of an entry point, and buckets of
        them: gradients, and gathered parameters of which a rank holds a
        shard."""
        return {self.row_of(symbol)
                for symbol, (kind, _, _) in self.buffers.items()
                if kind == "gradient" or kind == "copy" and
                self.rows.get(self.of.get(symbol)) in self.cut}


def parse(text):
    """The stages of a module. A function is a list of lines: a string, or
    (variable, begin, end, lines) for a loop."""
    stages, blocks = [], []
    for line in text.splitlines():
        line = line.strip()
        if match := re.match(r"rt\.stage \d+ arena (\d+)(?: offloaded (\d+))?",
                             line):
            stages.append(Stage(int(match.group(1)), int(match.group(2) or 0)))
        elif match := re.match(r"rt\.buffer (@\S+) : (memref<[^>]*>) (\w+)",
                               line):
            if of := re.search(r" of @(?:\"([^\"]*)\"|([\w.$-]+))", line):
                stages[-1].of[match[1]] = "@" + (of[1] or of[2])
            slots = re.search(r" slots (\d+)", line)
            if at := re.search(r" at (\d+(?:, \d+)+) slots", line):
                offsets = at[1].split(", ")
                stages[-1].same[match[1]] = [offsets.index(one)
                                             for one in offsets]
            if row := re.search(r"> \w+ in (@\S+)", line):
                stages[-1].rows[match[1]] = row[1]
                if match[3] == "part":
                    stages[-1].cut.add(row[1])
                # The bytes of the bucket.
                stages[-1].buffers[match[1]] = (
                    match[3], 0, int(slots[1]) if slots else 1)
                continue
            if match[3] == "bucket" and re.search(r"\[\"[^]]*\]\]>", line):
                stages[-1].cut.add(match[1])
            if " refilled" in line.partition("{")[0]:
                stages[-1].refilled.add(match[1])
            at = re.search(r" at (\d+)", line)
            is_offloaded = at and int(at[1]) < stages[-1].offloaded
            stages[-1].buffers[match.group(1)] = (
                match.group(3), 0 if is_offloaded else size_of(match.group(2)),
                int(slots.group(1)) if slots else 1)
        elif match := re.match(r"rt\.event (@\S+)(?: slots (\d+))?", line):
            stages[-1].events[match[1]] = int(match[2] or 1)
        elif match := re.match(r"rt\.func @([^\s(]+)\((.*?)\)", line):
            blocks = [[]]
            stages[-1].functions[match.group(1)] = (
                re.findall(r"(%[\w.]+):", match.group(2)), blocks[0])
        elif match := re.match(r"rt\.for (%\w+) = (\d+) to (\d+)", line):
            blocks.append([])
            blocks[-2].append((match.group(1), int(match.group(2)),
                               int(match.group(3)), blocks[-1]))
        elif line == "}" and blocks:
            blocks.pop()
        elif blocks and line:
            blocks[-1].append(line)
    return stages


def accesses(line):
    """(names read, names written) of an op other than a call."""
    op = re.match(r"rt\.(\w+)", line).group(1)
    head = line.partition(" : ")[0]
    names = re.findall(r"%[\w.]+", head)
    if op == "launch":
        ins = re.search(r" ins\(([^:]*) :", line)
        outs = re.search(r" outs\(([^:]*) :", line)
        return (re.findall(r"%[\w.]+", ins.group(1)) if ins else [],
                re.findall(r"%[\w.]+", outs.group(1)))
    if op == "gemm":
        adds = [names[2]] if "beta = 1" in line else []
        return names[:2] + adds, names[2:3]
    if op == "grouped_gemm":
        adds = [names[2]] if " adds" in head else []
        return names[:2] + names[3:] + adds, names[2:3]
    if op == "all_reduce":
        return names, names
    if op in ("zero", "recv", "fill"):
        return [], names
    if op == "send":
        return names, []
    if op == "release":
        return [], []
    assert op in ("copy", "exchange", "all_gather", "reduce_scatter",
                  "all_to_all", "shard_slice"), line
    return names[:2 if " adds " in head + " " else 1], names[1:]


class Walk:
    """Runs through an entry point."""

    def __init__(self, stage, entry):
        self.stage, self.calls, self.turn = stage, 0, 0
        # For each call: the name of its scratch buffer, and its slot.
        self.frames = []
        # For each op: its reads, its writes and its line. An access is a
        # buffer, the number of elements that the op accesses, and the number of
        # the buffer's elements.
        self.ops, self.sizes = [], {}
        # Arguments of forward and backward tasks.
        self.given = []
        # By stream: the accesses of its operations, in order, and the number of
        # operations that stream 0 has waited for. By event: the stream of its
        # record, and the number of operations before the record.
        self.used, self.over, self.recorded = {}, {}, {}
        self.run(stage.functions[entry][1], {})

    def run(self, lines, values):
        for line in lines:
            if isinstance(line, str):
                self.step(line, values)
                continue
            variable, begin, end, inner = line
            for self.turn in range(begin, end):
                values[variable] = self.turn
                self.run(inner, values)

    def call(self, line, values):
        callee = re.match(r"rt\.call @([^\s(]+)\(", line).group(1)
        given = re.findall(r"%[\w.]+", line.partition(" : ")[0])
        names, lines = self.stage.functions[callee]
        self.calls += 1
        if frame := re.search(r" frame (@\S+)", line):
            _, _, slots = self.stage.buffers[frame[1]]
            self.frames.append((frame[1], self.turn % slots))
        else:
            self.frames.append(None)
        if re.match("(forward|backward|evaluate)[.]", callee):
            self.given.append([values[name][0] for name in given])
        self.run(lines, {name: values[value]
                         for name, value in zip(names, given)})

    def instance(self, rest, values):
        """The symbol and slot that an op names."""
        slot = re.search(r" slot (?:(%\w+)(?: \+ )?)?(\d+)?", rest)
        at = values.get(slot[1], 0) + int(slot[2] or 0) if slot else 0
        if among := re.search(r" among (\d+) to (\d+)", rest):
            first, end = int(among[1]), int(among[2])
            at = first + at % (end - first)
        return rest.split()[0], at

    def step(self, line, values):
        if line.startswith("rt.call"):
            self.call(line, values)
            return
        made = re.match(r"(%[\w.]+) = rt\.(\w+) (.*)", line)
        stream = re.search(r" stream (\d+)", line)
        if line.startswith("rt.record"):
            used = self.used.get(stream and stream[1], [])
            self.recorded[values[line.split()[1]]] = stream, len(used)
            return
        if line.startswith("rt.wait"):
            recorded, count = self.recorded[values[line.split()[1]]]
            if recorded and not stream:
                begin = self.over.get(recorded[1], 0)
                over = self.used[recorded[1]][begin:count]
                self.ops.append((sum(over, []), [], line))
                self.over[recorded[1]] = max(begin, count)
            return
        if not made:
            reads, writes = accesses(line)
            if stream:
                self.used.setdefault(stream[1], []).append(
                    [values[name] for name in reads + writes])
            self.ops.append(([values[name] for name in reads],
                             [values[name] for name in writes], line))
            return
        name, op, rest = made.groups()
        if op == "event_of":
            symbol, at = self.instance(rest, values)
            values[name] = (symbol, at % self.stage.events[symbol])
            return
        count = elements_of(rest.rpartition(" : ")[2].rpartition(" to ")[2])
        if op == "view":
            thing, _, whole = values[rest.split()[0]]
            values[name] = (thing, count, whole)
        elif op in ("constant", "comm_index"):
            values[name] = (None, count, count)
        elif op == "temporary":
            thing = (self.calls, name)
            self.sizes[thing] = size_of(rest.rpartition(" : ")[2])
            values[name] = (thing, count, count)
        else:
            assert op == "address", line
            symbol, at = self.instance(rest, values)
            _, size, slots = self.stage.buffers[symbol]
            at %= slots
            # Slots that iterations rotate through may include slots of others.
            if symbol in self.stage.same:
                at = self.stage.same[symbol][at]
            thing = (symbol, at)
            self.sizes[thing] = size
            values[name] = (thing, count, count)


class Alive:
    """The live buffers around the ops of an entry point."""

    def __init__(self, stage, entry):
        self.stage, self.walk = stage, Walk(stage, entry)
        self.renewed = stage.renewed()
        self.members = {}
        for symbol, row in stage.rows.items():
            self.members.setdefault(row, []).append(symbol)

    def kind_of(self, thing):
        return self.stage.buffers[thing[0]][0] if isinstance(thing[0], str) \
            else "temporary"

    def is_kept(self, thing):
        return self.kind_of(thing) in KEPT and \
            self.stage.row_of(thing[0]) not in self.renewed

    def parts_of(self, thing):
        """A bucket is live while one of its members is."""
        if thing and thing[0] in self.members and thing[0] in self.renewed:
            return [(symbol, thing[1])
                    for symbol in self.members[thing[0]]]
        return [thing] if thing and not self.is_kept(thing) else []

    def total(self, kinds):
        return sum(size * slots for symbol, (kind, size, slots)
                   in self.stage.buffers.items()
                   if kind in kinds and symbol not in self.renewed)

    def bytes_of(self, things):
        """The bytes of live buffers; a bucket with a live member counts
        whole."""
        whole = {(self.stage.row_of(thing[0]), thing[1]) for thing in things}
        return sum(self.walk.sizes[thing] if thing in self.walk.sizes
                   else self.stage.buffers[thing[0]][1] for thing in whole)

    def filled_before(self):
        """All instances of inputs that the runtime fills before the entry."""
        found = set()
        for symbol, (kind, size, slots) in self.stage.buffers.items():
            if kind == "input" and symbol not in self.stage.refilled:
                for slot in range(slots):
                    found.add((symbol, slot))
                    self.walk.sizes[symbol, slot] = size
        return found

    def backwards(self):
        """(live buffers, the op's line), from the last op to the first, and at
        the start, where the line is None."""
        alive = {thing for thing in self.walk.sizes
                 if self.kind_of(thing) == "output"}
        yield set(alive), "the end"
        for reads, writes, line in reversed(self.walk.ops):
            alive |= {part for thing, _, _ in reads + writes
                      for part in self.parts_of(thing)}
            yield alive, line
            read = {part for thing, _, _ in reads
                    for part in self.parts_of(thing)}
            alive -= {part for thing, count, whole in writes if count == whole
                      for part in self.parts_of(thing) if part not in read}
        yield alive, None


def most_alive(stage, entry):
    """(peak live bytes, the op at the peak)"""
    around = Alive(stage, entry)
    most, where = 0, "the end"
    for alive, line in around.backwards():
        if line:
            now = around.bytes_of(alive)
        else:
            line = "the begin"
            now = around.bytes_of(alive | around.filled_before())
        if now > most:
            most, where = now, line
    return around.total(KEPT) + most, where


def full_rows(stage, entry, kind):
    """For buckets of gradients, or of gathered parameters, that are dead at the
    start of an entry point: (peak live bytes, the largest sum of the buckets of
    two forward or backward tasks). A bucket that several tasks accumulate into,
    such as a tied table's, is live between them: it counts in addition."""
    around = Alive(stage, entry)
    rows = {stage.rows[symbol] for symbol, (of, _, _) in stage.buffers.items()
            if of == kind and symbol in stage.rows} & around.renewed

    def bytes_of(things):
        return sum(stage.buffers[row][1] for row in things)

    def within(things):
        return frozenset(stage.row_of(thing[0]) for thing in things
                         if thing and stage.row_of(thing[0]) in rows)

    most = max(bytes_of(within(alive)) for alive, _ in around.backwards())
    given = {within(things) for things in around.walk.given}
    shared = {row for row in rows
              if kind == "gradient" and sum(row in one for one in given) > 1}
    two = sorted(bytes_of(one - shared) for one in given)[-2:]
    return most, sum(two) + bytes_of(shared)


def peaks(text):
    """For each stage: bytes of its arena, peak live bytes, and where the peak
    is."""
    for stage in parse(text):
        most, where = max(most_alive(stage, entry) for entry in ENTRIES
                          if entry in stage.functions)
        yield stage.arena, most, where
