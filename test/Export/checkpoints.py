#!/usr/bin/env python3
"""Compares checkpoints with directories that save_pretrained writes, with the
Python of benchmarks/setup:

    .venv/bin/python test/Export/checkpoints.py [--bin build/bin] [NAME ...]

Each tested model (examples/models) and two mixtures of experts: a tiny random
model is saved in bf16 and exported as tools/pcc-export does, and trained for
two steps on one rank and, resumed, for one step on two. The checkpoint must
have the names, shapes and types of the directory, and its files. Experts are
undivided; the conversion of docs/Inference.md must divide them. The model that
from_pretrained loads from a checkpoint in f32 must have the logits of pcc's
forward-only program with these weights. Prints the largest relative difference
of each; exits with 1 if one fails.
"""

import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile
import traceback
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "examples", "models"),
                os.path.join(ROOT, "tools")]

import numpy as np  # noqa: E402
import torch  # noqa: E402
import transformers as hf  # noqa: E402

import models  # noqa: E402
from pcc_export import export, huggingface, source  # noqa: E402

BOUND = 1e-5
SEQ = models.SEQ
TASKS = {"bert-mlm": "masked-lm", "bert-classifier": "sequence-classification",
         "vit": "image-classification", "t5": "seq2seq-lm",
         "t5-gated": "seq2seq-lm"}
FILES = {"tokenizer.json": "{}", "tokenizer_config.json": "{}",
         "chat_template.jinja": "{{ messages }}"}


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}"
    return done.stdout


def tensors(folder):
    """{name: (type, shape)} of a directory with one safetensors file."""
    with open(folder + "/model.safetensors", "rb") as file:
        header = json.loads(file.read(*struct.unpack("<Q", file.read(8))))
    return {name: (t["dtype"], t["shape"]) for name, t in header.items()
            if name != "__metadata__"}


def build(name):
    """A tiny model with biases that exporters do not remove."""
    torch.manual_seed(0)
    model = models.MODELS[name].build()
    with torch.no_grad():
        for key, p in model.named_parameters():
            if key.endswith("bias"):
                p.normal_(std=0.02)
    return model.to(torch.bfloat16)


def load(folder, task, name):
    options = {"experts_implementation": "batched_mm"} if models.MODELS[name].is_mixture \
        else {}
    auto = getattr(hf, huggingface.TASKS[task].auto)
    return auto.from_pretrained(folder, dtype=torch.float32, **options)


def batch(model, example, task, count=4):
    """Random inputs and labels, by the names of the files of --data."""
    generator = np.random.default_rng(1)
    result = {}
    for name, value in example.items():
        shape = (count, *value.shape[1:])
        if name != "pixel_values":
            shape = (count, SEQ)
        if value.is_floating_point():
            result[name] = generator.standard_normal(shape, np.float32)
        elif name.endswith("mask"):
            result[name] = np.ones(shape, np.int64)
        else:
            result[name] = generator.integers(
                3, models.VOCAB if name.endswith("ids") else 2, shape)
    shape = (count, SEQ) if task.endswith("lm") else (count,)
    bound = models.VOCAB if task.endswith("lm") else model.config.num_labels
    result["labels"] = generator.integers(0, bound, shape)
    return result


def save_data(folder, arrays):
    os.mkdir(folder)
    for name, array in arrays.items():
        np.save(f"{folder}/{name}.npy", array)
    return folder


def check_tensors(found, wanted, name, model, folder):
    """Names, shapes and types; of experts after the documented conversion."""
    if not models.MODELS[name].is_mixture:
        assert found == wanted, set(found.items()) ^ set(wanted.items())
        return
    whole = {key for key in found if key not in wanted}
    assert all(".experts." in key for key in whole), whole
    kind = type(model)
    trained = kind.from_pretrained(folder)
    fresh = kind.from_config(trained.config, dtype=trained.dtype) \
        if hasattr(kind, "from_config") else kind(trained.config).to(
            trained.dtype)
    fresh.load_state_dict(trained.state_dict())
    fresh.save_pretrained(folder + ".divided")
    assert tensors(folder + ".divided") == wanted


def by_pcc(options, path, flags, weights, arrays, work):
    """The logits of the forward-only program with these weights."""
    call(options.bin + "/pcc", path, "--forward", "-q", "-o", work + "/forward",
         "--micro-batch-size=4", *flags)
    call(work + "/forward", "--data", save_data(work + "/inputs", arrays),
         "--init", weights, "--outputs", work + "/outputs")
    file, = os.listdir(work + "/outputs")
    return np.load(f"{work}/outputs/{file}")


def run(name, options, work):
    task = TASKS.get(name, "causal-lm")
    directory, path = work + "/directory", work + "/model.onnx"
    build(name).save_pretrained(directory)
    for file, text in FILES.items():
        with open(f"{directory}/{file}", "w") as out:
            out.write(text)
    model = load(directory, task, name)
    example, forward = huggingface.prepare(model, task)
    export(model, example, path, call=forward, output="logits",
           loss=huggingface.TASKS[task].loss, check_gradients=False,
           source=source.describe(directory, model), log=lambda line: None)
    flags = [] if task == "image-classification" else [f"--seq={SEQ}"]
    arrays = batch(model, example, task)
    data = save_data(work + "/data", arrays)
    compile = [options.bin + "/pcc", path, "-q", *flags, "--no-dropout",
               "--global-batch-size=4", "--loss=" + (
                   "cross-entropy" if "labels" in arrays and
                   task != "causal-lm" else "causal-lm")]
    call(*compile, "-o", work + "/train")
    call(*compile, "--dp=2", "--zero=1", "-o", work + "/train2")
    if task == "causal-lm":
        # Tokens, which targets follow from.
        data = work + "/tokens.bin"
        np.random.default_rng(2).integers(
            3, models.VOCAB, 4 * SEQ * 4).astype(np.uint16).tofile(data)
    arrays.pop("labels")
    saved, wide = work + "/saved", work + "/wide"
    call(work + "/train", "--data", data, "--steps=3", "--lr=1e-2", "--save",
         saved, "--stop-after=2")
    call(work + "/train2", "--resume", saved, "--save", saved)
    call(work + "/train", "--resume", saved + "/step-00000002", "--save", wide,
         "--save-dtype=f32")
    checkpoint = saved + "/step-00000003"
    check_tensors(tensors(checkpoint), tensors(directory), name, model,
                  checkpoint)
    copied = set(FILES) | {"config.json"}
    assert copied <= set(os.listdir(checkpoint)), os.listdir(checkpoint)
    for folder, dtype in ((checkpoint, "bfloat16"),
                          (wide + "/step-00000003", "float32")):
        auto = getattr(hf, huggingface.TASKS[task].auto)
        read, info = auto.from_pretrained(folder, output_loading_info=True)
        assert not any(info.values()), info
        assert str(read.dtype) == "torch." + dtype, read.dtype
    found = by_pcc(options, path, flags, folder, arrays, work)
    wanted = by_pytorch(read, task, arrays)
    before = by_pytorch(model, task, arrays)
    assert abs(before - wanted).max() > 100 * BOUND * abs(wanted).max()
    difference = abs(found - wanted).max() / abs(wanted).max()
    assert difference <= BOUND, f"logits differ by {difference:.1e}"
    return f"{difference:.1e}"


def by_pytorch(model, task, arrays):
    forward = huggingface.prepare(model.eval(), task)[1]
    with torch.no_grad():
        return forward(model, *map(torch.from_numpy, arrays.values())
                       ).logits.numpy()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    hf.logging.set_verbosity_error()
    hf.utils.logging.disable_progress_bar()
    known = [n for n in models.MODELS if n != "nanogpt"]
    failed = []
    for name in options.names or known:
        with tempfile.TemporaryDirectory() as work:
            try:
                print(f"{name:16} {run(name, options, work)}", flush=True)
            except Exception:
                failed.append(name)
                print(f"{name:16} failed\n{traceback.format_exc()}", flush=True)
    if failed:
        sys.exit("failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
