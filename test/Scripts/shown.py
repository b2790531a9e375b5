"""The programs print the outputs that pages show after "$ " commands, and the
communication costs in docs/Parallelism.md are those of its example.

RUN: rm -rf %t && mkdir %t && cd %t && %python %s %root %build

In a page "..." stands for lines that are left out, or for the rest of a line. A
command that is shown without output may print anything, but must not fail.
"""

import json
import os
import re
import subprocess
import sys

ROOT, BUILD = sys.argv[1:]
PAGES = ("Parallelism.md", "Troubleshooting.md")
problems = []


def read(*path):
    with open(os.path.join(ROOT, *path)) as file:
        return file.read()


def run(command):
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def shown_in(text):
    """[(command, the lines below it)]"""
    result = []
    for line in text.splitlines():
        if line.startswith("    $ "):
            result.append((line[6:], []))
            isOpen = True
        elif line.startswith("    ") and result and isOpen:
            result[-1][1].append(line[4:])
        else:
            isOpen = False
    return result


def agrees(lines, output):
    """Whether the output has these lines, "..." being any number of others."""
    pattern = "".join(r"(?:.*\n)*" if line == "..." else
                      ".*".join(map(re.escape, line.split("..."))) + r"\n"
                      for line in lines)
    return re.fullmatch(pattern, output if output.endswith("\n") or not output
                        else output + "\n")


def check_page(page):
    """Returns how many commands it has."""
    commands = shown_in(read("docs", page))
    for command, lines in commands:
        code, output = run(command)
        if not lines and code:
            problems.append(f"docs/{page}: {command}: exit {code}\n{output}")
        elif lines and not agrees(lines, output):
            problems.append(f"docs/{page}: {command} says\n{output}")
    return len(commands)


def check_costs():
    """Checks the table of the example; returns the number of its rows."""
    rows = re.findall(r"^\| `(--.*?)` \| (\d+) \| [^|]* \| ([\d,]+) \|$",
                      read("docs", "Parallelism.md"), re.M)
    for flags, samples, told in rows:
        code, output = run(
            f"pcc examples/gpt2/gpt2.onnx {flags} --micro-batch-size 4 "
            f"--global-batch-size {samples} --report=json --emit rt "
            "-o program.mlir 2>/dev/null")
        sent = sum(m["bytes_sent"] for m in
                   json.loads(output)["stages"][0]["messages"])
        told = int(told.replace(",", ""))
        # Scalars are less than 256 bytes.
        if code or not told <= sent < told + 256:
            problems.append(f"docs/Parallelism.md: {flags} sends {sent}, not "
                            f"{told}")
    return len(rows)


for name in ("examples", "scripts", "test"):
    os.symlink(os.path.join(ROOT, name), name)
os.environ["PATH"] = os.pathsep.join([os.path.join(BUILD, "bin"),
                                      os.environ["PATH"]])
for page in PAGES:
    assert check_page(page) > 10, page
assert check_costs() == 10
sys.exit("\n".join(problems) or 0)
