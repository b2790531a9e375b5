"""PyTorch's side of benchmarks/run: trains GPT-2 eagerly and logs like pcc's
training programs, one JSON object per step.

    torch_gpt2.py MODEL.onnx DATA LOG.json --steps N [--threads 2] ...

The weights are those of MODEL.onnx; data order, schedule and optimizer are
those of examples/training.py. A step's time covers forward, backward, clipping,
update and reading the loss back.
"""

import argparse
import json
import os
import sys
import time

import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper
from transformers import GPT2Config, GPT2LMHeadModel

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "examples"))
import training  # noqa: E402


def load(path, attention):
    """Returns GPT-2 124M without dropout, with the weights of the ONNX file."""
    model = GPT2LMHeadModel(
        GPT2Config(
            resid_pdrop=0,
            embd_pdrop=0,
            attn_pdrop=0,
            attn_implementation=attention,
        )
    )
    weights = {
        tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy())
        for tensor in onnx.load(path).graph.initializer
    }
    # The head is tied to the embedding, which the file contains once.
    weights["lm_head.weight"] = weights["transformer.wte.weight"]
    model.load_state_dict(weights)
    return model.train()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("data")
    parser.add_argument("log")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--seq", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-4)
    parser.add_argument("--attention", default="sdpa")
    parser.add_argument("--fused-adamw", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    model = load(options.model, options.attention)
    tokens = training.read_tokens(options.data)
    h = dict(
        training.HYPERPARAMETERS,
        lr=options.lr,
        min_lr=options.lr / 10,
        warmup_steps=0,
        steps=options.steps,
        seq=options.seq,
        global_batch_size=options.batch,
    )
    optimizer = training.optimizer_of(model, h, fused=options.fused_adamw)
    parameters = list(model.parameters())
    with open(options.log, "w") as log:
        for step in range(1, options.steps + 1):
            start = time.perf_counter()
            lr = training.learning_rate(step, h)
            for group in optimizer.param_groups:
                group["lr"] = lr
            x, y = training.batch_of(tokens, step, options.batch, options.seq)
            logits = model(input_ids=x, use_cache=False).logits
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(parameters, h["clip_grad"])
            optimizer.step()
            optimizer.zero_grad()
            row = dict(step=step, loss=loss.item(), norm=norm.item(), lr=lr)
            row["ms"] = 1e3 * (time.perf_counter() - start)
            log.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
