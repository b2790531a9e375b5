"""examples.py ROOT [all]: compiles models of examples/ for GPUs, of
examples/models one export of each, and starts them where there is no GPU. With
"all" it compiles every export."""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], "scripts"))
from loading import script  # noqa: E402

models = script("models")
EXAMPLES = os.path.dirname(models.EXAMPLES)
# Of gpt2 and nanogpt, an export with dropout, and those with their own loss and
# with PyTorch's attention; programs.test compiles gpt2.onnx.
CHOSEN = ("gpt2-dropout", "gpt2-labels", "nanogpt-loss", "nanogpt-sdpa")


def exports(folder):
    folder = os.path.join(EXAMPLES, folder)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))
            if name.endswith(".onnx")]


def programs(every):
    """Model files, what they are compiled with, and data."""
    for path in exports("gpt2") + exports("nanogpt"):
        if every or os.path.basename(path)[:-len(".onnx")] in CHOSEN:
            yield path, [], "../data/gpl-3.bin"
    with open(os.path.join(models.EXAMPLES, "hyperparameters.json")) as file:
        values = json.load(file)
    seen = set()
    for path in exports("models"):
        model, kind = models.split(os.path.basename(path))
        if every or model not in seen:
            yield (path, models.flags_of(model, kind, (1, 1, 1), values),
                   f"data/{model}" if model in models.LOSSES
                   else values["data"])
        seen.add(model)


def try_one(path, flags, data, program):
    """Returns the error as text; empty if there is none."""
    done = subprocess.run(["pcc", path, *flags, "--target=cuda", "-o", program],
                          capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip()[:2000]
    done = subprocess.run(
        [program, "--data=" + os.path.join(models.EXAMPLES, data),
         "--init=random", "--steps=1"], capture_output=True, text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}, timeout=60)
    if done.returncode != 9 or "error: no CUDA device" not in done.stderr:
        return (f"without a GPU exit code {done.returncode}, "
                f"{done.stderr.strip()[:2000]}")
    return None


def main():
    count, failed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for path, flags, data in programs(sys.argv[2:] == ["all"]):
            wrong = try_one(path, flags, data, os.path.join(folder, "program"))
            count += 1
            if wrong:
                failed += 1
                print(os.path.relpath(path, EXAMPLES), wrong, sep=": ")
    print(f"{count} programs, {failed} failed")
    return bool(failed)


sys.exit(main())
