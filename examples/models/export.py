#!/usr/bin/env python3
"""Exports the models of models.py by every kind of export of PyTorch.

Run with the Python of benchmarks/setup:

    .venv/bin/python examples/models/export.py                the committed files
    .venv/bin/python examples/models/export.py --all -o DIR   all of them
    .venv/bin/python examples/models/export.py --models llama --kinds train-17,dynamo -o DIR

kinds.py describes the kinds.

If an exporter cannot write a file, its error is reported; the summary goes to
export.json in the output folder.
"""

import argparse
import json
import logging
import os
import re
import sys
import traceback
import warnings

import onnx
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import kinds  # noqa: E402
import models  # noqa: E402
from onnx_files import strip_traces  # noqa: E402

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}

# The exports that tests train: models by both exporters, in training or in eval
# mode; LLaMA and GPT-2 also in kinds that differ in operators or types.
COMMITTED = {
    "gpt2": ("dynamo", "dynamo-raw-18", "f16-train-17", "train-11"),
    "llama": ("train-17", "eval-17", "dynamo", "bf16-dynamo",
              "inputs-dynamo", "dynamo-18"),
    "mistral": ("eval-17", "dynamo"),
    "qwen2": ("eval-17", "dynamo"),
    "gemma": ("eval-17", "dynamo"),
    "gpt-neox": ("eval-17", "dynamo"),
    "opt": ("eval-17", "dynamo"),
    "bert-mlm": ("train-17", "dynamo"),
    "bert-classifier": ("eval-17",),
    "vit": ("train-17", "dynamo"),
    "t5": ("train-17",),
    "t5-gated": ("dynamo",),
    # Biases by distance; a fused projection with parts of different size.
    "bloom": ("eval-17",),
    "gpt-bigcode": ("dynamo",),
    "phi3": ("eval-17",),
    # Mixtures of experts: fused projections; biases, alternating columns and
    # transposed weights; groups, shared experts and a dense first layer.
    "qwen3-moe": ("eval-17",),
    "gpt-oss": ("dynamo",),
    "deepseek-v3": ("dynamo",),
}


def export(name, kind, path):
    """Exports model `name` by this kind to `path`, weights inline. False if the
    model has no such kind."""
    how = kinds.parse(kind)
    training, static = how.exporter == "train", how.variant == "static"
    dtype = DTYPES.get(how.variant, torch.float32)
    extra = ("attention_mask", "position_ids")
    if how.variant != "inputs":
        extra = ()
    elif not models.MODELS[name].optional:
        return False
    model, inputs = models.build(name, extra, dtype=dtype,
                                 experts="batched_mm")
    by_dynamo = how.exporter in kinds.BY_DYNAMO
    # TorchScript exports fused attention from opset 14 on, but with a cast to
    # complex128 for bfloat16; dynamo cannot export T5's ("Cannot view a tensor
    # with shape ...").
    if by_dynamo:
        fused = not name.startswith("t5")
    else:
        fused = how.opset >= 14 and how.variant != "bf16"
    if not fused and name != "nanogpt":
        model.set_attn_implementation("eager")
    model.train(training)
    tensors = tuple(
        t.to(dtype) if t.is_floating_point() else t
        for t in models.sample(inputs, 2)
    )
    # The names of dynamic dims, by input.
    dims = [
        {0: "batch"} if i.kind == "values" else {0: "batch", 1: "seq"}
        for i in inputs
    ]
    names = [i.name for i in inputs]
    options = dict(
        input_names=names, output_names=["logits"], opset_version=how.opset
    )
    if by_dynamo:
        program = torch.onnx.export(
            model,
            tensors,
            dynamo=True,
            optimize=how.exporter == "dynamo",
            dynamic_shapes=None if static else tuple(dims),
            verbose=False,
            **options,
        )
        program.save(path)
        strip_traces(path)
    else:
        modes = torch.onnx.TrainingMode
        torch.onnx.export(
            model,
            tensors,
            path,
            dynamo=False,
            dynamic_axes=None if static else dict(zip(names, dims)),
            do_constant_folding=not training,
            training=modes.TRAINING if training else modes.EVAL,
            **options,
        )
    check(onnx.load(path), how.opset)
    return True


def check(model, opset):
    """Raises ValueError if `model` has another opset or a wrong cast."""
    version = model.opset_import[0].version
    if version != opset:
        raise ValueError(f"wrote opset {version} instead of {opset}")
    for node in model.graph.node:
        types = [a.i for a in node.attribute if a.name == "to"]
        if onnx.TensorProto.COMPLEX128 in types:
            raise ValueError("casts to complex128 instead of bfloat16")


def message(error):
    """The first line of the root cause of `error`."""
    while error.__cause__:
        error = error.__cause__
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200] if lines else ''}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    all_kinds = ",".join(map(str, kinds.all_kinds()))
    parser.add_argument("-o", metavar="DIR", default=HERE, dest="folder")
    parser.add_argument("--all", action="store_true",
                        help="every kind, not just the committed ones")
    parser.add_argument("--missing", action="store_true",
                        help="only missing files that are not known to fail")
    parser.add_argument("--models")
    parser.add_argument("--families", choices=["moe"],
                        help="only the mixtures of experts, by three exporters")
    parser.add_argument("--kinds", default=all_kinds)
    options = parser.parse_args()
    if options.all and options.folder == HERE:
        parser.error("--all needs -o DIR (about 250 MB)")
    every = COMMITTED if options.folder == HERE else models.EVERY_KIND
    if options.families:
        every = kinds.MIXTURES
        options.kinds = ",".join(kinds.OF_MIXTURES)
    options.models = options.models or ",".join(every)
    os.makedirs(options.folder, exist_ok=True)
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    chosen = [
        (name, kind)
        for name in options.models.split(",")
        for kind in options.kinds.split(",")
        if options.folder != HERE or kind in COMMITTED.get(name, ())
    ]
    report = os.path.join(options.folder, "export.json")
    results = {}
    if os.path.exists(report):
        with open(report) as file:
            results = json.load(file)
    for name, kind in chosen:
        file = f"{name}-{kind}.onnx"
        path = os.path.join(options.folder, file)
        fails = results.get(file, "ok") != "ok"
        if options.missing and (fails or os.path.exists(path)):
            continue
        try:
            written = export(name, kind, path)
        except Exception as error:
            if os.path.exists(path):
                os.remove(path)
            results[file] = message(error)
            print(f"{file}: {results[file]}", flush=True)
            if os.environ.get("DEBUG"):
                traceback.print_exc()
        else:
            if not written:
                continue
            results[file] = "ok"
            print(f"{file}: {os.path.getsize(path)} bytes", flush=True)
        with open(report, "w") as out:
            json.dump(results, out, indent=1, sort_keys=True)
            out.write("\n")


if __name__ == "__main__":
    main()
