"""The text of a module in spmd, pipeline or rt, as faults are planted in it.

A fault is an edit of printed IR, so that no code that builds the IR can hide
it. Edits work on lines: each op of these phases without a region is printed on
one line.

    %6 = dist.all_reduce sum %2 over ["tp"] : tensor<1x32x64xf32>
    ^results  ^name      ^------------------ rest ---------------^
"""

import bisect
import re

LINE = re.compile(r'(\s*)((?:%[\w.$#-]+(?::\d+)?(?:, )?)+ = )?"?'
                  r'([a-z_]+\.[a-z_0-9]+)"?(.*)')
VALUE = re.compile(r"%[\w.$-]+")
# Ops that compute addresses, without other effects.
PLACES = ("rt.address", "rt.temporary", "rt.view")
# The first line of an op whose region has its own names of values.
SCOPE = re.compile(r"\s*(func\.func|pipe\.body|pipe\.schedule|rt\.func)\b")


def another_name(value, word):
    """%6 and "again" -> %again6, since the parser requires consecutive
    numbers."""
    return f"%{word}{value[1:]}"


class Op:
    """A line that is an op."""

    def __init__(self, at, match):
        self.at = at
        self.indent, results, self.name, self.rest = match.groups()
        self.results = VALUE.findall(results or "")
        self.operands = VALUE.findall(self.rest)

    def axes(self):
        """The mesh axes it goes over."""
        match = re.search(r'over \[([^\]]*)\]', self.rest)
        return re.findall(r'"([^"]*)"', match.group(1)) if match else []


class Program:
    """The lines of a module, its ops and the scope that each is in."""

    def __init__(self, text):
        self.lines = text.splitlines()
        self.ops = []
        self.scopes = []  # (first line, last line)
        open_at, closing = None, None
        for at, line in enumerate(self.lines):
            match = LINE.match(line)
            if match:
                self.ops.append(Op(at, match))
            if open_at is None and SCOPE.match(line):
                open_at = at
                closing = re.match(r"\s*", line).group() + "}"
            elif open_at is not None and line.startswith(closing):
                self.scopes.append((open_at, at))
                open_at = None
        self.scope_of = {}
        for scope in self.scopes:
            for at in range(scope[0], scope[1] + 1):
                self.scope_of[at] = scope

    def axis_sizes(self):
        """Mesh axis -> ranks."""
        for line in self.lines:
            match = re.match(
                r"\s*(?:dist\.mesh @\S+ =|rt\.program axes) <\[(.*?)\]>", line)
            if match:
                return {name: int(size) for name, size in
                        re.findall(r'"([^"]*)"=(\d+)', match.group(1))}
        return {}

    def named(self, *names):
        """The ops with these names that are in scopes."""
        return [op for op in self.ops
                if op.name in names and op.at in self.scope_of]

    def inside(self, scope):
        """The ops of a scope, in order."""
        first = bisect.bisect_right(self.ops, scope[0], key=lambda op: op.at)
        last = bisect.bisect_left(self.ops, scope[1], key=lambda op: op.at)
        return self.ops[first:last]

    def attribute_of_scope(self, op, pattern):
        """The match of `pattern` in the first line of the op's scope."""
        return re.search(pattern, self.lines[self.scope_of[op.at][0]])

    def tasks_of(self, body):
        """The pipe.tasks that call the pipe.body of this line."""
        name = re.search(r"@[\w.]+", self.lines[body]).group()
        return [op for op in self.ops if op.name == "pipe.task" and
                re.search(rf"(calls|first) {name} ", op.rest)]

    def replaced(self, scope):
        """For each result of a body that overwrites an argument: the numbers of
        the result and of the argument, the argument's name and its type."""
        match = re.match(r"\s*pipe\.body @\S+ \((.*?)\)(?: -> \((.*?)\))?",
                         self.lines[scope[0]])
        if not match or not match.group(2):
            return []
        arguments = [argument.split(": ") for argument
                     in match.group(1).split(", ")]
        found = []
        for result, text in enumerate(match.group(2).split(", ")):
            into = re.search(r" into (\d+)", text)
            if into:
                argument = int(into.group(1))
                found.append((result, argument, *arguments[argument]))
        return found

    # Edits return the text of the changed module and do not change the program.

    def with_lines(self, changes):
        """Returns the text after `changes`: line number -> the lines
        instead."""
        result = []
        for at, line in enumerate(self.lines):
            result += changes.get(at, [line])
        return "\n".join(result) + "\n"

    def renamed(self, scope, after, old, new):
        """The changes that replace uses of a value after a line by another
        value."""
        pattern = re.compile(re.escape(old) + r"(?![\w.$-])")
        return {at: [pattern.sub(new, self.lines[at])]
                for at in range(after + 1, scope[1])
                if pattern.search(self.lines[at])}

    def moved(self, op, before):
        """The text with an op's line, and the lines that compute its operands'
        addresses, moved before another line."""
        moves = self.places_of(op, before) + [op.at]
        order = [at for at in range(len(self.lines)) if at not in moves]
        at = order.index(before)
        order[at:at] = moves
        return "\n".join(self.lines[at] for at in order) + "\n"

    def can_rise(self, op, before):
        """Whether all operands are defined before a line of the scope, or are
        addresses that can be computed there."""
        moves = self.places_of(op, before) + [op.at]
        used, made = set(), set()
        for other in self.inside(self.scope_of[op.at]):
            if other.at in moves:
                used |= set(other.operands)
            elif before <= other.at < op.at:
                made |= set(other.results)
        return not made & used

    def places_of(self, op, after):
        """The lines after another one that compute addresses of an op's
        operands."""
        used, found = set(op.operands), []
        for other in reversed(self.inside(self.scope_of.get(op.at, (0, 0)))):
            if after < other.at < op.at and other.name in PLACES and \
                    used & set(other.results):
                used |= set(other.operands)
                found.insert(0, other.at)
        return found
