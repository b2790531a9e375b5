"""Trains the models of examples/models on a GPU, one rank in f32, and compares
with PyTorch's recorded losses."""

import concurrent.futures
import glob
import os
import subprocess
import sys
import tempfile

import checks
import machine

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Folders of scripts hold nothing else.
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from loading import script  # noqa: E402

models = script("models")
PRECISION = "f32"
# Small models, for which the host is the bottleneck.
AT_ONCE = 4


def names(only):
    """Returns the exports whose names contain a text."""
    return sorted(os.path.basename(path) for path in
                  glob.glob(os.path.join(models.EXAMPLES, "*.onnx"))
                  if only in "examples " + os.path.basename(path))


def program_of(folder, name):
    return os.path.join(folder, "examples-" + name[:-len(".onnx")].replace(".", "-"))


def prepare(build, folder, only, cpu):
    """Compiles all exports for GPUs, with hosts like `cpu`."""
    h = models.load(os.path.join(models.EXAMPLES, "hyperparameters.json"))
    for name in names(only):
        print("examples", name, flush=True)
        model, kind = models.split(name)
        program = program_of(folder, name)
        done = subprocess.run(
            [os.path.join(build, "bin", "pcc"), os.path.join(models.EXAMPLES, name),
             *models.flags_of(model, kind, (1, 1, 1), h), "--target=cuda",
             f"--precision={PRECISION}", f"--target-cpu={cpu}", "-o", program],
            capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"error: '{name}' does not compile for GPUs\n{done.stderr}")
        subprocess.run(["strip", program], check=True)


def train(folder, name, h):
    """Returns the largest relative difference of a loss, or the problem."""
    model, kind = models.split(name)
    with tempfile.TemporaryDirectory() as scratch:
        log = os.path.join(scratch, "log")
        done = machine.run(
            [program_of(folder, name), "--model", os.path.join(models.EXAMPLES, name),
             *models.run_flags(model, log, h)])
        if done.returncode == checks.NO_DEVICE and "no CUDA device" in done.stderr:
            raise checks.NoDevice(done.stderr)
        if done.returncode:
            return f"ends with {done.returncode}: {done.stderr[-400:]}"
        try:
            return models.difference(log, model, kind)
        except models.Failed as error:
            return str(error)


def run(manifest, folder, only):
    """Runs all exports."""
    del manifest
    h = models.load(os.path.join(models.EXAMPLES, "hyperparameters.json"))
    chosen = [name for name in names(only) if os.path.exists(program_of(folder, name))]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda name: train(folder, name, h), chosen))
    bound = models.DEVICE_BOUNDS[PRECISION]
    results, wrong = [], []
    for name, worst in zip(chosen, found):
        results.append({"export": name, "loss": worst})
        if isinstance(worst, str):
            wrong.append(f"{name}: {worst}")
        elif not worst <= bound:
            wrong.append(f"{name}: losses differ by {worst:.1e} from those of PyTorch, "
                         f"at most {bound:g}")
    checks.table(("export of examples/models", "loss to PyTorch's, relative"),
                 [(row["export"], row["loss"] if isinstance(row["loss"], str)
                   else f"{row['loss']:.1e}") for row in results])
    if not results and not only:
        wrong.append("nothing was compared")
    return results, wrong
