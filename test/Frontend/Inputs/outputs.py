"""Models with outputs that are not used for training, as PyTorch exports them.

    .venv/bin/python outputs.py         # writes outputs/*.onnx
"""

import os

import torch
import torch.nn.functional as F
from torch import nn

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "outputs")
VOCAB, WIDTH, SEQ = 11, 4, 3


class Model(nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.outputs = outputs
        self.table = nn.Embedding(VOCAB, WIDTH)
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)

    def forward(self, input_ids, *labels):
        return self.outputs(self.head(self.table(input_ids)), *labels)


def right(s, labels):
    return (s.argmax(-1) == labels).float().mean()


def loss(s, labels):
    return F.cross_entropy(s.flatten(0, 1), labels.flatten())


# name: (a function that computes the outputs, their names, whether it has
# labels)
MODELS = {
    "accuracy": (lambda s, l: (s, right(s, l)), ["scores", "accuracy"]),
    "rounded": (lambda s, l: (s, (s.sigmoid().round().sum(-1) - l).abs()
                              .mean()), ["scores", "error"]),
    "loss-and-scores": (lambda s, l: (loss(s, l).reshape(1), s, right(s, l)),
                        ["total", "logits", "accuracy"]),
    "loss": (loss, ["loss"]),
    "two": (lambda s, l: (loss(s, l), s.square().mean(), s),
            ["first", "second", "scores"]),
    "ids": (lambda s: s.argmax(-1), ["ids"]),
    "ids-as-floats": (lambda s: s.argmax(-1).float(), ["ids"]),
    "scores-and-ids": (lambda s: (s, s.argmax(-1)), ["scores", "ids"]),
    "scores-and-shares": (lambda s: (s, s.softmax(-1)), ["scores", "shares"]),
    "one-score": (lambda s: s[:, 0, :1], ["score"]),
    "softmax": (lambda s: s.softmax(-1), ["scores"]),
    "softmax-behind": (lambda s: s.softmax(-1).transpose(1, 2)[:, :9]
                       .transpose(1, 2).reshape(-1, SEQ, 9).clamp(1e-6, 1),
                       ["scores"]),
    "by-hand": (lambda s: s.exp() / s.exp().sum(-1, keepdim=True), ["scores"]),
    "sigmoid": (torch.sigmoid, ["scores"]),
    "tanh": (torch.tanh, ["scores"]),
    "capped": (lambda s: 30 * torch.tanh(s / 30), ["scores"]),
    "log-softmax": (lambda s: s.log_softmax(-1), ["scores"]),
    "log-of-softmax": (lambda s: torch.log(s.softmax(-1).clamp(1e-9, 1)),
                       ["scores"]),
}


def main():
    for name, (outputs, names) in MODELS.items():
        torch.manual_seed(1)
        ids = torch.randint(0, VOCAB, (2, SEQ))
        has_labels = outputs.__code__.co_argcount == 2 if hasattr(
            outputs, "__code__") else False
        args = (ids, ids) if has_labels else (ids,)
        inputs = ["input_ids", "labels"][:len(args)]
        torch.onnx.export(
            Model(outputs).train(), args, os.path.join(HERE, name + ".onnx"),
            dynamo=False, opset_version=17, do_constant_folding=False,
            training=torch.onnx.TrainingMode.TRAINING, input_names=inputs,
            output_names=names, dynamic_axes={n: {0: "batch"} for n in inputs})


if __name__ == "__main__":
    main()
