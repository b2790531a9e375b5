"""The commands of docs/Tutorial.md, in their order.

RUN: rm -rf %t && mkdir %t
RUN: cd %t && %python %s %root %build "%cuda"

Those that need PyTorch are left out; an exported model of the tree stands in for
the export. test/Export/tutorial.py runs all of them. What is compiled for GPUs
needs the CUDA toolkit; a program for GPUs may find no device.
"""

import os
import re
import shutil
import subprocess
import sys

PYTORCH = re.compile(r"\.venv/|\btiny-gpt2\b|\btrained/")
EXPORT = "tools/pcc-export"
NO_DEVICE = 9


def commands_of(text):
    """The shell commands that the page shows, behind "$ "."""
    return re.findall(r"^    \$ (.*)$", text, re.M)


def write_files(text):
    """The Python files that the page shows: `NAME`, then a block."""
    for name, code in re.findall(
            r"^`(\w+\.py)`[^\n]*\n\n```python\n(.*?)^```$", text, re.M | re.S):
        with open(name, "w") as file:
            file.write(code)


def set_up(root, build):
    """This folder as the root of the tree, with what commands name."""
    for name in ("scripts", "examples", "tools", ".venv"):
        if os.path.exists(os.path.join(root, name)):
            os.symlink(os.path.join(root, name), name)
    os.environ["PATH"] = os.pathsep.join([os.path.join(build, "bin"),
                                          os.environ["PATH"]])


def run(command):
    """What it prints. Exits with a message if it fails."""
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    # Without a GPU for each rank, which the page says.
    allowed = (0, NO_DEVICE) if command.startswith("./on-gpus") else (0,)
    if done.returncode not in allowed:
        sys.exit(f"docs/Tutorial.md: {command}: exit {done.returncode}\n"
                 f"{done.stdout}")
    return done.stdout


def run_all(text, has_pytorch, has_cuda):
    """Returns what each command that was run printed."""
    outputs = {}
    for command in commands_of(text):
        if EXPORT in command and not has_pytorch:
            shutil.copy("examples/gpt2/gpt2.onnx", "model.onnx")
            shutil.copy("examples/gpt2/gpt2.weights", ".")
        is_cuda = "--target cuda" in command or command.startswith("./on-gpus")
        if (PYTORCH.search(command) and not has_pytorch) or (
                is_cuda and not has_cuda):
            continue
        outputs[command] = run(command)
    return outputs


def losses(outputs, program):
    """Of the first run of a program, the numbers of its last evaluation."""
    shown = next(output for command, output in outputs.items()
                 if command.startswith(program + " ") and "val_loss" in output)
    return [float(x) for x in re.findall(r"val_loss ([\d.]+)", shown)]


def check(outputs):
    """What the page says of the outputs."""
    equal = [o for c, o in outputs.items() if c.startswith("diff ")]
    assert equal == ["equal\n"], equal
    one, eight = losses(outputs, "./train"), losses(outputs, "./train-8")
    assert abs(one[0] - eight[0]) < 1e-4 * one[0], (one, eight)


def main():
    root, build, cuda = sys.argv[1:]
    set_up(root, build)
    with open(os.path.join(root, "docs", "Tutorial.md")) as file:
        text = file.read()
    outputs = run_all(text, has_pytorch=False, has_cuda=bool(cuda))
    assert len(outputs) >= 12, list(outputs)
    check(outputs)


if __name__ == "__main__":
    main()
