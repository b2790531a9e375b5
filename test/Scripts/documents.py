"""The documents are correct: links exist, the README's commands work, and the
programs accept the command lines of docs/Driver.md. Of the README's programs those
that it runs are compiled, and end after 3 steps; other compile commands get --check.
Those of model directories, which need PyTorch, must only be understood.

RUN: rm -rf %t && mkdir %t && cd %t && %python %s %root %build
"""

import os
import re
import shutil
import subprocess
import sys

ROOT, BUILD = sys.argv[1:]
USAGE = 2
problems = []


def read(*path):
    with open(os.path.join(ROOT, *path)) as file:
        return file.read()


def run(command):
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def anchors(text):
    """Returns the anchors of a page's headings."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
            for title in re.findall(r"^#+ (.*)$", text, re.M)}


def check_links(pages):
    for page in pages:
        text = re.sub(r"```.*?```", "", read(page), flags=re.S)
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if link.startswith("https://"):
                continue
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(page), path))
            target = target if path else page
            if not os.path.exists(os.path.join(ROOT, target)):
                problems.append(f"{page}: no file {link}")
            elif anchor and anchor not in anchors(read(target)):
                problems.append(f"{page}: no heading {link}")


def check_readme():
    """Runs the commands of pcc, pcc-data and compiled programs; returns
    their number."""
    text = read("README.md")
    shutil.copy("examples/gpt2/gpt2.onnx", "model.onnx")
    shutil.copy("examples/gpt2/gpt2.weights", ".")
    commands = re.findall(
        r"^    ((?:build/bin/pcc|pcc|tools/pcc-data|\./train) .*)$", text,
        re.M)
    for command in commands:
        asked = re.sub(r"--steps \d+", "--steps 3", command)
        # What is verified is compiled, but not trained.
        asked = re.sub(r"^pcc verify (.*?) *#.*$", r"pcc \1", asked)
        program = re.search(r" -o (\S+)", asked)
        is_run = program and f"\n    ./{program[1]} " in text
        if (re.match(r"(build/bin/)?pcc ", asked) and not is_run and
                not re.search("--check|--list-params", asked)):
            asked = re.sub(r" -o \S+", "", asked) + " --check"
        code, output = run(asked)
        # A directory of the hub, which a command before it downloads.
        if "hf download" in output and "hf download" in text:
            continue
        if code:
            problems.append(f"README.md: {command}: exit {code}\n{output}")
    for command, shown in re.findall(r"^    \$ (.*)\n((?:    .*\n)+)", text,
                                     re.M):
        _, output = run(command)
        if output != re.sub(r"^    ", "", shown, flags=re.M):
            problems.append(f"README.md: {command} says\n{output}")
    return len(commands)


def check_driver():
    """Checks command lines without compiling or training: usage errors are
    reported before missing files. Returns their number."""
    examples = re.findall(r"^      (?! )(.*)$", read("docs", "Driver.md"), re.M)
    for program in ("train", "forward --forward",
                    "offloaded --offload optimizer=."):
        code, output = run("pcc examples/gpt2/gpt2.onnx --seq 8 -q -o " +
                           program)
        assert code == 0, output
    for example in examples:
        asked = re.sub(r"[\w./-]+\.(onnx|mlir)\b", r"absent/model.\1", example)
        asked = re.sub(r"(--(?:data|resume)) (\S+)", lambda given: given[1] + " " +
                       re.sub(r"[^,]+", "absent-\\g<0>", given[2]), asked)
        code, output = run(asked)
        if re.search("--(no-)?cuda-graphs|--nvls", asked):
            # These programs are for CPUs.
            assert code == USAGE and re.search(
                "has no CUDA graphs|does not communicate by NCCL", output), output
        elif code == USAGE or code > 8:
            problems.append(f"docs/Driver.md: {example}\n{output}")
    return len(examples)


for name in ("examples", "scripts", "test", "tools"):
    os.symlink(os.path.join(ROOT, name), name)
os.symlink(BUILD, "build")
os.environ["PATH"] = os.pathsep.join([os.path.join(BUILD, "bin"),
                                      os.environ["PATH"]])
pages = subprocess.run(["find", ".", "-name", "*.md", "-not", "-path",
                        "*/.*/*", "-not", "-path", "./build*"], cwd=ROOT,
                       stdout=subprocess.PIPE, text=True, check=True)
pages = sorted(os.path.normpath(p) for p in pages.stdout.split())
assert len(pages) > 20, pages
check_links(pages)
assert check_readme() >= 6
assert check_driver() > 100
sys.exit("\n".join(problems) or 0)
