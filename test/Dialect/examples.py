# The examples in the descriptions of ops and attributes parse. Each op of nn and
# dist has an example and a list of its constraints.
# RUN: %python %s %root/docs/reference %t.mlir
#
# An example is an extract: values that it uses and does not define become
# arguments of a function around it. Their types come from the parser's errors:
# it names the expected type of a value that is declared as i1.
import re
import subprocess
import sys

MESH = 'dist.mesh @mesh = <["pp"=2, "dp"=2, "tp"=2]>\n'
# Ops outside of functions. Other such ops of rt are in its stages.
DECLARATIONS = re.compile(
    r"(nn\.(param|state)|dist\.mesh|pipe\.(input|output|value|body|task|schedule)|"
    r"rt\.(program|stage)|func\.func|module)\b")
STAGE = re.compile(r"rt\.(buffer|func)\b")
UNKNOWN = "i1"


class Example:
    def __init__(self, op, text):
        self.op = op
        # An op begins at the left margin; lines that do not are its own.
        ops = []
        for line in text.splitlines(keepends=True):
            if ops and line[:1] in (" ", "}", ")"):
                ops[-1] += line
            elif line.strip():
                ops.append(line)
        self.outer = [op for op in ops if DECLARATIONS.match(op)]
        self.stage = [op for op in ops if STAGE.match(op)]
        self.inner = [op for op in ops
                      if not DECLARATIONS.match(op) and not STAGE.match(op)]
        body = "".join(self.inner)
        made = set()
        for results in re.findall(r"^(%\S+(?:, %\S+)*) =", body, re.M):
            made |= {re.sub(r":\d+$", "", name)
                     for name in results.split(", ")}
        used = re.findall(r"%[\w.]+", body)
        self.types = {name: UNKNOWN for name in used if name not in made}

    def text(self):
        args = ", ".join(f"{name}: {type}" for name, type in self.types.items())
        body, outer = "".join(self.inner), "".join(self.outer)
        if self.op.startswith("dist.") and "dist.mesh" not in outer:
            outer = MESH + outer
        if self.op.startswith("rt.") and (self.stage or self.inner):
            # Only entry points, which have no arguments, use buffers by name.
            name = "train" if self.stage and not args else "example"
            return (f"{outer}rt.stage 0 {{\n{''.join(self.stage)}"
                    f"rt.func @{name}({args}) {{\n{body}}}\n}}\n")
        if not self.inner:
            return outer
        if body.startswith("#"):
            return f"module attributes {{test.example = {body}}} {{}}\n"
        return f"{outer}func.func @example({args}) {{\n{body}return\n}}\n"


def parse(examples, file):
    """The first error in each example, with its number."""
    lines = []
    with open(file, "w") as out:
        for i, example in enumerate(examples):
            text = ("// -----\n" if i else "") + example.text()
            out.write(text)
            lines += [i] * text.count("\n")
    run = subprocess.run(["pcc-opt", "--split-input-file", file, "-o",
                          "/dev/null"], stderr=subprocess.PIPE, text=True)
    errors = {}
    for line, error in re.findall(r":(\d+):\d+: error: (.*)", run.stderr):
        errors.setdefault(lines[int(line) - 1], error)
    assert errors or run.returncode == 0, run.stderr
    return errors


def read_types(examples, file):
    """Sets the types of undeclared values to those that the parser expects, one
    value of each example at a time. Returns all other errors."""
    while True:
        errors = parse(examples, file)
        learnt = False
        for i, error in list(errors.items()):
            match = re.match(r"use of value '(%[\w.]+)' expects different type "
                             r"than prior uses: '(.*)' vs '(.*)'", error)
            if not match:
                continue
            name, expected, declared = match.groups()
            types = examples[i].types
            if declared == UNKNOWN and types.get(name) == UNKNOWN:
                types[name] = expected
                del errors[i]
                learnt = True
        if not learnt:
            return errors


def main(reference, file):
    failed = []
    examples = []
    for dialect in ("nn", "dist", "pipe", "rt"):
        with open(f"{reference}/{dialect}.md") as page:
            sections = re.split(r"^### `(.*?)`.*$", page.read(), flags=re.M)
        for op, section in zip(sections[1::2], sections[2::2]):
            blocks = re.findall(r"^```mlir\n(.*?)^```$", section, re.M | re.S)
            examples += [Example(op, block) for block in blocks]
            if not op.startswith(("nn.", "dist.")):
                continue
            if not any(re.search(re.escape(op) + r"\b", block)
                       for block in blocks):
                failed.append(f"{op}: no example")
            if "**Constraints" not in section:
                failed.append(f"{op}: no constraints")
    assert len(examples) > 80, len(examples)
    for i, error in read_types(examples, file).items():
        failed.append(f"{examples[i].op}: {error}\n{examples[i].text()}")
    sys.exit("\n".join(failed) or None)


main(*sys.argv[1:])
