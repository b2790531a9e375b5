#!/usr/bin/env python3
"""Records PyTorch's training of mixtures of experts with an auxiliary loss for
each sample and with updated correction biases:

    .venv/bin/python test/Equivalence/Inputs/balance/record.py

Writes MODEL.jsonl next to this file: per step the loss without the auxiliary
loss, the gradients' norm, the mean auxiliary loss, the largest count of an
expert over the mean (averaged over layers), and the last step's biases.
"""

import json
import os
import sys

import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..", "..", "..")
sys.path[:0] = [os.path.join(ROOT, "examples", "models"),
                os.path.join(ROOT, "examples")]
import mixtures  # noqa: E402
import models  # noqa: E402
import record  # noqa: E402
import training  # noqa: E402

AUX_LOSS, BIAS_RATE = 0.05, 0.01
ROUTERS = ("DeepseekV3TopkRouter", "Qwen3MoeTopKRouter")


class Balance:
    """Observes a model's routers."""

    def __init__(self, model):
        self.routers = [m for m in model.modules()
                        if type(m).__name__ in ROUTERS]
        self.calls = []
        for router in self.routers:
            router.register_forward_hook(
                lambda router, _, out: self.calls.append((router, out)))

    def aux_loss(self, targets):
        """The auxiliary loss of a batch, whose samples have `targets`
        targets."""
        total = 0
        batch, seq = targets.shape[0], record.HYPERPARAMETERS["seq"]
        for router, (logits, _, ids) in self.calls:
            if hasattr(router, "e_score_correction_bias"):
                scores = logits.sigmoid()
                scores = scores / scores.sum(-1, keepdim=True)
            else:
                scores = logits.softmax(-1)
            experts, k = scores.shape[-1], ids.shape[-1]
            chosen = F.one_hot(ids, experts).sum(-2).view(batch, seq, experts)
            shares = scores.view(batch, seq, experts).sum(1)
            by_sample = (chosen.sum(1) * shares).sum(-1)
            total = total + (targets * by_sample).sum() * (
                AUX_LOSS * experts / (k * seq * seq))
        return total

    def finish(self):
        """Updates the biases; returns the load."""
        loads = []
        for router in self.routers:
            counts = torch.stack([
                F.one_hot(out[2], out[0].shape[-1]).sum((0, 1))
                for of, out in self.calls if of is router]).sum(0).float()
            mean = counts.mean()
            loads.append((counts.max() / mean).item())
            if hasattr(router, "e_score_correction_bias"):
                router.e_score_correction_bias += BIAS_RATE * torch.sign(
                    mean - counts)
        self.calls.clear()
        return sum(loads) / len(loads)


def main():
    torch.set_num_threads(2)
    h = record.HYPERPARAMETERS
    for name in ("qwen3-moe", "deepseek-v3"):
        model, inputs = models.build(name)
        model.train()
        balance, feed = Balance(model), record.feeder(name, inputs)
        extra = {}

        def backward(step):
            x, y = feed(step)
            scores = model(*x)
            loss = F.cross_entropy(scores.flatten(0, -2), y.flatten(),
                                   ignore_index=-100)
            targets = (y != -100).sum(1).float()
            aux = balance.aux_loss(targets) / targets.sum()
            (loss + aux).backward()
            extra.update(aux=aux.item(), load=balance.finish())
            return loss.item()

        path = os.path.join(HERE, name + ".jsonl")
        with open(path, "w") as file, mixtures.checked_choices():
            for row in training.take_steps(model, h, backward):
                row.update(extra)
                biases = [r.e_score_correction_bias.tolist()
                          for r in balance.routers
                          if hasattr(r, "e_score_correction_bias")]
                if row["step"] == h["steps"] and biases:
                    row["biases"] = biases
                file.write(json.dumps(row) + "\n")
        print(f"{name}: {row}", flush=True)


if __name__ == "__main__":
    main()
