#!/usr/bin/env python3
"""Loads the results of training elsewhere: the checkpoint with transformers'
from_pretrained, the exported model in ONNX Runtime.

Run with the Python of benchmarks/setup:

    .venv/bin/python examples/models/takeaway.py [--exports DIR] [--models ...]
        [--kinds ...] [--layout 2,2,2]

Each export is trained for three steps. from_pretrained must then load its
checkpoint without missing, unknown or misshapen tensors. On the first batch,
the model must have the same loss as the program with these weights (--init).
The exported model must have that loss in ONNX Runtime, too.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
import onnxruntime
import torch
import torch.nn.functional as F
import transformers
from safetensors.torch import load_file

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE]
import models  # noqa: E402
import record  # noqa: E402

H = record.HYPERPARAMETERS
BOUND = 1e-5
# For ONNX Runtime in half precision.
HALF_BOUND = 5e-3
STEPS = 3
# Flags for scales that an exporter folded.
FOLDED = {"gemma": ["--norm-plus-one=norm"]}


class Failed(Exception):
    pass


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Failed(f"{command[0]}: exit {done.returncode}\n{done.stdout}")


def loss_of(scores, targets):
    return F.cross_entropy(scores.float().flatten(0, -2), targets.flatten(),
                           ignore_index=-100).item()


def compare(what, loss, expected, bound):
    if not abs(loss - expected) <= bound * expected:
        raise Failed(f"{what}: loss {loss}, not {expected}")
    return abs(loss - expected) / expected


def pretrained(name, checkpoint, folder):
    """The model with the checkpoint's weights, loaded by its library."""
    model, _ = models.build(name, seed=1)
    if name == "nanogpt":
        # Its masks are not parameters; a tied table has one of its two names.
        missing, unknown = model.load_state_dict(load_file(checkpoint), False)
        missing = [m for m in missing if not m.endswith(".attn.bias")]
        if unknown or len(missing) != 1:
            raise Failed(f"state_dict: {missing} and {unknown}")
        return model
    model.config.save_pretrained(folder)
    os.symlink(os.path.abspath(checkpoint), folder + "/model.safetensors")
    kind = type(model).__mro__[1]
    read, info = kind.from_pretrained(
        folder, output_loading_info=True, dtype=torch.float32)
    wrong = {k: v for k, v in info.items() if v}
    if wrong:
        raise Failed(f"from_pretrained: {wrong}")
    model.load_state_dict(read.state_dict())
    return model


def runtime_loss(path, source, inputs, x, y):
    """The loss of an ONNX model; None if the source cannot be run."""
    try:
        onnxruntime.InferenceSession(source)
    except Exception:  # no kernel for bfloat16, or mismatched types
        return None
    session = onnxruntime.InferenceSession(path)
    values = {i.name: t.numpy() for i, t in zip(inputs, x)}
    rows = next(iter(values.values())).shape[0]
    full = {
        "attention_mask": np.ones((rows, models.SEQ), np.int64),
        "position_ids": np.tile(np.arange(models.SEQ), (rows, 1)),
    }
    feed = {i.name: values.get(i.name, full.get(i.name))
            for i in session.get_inputs()}
    batch = session.get_inputs()[0].shape[0]
    size = batch if isinstance(batch, int) else rows
    kinds = {i.name: i.type for i in session.get_inputs()}
    for key, value in feed.items():
        if kinds[key] == "tensor(float16)":
            feed[key] = value.astype(np.float16)
    parts = [
        session.run(None, {k: v[r:r + size] for k, v in feed.items()})[0]
        for r in range(0, rows, size)
    ]
    return loss_of(torch.from_numpy(np.concatenate(parts)), y)


def check(path, name, kind, layout, build, folder):
    spec = models.MODELS[name]
    tp, pp, dp = layout
    dp = 1 if "static" in kind else dp
    batch = H["global_batch_size"]
    micro = 2 if "static" in kind else batch // (dp * (2 if pp > 1 else 1))
    seq = [] if name == "vit" else [f"--seq={H['seq']}"]
    isFolded = "eval" in kind or ("dynamo" in kind and "raw" not in kind)
    said = FOLDED.get(name, []) if isFolded else []
    program = folder + "/program"
    call(build + "/bin/pcc", path, "-q", *seq, *said, f"--tp={tp}", f"--pp={pp}",
         f"--dp={dp}", f"--loss={spec.loss}", f"--global-batch-size={batch}",
         f"--micro-batch-size={micro}", "-o", program)
    data = H["data"] if spec.loss == "causal-lm" else f"data/{name}"
    data = "--data=" + os.path.normpath(os.path.join(HERE, data))
    exported = folder + "/out/trained.onnx"
    call(program, data, f"--steps={STEPS}", "--lr=1e-2", "--save",
         folder + "/saved", "--export-onnx", exported)
    checkpoint = f"{folder}/saved/step-{STEPS:08}/model.safetensors"
    # The loss on the first batch with the checkpoint's weights.
    log = folder + "/log.jsonl"
    call(program, data, "--steps=1", "--init", checkpoint, "--log-json", log)
    with open(log) as file:
        expected = json.loads(file.readline())["loss"]

    _, inputs = models.build(name)
    x, y = record.feeder(name, inputs)(1)
    os.mkdir(folder + "/pretrained")
    model = pretrained(name, checkpoint, folder + "/pretrained").eval()
    with torch.no_grad():
        by_torch = compare("transformers", loss_of(model(*x), y), expected,
                           BOUND)
    onnx.checker.check_model(exported)
    loss = runtime_loss(exported, path, inputs, x, y)
    if loss is None:
        return f"{by_torch:.1e}, -"
    half = re.search(r"\bb?f16\b", kind)
    by_runtime = compare("ONNX Runtime", loss, expected,
                         HALF_BOUND if half else BOUND)
    return f"{by_torch:.1e}, {by_runtime:.1e}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--exports", default=HERE, metavar="DIR")
    parser.add_argument("--models", help="only these")
    parser.add_argument("--kinds", help="only these")
    parser.add_argument("--layout", default="2,2,2", help="tp,pp,dp")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    onnxruntime.set_default_logger_severity(4)
    torch.set_num_threads(1)
    layout = tuple(map(int, options.layout.split(",")))
    names = sorted(models.MODELS, key=len, reverse=True)
    ran = failed = 0
    for file in sorted(os.listdir(options.exports)):
        name = next((n for n in names if file.startswith(n + "-")), None)
        if not file.endswith(".onnx") or not name:
            continue
        kind = file[len(name) + 1:-len(".onnx")]
        if options.models and name not in options.models.split(","):
            continue
        if options.kinds and kind not in options.kinds.split(","):
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                text = check(os.path.join(options.exports, file), name, kind,
                             layout, options.build, folder)
            except Failed as error:
                failed += 1
                text = str(error)
        print(f"{name} {kind}: {text}", flush=True)
    print(f"{ran - failed} of {ran} exports were read back")
    sys.exit(1 if failed or not ran else 0)


if __name__ == "__main__":
    main()
