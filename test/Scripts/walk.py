"""The IR shown in docs/Pipeline.md and docs/Variants.md is what pcc prints.

RUN: cd %root && %python %s %root pcc
RUN: rm -rf %t && mkdir -p %t/docs && cp docs/Pipeline.md docs/Variants.md %t/docs
RUN: sed -i 's/over \["tp"\]/over ["dp"]/' %t/docs/Pipeline.md
RUN: not %python %s %t pcc 2>&1 | FileCheck %s
CHECK: docs/Pipeline.md: pcc $GPT2 --emit=spmd does not print
CHECK-NEXT: dist.all_reduce sum %35 over ["dp"]

Each block of IR is compared with the output of the pcc command above it. Lines
of a block follow each other in the output; a line "..." skips any number of
lines, "..." within a line any text. A line that is indented by four columns more
than the previous one continues it. Attributes that begin with `dist.`, `nn.` or
`rt.` may be left out, and comments may be added.
"""

import re
import subprocess
import sys

ROOT, PCC = sys.argv[1:]
problems = []


def without_attributes(line):
    """The line without its attribute dictionaries of nn, dist and rt."""
    while match := re.search(r" (attributes )?\{(dist|nn|rt)\.", line):
        end = line.index("{", match.start())
        depth = 0
        for end in range(end, len(line)):
            depth += (line[end] == "{") - (line[end] == "}")
            if not depth:
                break
        line = line[:match.start()] + line[end + 1:]
    return line


def patterns(block):
    """(whether lines may be skipped before it, regular expression, text)."""
    lines = []
    for line in block.splitlines():
        text = re.sub(r" *//.*", "", line)
        if not text.strip():
            continue
        indent = len(text) - len(text.lstrip())
        if lines and lines[-1][1] != "..." and indent >= lines[-1][0] + 4:
            lines[-1][1] += " " + text.strip()
        else:
            lines.append([indent, text.strip()])
    skip = True
    for _, text in lines:
        if text == "...":
            skip = True
            continue
        yield skip, ".*".join(map(re.escape, text.split("..."))), text
        skip = False


def find(block, output):
    """Returns the first line of a block that is not in the output."""
    wanted = list(patterns(block))
    # A block may begin at any line that its first pattern matches.
    first = re.compile(wanted[0][1])
    starts = [i for i, lines in enumerate(output)
              if any(map(first.fullmatch, lines))]
    failed = wanted[0][2]
    for start in starts:
        at = start + 1
        for skip, pattern, text in wanted[1:]:
            pattern = re.compile(pattern)
            while at < len(output) and not any(
                    map(pattern.fullmatch, output[at])) and skip:
                at += 1
            if at >= len(output) or not any(
                    map(pattern.fullmatch, output[at])):
                failed = text
                break
            at += 1
        else:
            return None
    return failed


def check(page):
    """Returns the number of blocks."""
    with open(f"{ROOT}/{page}") as file:
        text = file.read()
    variables, command, output, count = "", None, None, 0
    for shell, block in re.findall(
            r"^    (\w+=[^\n]*|pcc [^\n]*--emit=\w+)$|^```mlir\n(.*?)^```$", text,
            re.M | re.S):
        if shell and not shell.startswith("pcc "):
            variables += shell + "\n"
            continue
        if shell:
            command = shell
            done = subprocess.run(
                ["bash", "-c", f"{variables}{PCC}{command[3:]} -q"],
                stdout=subprocess.PIPE, text=True, check=True)
            output = [{line.strip(), without_attributes(line.strip())}
                      for line in done.stdout.splitlines()]
            continue
        count += 1
        missing = find(block, output)
        if missing:
            problems.append(f"{page}: {command} does not print\n{missing}")
    return count


assert check("docs/Pipeline.md") >= 10
assert check("docs/Variants.md") >= 10
sys.exit("\n".join(problems) or 0)
