#!/usr/bin/env python3
"""Exports the models of models.py in every way that PyTorch can.

Run with the Python of benchmarks/setup:

    .venv/bin/python examples/models/export.py                the committed files
    .venv/bin/python examples/models/export.py --all -o DIR   all of them
    .venv/bin/python examples/models/export.py --models llama --kinds train-17,dynamo -o DIR

Kinds:

    train-N, eval-N        TorchScript exporter, opset N, training or eval mode,
                           below opset 14 with attention by primitives
    static-train-17 ...    the same with static dims, batch 2
    inputs-eval-17         with inputs attention_mask and position_ids
    f16-train-17, ...      weights in half precision (f16, bf16)
    dynamo, dynamo-raw     the dynamo exporter at its newest opset, optimized
                           and as it is before
    dynamo-N, dynamo-raw-N at opset N

A file that an exporter cannot write is reported with its error; the summary
goes to export.json in the output folder.
"""

import argparse
import json
import logging
import os
import sys
import traceback
import warnings

import onnx
import torch

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import models  # noqa: E402

TORCHSCRIPT_OPSETS = range(11, 21)
NEWEST = 24
KINDS = [
    f"{mode}-{opset}"
    for opset in TORCHSCRIPT_OPSETS
    for mode in ("train", "eval")
]
KINDS += [f"static-{k}" for k in ("train-17", "eval-17", "dynamo")]
KINDS += ["inputs-train-17", "inputs-eval-17", "inputs-dynamo"]
KINDS += [
    f"{d}-{k}"
    for d in ("f16", "bf16")
    for k in ("train-17", "eval-17", "dynamo")
]
KINDS += ["dynamo", "dynamo-raw", "dynamo-18", "dynamo-raw-18"]

DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16}

# What the tests train: every model by both exporters, in training and in eval
# mode; LLaMA and GPT-2 also in kinds that differ in their operators or types.
COMMITTED = {
    "gpt2": ("dynamo", "dynamo-raw-18", "f16-train-17", "train-11"),
    "llama": ("train-17", "eval-17", "dynamo", "bf16-dynamo",
              "inputs-dynamo", "dynamo-18"),
    "mistral": ("eval-17", "dynamo"),
    "qwen2": ("eval-17", "dynamo"),
    "gemma": ("eval-17", "dynamo"),
    "gpt-neox": ("eval-17", "dynamo"),
    "opt": ("eval-17", "dynamo"),
    "bert-mlm": ("train-17",),
    "bert-classifier": ("eval-17",),
    "vit": ("train-17",),
    "t5": ("train-17",),
}


def parse(kind):
    """What the words of a kind mean."""
    words = kind.split("-")
    options = dict(
        static="static" in words,
        inputs="inputs" in words,
        dtype=next((DTYPES[w] for w in words if w in DTYPES), torch.float32),
        dynamo="dynamo" in words,
        raw="raw" in words,
        training="train" in words,
        opset=int(words[-1]) if words[-1].isdigit() else NEWEST,
    )
    return options


def strip_traces(path):
    """Removes the stack traces that the dynamo exporter writes beside every
    node: they name folders of this machine, and are half of the file."""
    model = onnx.load(path)
    graph = model.graph
    for owner in (*graph.node, *graph.value_info, *graph.input, *graph.output,
                  *graph.initializer):
        kept = [p for p in owner.metadata_props if "stack_trace" not in p.key]
        del owner.metadata_props[:]
        owner.metadata_props.extend(kept)
        owner.ClearField("doc_string")
    with open(path, "wb") as file:
        file.write(model.SerializeToString(deterministic=True))


def export(name, kind, path):
    """Writes model `name` in this kind to `path`, weights inline."""
    how = parse(kind)
    extra = ("attention_mask", "position_ids") if how["inputs"] else ()
    if extra and not models.MODELS[name].optional:
        return False
    model, inputs = models.build(name, extra, dtype=how["dtype"])
    if not how["dynamo"] and how["opset"] < 14 and name != "nanogpt":
        # The exporter knows fused attention from opset 14 on.
        model.set_attn_implementation("eager")
    model.train(how["training"])
    tensors = tuple(
        t.to(how["dtype"]) if t.is_floating_point() else t
        for t in models.sample(inputs, 2)
    )
    names = [i.name for i in inputs]
    options = dict(
        input_names=names, output_names=["logits"], opset_version=how["opset"]
    )
    if how["dynamo"]:
        shapes = tuple(
            {0: "batch"} if i.kind == "values" else {0: "batch", 1: "seq"}
            for i in inputs
        )
        program = torch.onnx.export(
            model,
            tensors,
            dynamo=True,
            optimize=not how["raw"],
            dynamic_shapes=None if how["static"] else shapes,
            verbose=False,
            **options,
        )
        program.save(path)
        strip_traces(path)
    else:
        # The exporter names the dims of its inputs only.
        axes = {
            i.name: {0: "batch"}
            if i.kind == "values"
            else {0: "batch", 1: "seq"}
            for i in inputs
        }
        modes = torch.onnx.TrainingMode
        torch.onnx.export(
            model,
            tensors,
            path,
            dynamo=False,
            dynamic_axes=None if how["static"] else axes,
            do_constant_folding=not how["training"],
            training=modes.TRAINING if how["training"] else modes.EVAL,
            **options,
        )
    onnx.load(path)
    return True


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-o", metavar="DIR", default=HERE, dest="folder")
    parser.add_argument("--all", action="store_true",
                        help="every kind, not just the committed ones")
    parser.add_argument("--models", default=",".join(models.MODELS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    options = parser.parse_args()
    if options.all and options.folder == HERE:
        parser.error("--all needs -o DIR (about 120 MB)")
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
        try:
            written = export(name, kind, path)
        except Exception as error:
            if os.path.exists(path):
                os.remove(path)
            text = str(error).strip().splitlines() or [repr(error)]
            results[file] = f"{type(error).__name__}: {text[0][:200]}"
            print(f"{file}: {results[file]}", flush=True)
            if os.environ.get("DEBUG"):
                traceback.print_exc()
            continue
        if written:
            results[file] = "ok"
            print(f"{file}: {os.path.getsize(path)} bytes", flush=True)
        with open(report, "w") as out:
            json.dump(results, out, indent=1, sort_keys=True)
            out.write("\n")


if __name__ == "__main__":
    main()
