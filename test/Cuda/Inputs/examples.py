"""examples.py ROOT [NAME...]: compiles models of examples/models, all of them
unless some are named, for GPUs."""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], "scripts"))
from loading import script  # noqa: E402

models = script("models")
names = sys.argv[2:] or [f[:-5] for f in sorted(os.listdir(models.EXAMPLES))
                         if f.endswith(".onnx")]
with open(os.path.join(models.EXAMPLES, "hyperparameters.json")) as file:
    values = json.load(file)
failed = 0
with tempfile.TemporaryDirectory() as folder:
    for name in names:
        model, kind = models.split(name + ".onnx")
        flags = models.flags_of(model, kind, (1, 1, 1), values)
        path = os.path.join(models.EXAMPLES, name + ".onnx")
        done = subprocess.run(
            ["pcc", path, *flags, "--target=cuda", "-o",
             os.path.join(folder, "program")], capture_output=True, text=True)
        if done.returncode:
            failed += 1
            print(name, done.stderr.strip()[:2000], sep=": ")
print(f"{len(names)} programs, {failed} failed")
sys.exit(failed > 0)
