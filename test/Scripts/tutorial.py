"""Runs the commands of docs/Tutorial.md, in order.

RUN: rm -rf %t && mkdir %t
RUN: cd %t && %python %s %root %build "%cuda"

Commands that need PyTorch are left out; an exported model of the tree replaces
the export. test/Export/tutorial.py runs all commands. Compiling for GPUs needs
the CUDA toolkit; a program for GPUs may find no device.
"""

import os
import re
import shutil
import subprocess
import sys

PYTORCH = re.compile(r"\.venv/|\btiny-gpt2\b|qwen3")
EXPORT = "tools/pcc-export"
NO_DEVICE = 9


def commands_of(text):
    """The shell commands that the page shows after "$ "."""
    return re.findall(r"^    \$ (.*)$", text, re.M)


def write_files(text):
    """Writes the Python files that the page shows: `NAME`, then a block."""
    for name, code in re.findall(
            r"^`(\w+\.py)`[^\n]*\n\n```python\n(.*?)^```$", text, re.M | re.S):
        with open(name, "w") as file:
            file.write(code)


def set_up(root, build):
    """Makes this folder look like the root, with the files that commands name."""
    for name in ("scripts", "examples", "tools", ".venv"):
        if os.path.exists(os.path.join(root, name)):
            os.symlink(os.path.join(root, name), name)
    os.environ["PATH"] = os.pathsep.join([os.path.join(build, "bin"),
                                          os.environ["PATH"]])


def run(command):
    """Returns the output of a command. Exits with a message if it fails."""
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    # The page says that each rank needs a GPU; there may be none.
    allowed = (0, NO_DEVICE) if command.startswith("./on-gpus") else (0,)
    if done.returncode not in allowed:
        sys.exit(f"docs/Tutorial.md: {command}: exit {done.returncode}\n"
                 f"{done.stdout}")
    return done.stdout


def run_all(text, has_pytorch, has_cuda):
    """Returns the output of each command that was run."""
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
    """The validation losses of a program's first run with evaluations."""
    shown = next(output for command, output in outputs.items()
                 if command.startswith(program + " ") and "val_loss" in output)
    return [float(x) for x in re.findall(r"val_loss ([\d.]+)", shown)]


def check(outputs):
    """Checks the page's statements about the outputs."""
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
