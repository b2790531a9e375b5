#!/usr/bin/env python3
"""Exports transformers' GPT2LMHeadModel, randomly initialised, to ONNX.

Run with the Python of benchmarks/setup:

    .venv/bin/python examples/gpt2/export.py            the files of this folder
    .venv/bin/python examples/gpt2/export.py --size 124m -o DIR

The tiny size (4 layers, 64 hidden, 4 heads, byte vocabulary, context 64) is
committed; its four graphs share the weights in gpt2.weights:

    gpt2.onnx          input_ids [batch, seq] -> logits, no dropout
    gpt2-dropout.onnx  the same with dropout 0.1
    gpt2-static.onnx   the same as gpt2.onnx with dims [2, 64]
    gpt2-labels.onnx   input_ids, labels -> loss; the labels are shifted inside

124m is GPT-2 small (12 layers, 768 hidden, 12 heads, vocabulary 50257, context
1024): gpt2-124m.onnx has its weights inline, gpt2-124m-external.onnx in
gpt2-124m.weights. Both have dynamic dims and no dropout.
"""

import argparse
import os
import sys

import onnx
import torch
from transformers import GPT2Config, GPT2LMHeadModel

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import onnx_files  # noqa: E402

SIZES = {
    "tiny": dict(
        n_layer=4, n_embd=64, n_head=4, n_positions=64, vocab_size=256
    ),
    "124m": dict(
        n_layer=12, n_embd=768, n_head=12, n_positions=1024, vocab_size=50257
    ),
}


class GPT2ForCausalLM(GPT2LMHeadModel):
    """The language model with only tensors as inputs and outputs.

    Returns logits [batch, seq, vocab], or the scalar mean loss if `labels`
    [batch, seq] are given: those are the input ids, shifted by transformers.
    """

    def forward(self, input_ids, labels=None):
        result = super().forward(
            input_ids=input_ids,
            # Without a mask transformers derives packed sequences from the
            # positions, with operators that ONNX lacks.
            attention_mask=torch.ones_like(input_ids),
            labels=labels,
            use_cache=False,
            # The loss is the mean over the targets of this batch.
            num_items_in_batch=None,
        )
        return result.logits if labels is None else result.loss


def build(size, dropout=0.0, seed=0):
    """The model of one of SIZES; equal seeds give equal weights."""
    torch.manual_seed(seed)
    return GPT2ForCausalLM(
        GPT2Config(
            **SIZES[size],
            resid_pdrop=dropout,
            embd_pdrop=dropout,
            attn_pdrop=dropout,
            attn_implementation="eager",
            bos_token_id=0,
            eos_token_id=0,
        )
    )


def export(path, model, batch, seq, dynamic=True, labels=False):
    """Exports `model` to `path`, traced with tokens of shape [batch, seq]."""
    tokens = torch.zeros(batch, seq, dtype=torch.long)
    inputs = ["input_ids"] + (["labels"] if labels else [])
    outputs = ["loss"] if labels else ["logits"]
    shape = {0: "batch", 1: "seq"}
    onnx_files.export(
        model,
        (tokens,) * len(inputs),
        path,
        inputs,
        outputs,
        {n: shape for n in inputs + outputs if n != "loss"}
        if dynamic
        else None,
    )


def export_tiny(folder):
    plain = build("tiny")
    variants = {
        "gpt2": dict(model=plain),
        "gpt2-dropout": dict(model=build("tiny", dropout=0.1)),
        "gpt2-static": dict(model=plain, dynamic=False),
        "gpt2-labels": dict(model=plain, labels=True),
    }
    for name, options in variants.items():
        path = os.path.join(folder, name + ".onnx")
        export(path, batch=2, seq=64, **options)
        onnx_files.write_external(onnx.load(path), path, "gpt2.weights")


def export_124m(folder):
    path = os.path.join(folder, "gpt2-124m.onnx")
    export(path, build("124m"), batch=4, seq=64)
    onnx_files.write_external(
        onnx.load(path),
        os.path.join(folder, "gpt2-124m-external.onnx"),
        "gpt2-124m.weights",
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--size", choices=SIZES, default="tiny")
    parser.add_argument("-o", metavar="DIR", default=HERE, dest="folder")
    options = parser.parse_args()
    if options.size != "tiny" and options.folder == HERE:
        parser.error(f"--size {options.size} needs -o DIR (about 1 GB)")
    os.makedirs(options.folder, exist_ok=True)
    if options.size == "tiny":
        export_tiny(options.folder)
    else:
        export_124m(options.folder)


if __name__ == "__main__":
    main()
