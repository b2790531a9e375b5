"""Losses written in the model, each by both exporters, with PyTorch's curves.

    .venv/bin/python make.py [NAME...]      # writes *.onnx, curves.json, data/

Without names all files are written. The reference is the module, called once on
the whole global batch. `REFUSED` are losses that do not follow from those of
parts of the batch.
"""

import json
import os
import sys

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, *[os.pardir] * 4)
sys.path[:0] = [os.path.join(ROOT, "examples")]
import training  # noqa: E402

VOCAB, WIDTH, SEQ, BATCH, STEPS = 12, 8, 4, 8, 5
H = dict(training.HYPERPARAMETERS, global_batch_size=BATCH, steps=STEPS,
         lr=0.1, lr_schedule="constant")


class Model(nn.Module):
    """Two blocks and a head, and a loss of the head's scores."""

    def __init__(self, loss, inputs):
        super().__init__()
        self.loss, self.inputs = loss, inputs
        self.emb = nn.Embedding(VOCAB, WIDTH)
        self.up = nn.ModuleList(nn.Linear(WIDTH, 16) for _ in range(2))
        self.down = nn.ModuleList(nn.Linear(16, WIDTH) for _ in range(2))
        self.norm = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.head = nn.Linear(WIDTH, VOCAB, bias=False)
        self.register_buffer("classes", torch.linspace(0.5, 2, VOCAB))

    def forward(self, input_ids, *given):
        x = self.emb(input_ids)
        layers = []
        for up, down, norm in zip(self.up, self.down, self.norm):
            x = x + down(F.gelu(up(norm(x))))
            layers.append(x)
        self.first_layer = layers[0]
        return self.loss(self, self.head(x), *given)


class Weighed(Model):
    """With learned weights of losses, and a head after the first layer."""

    def __init__(self, loss, inputs):
        super().__init__(loss, inputs)
        self.early = nn.Linear(WIDTH, VOCAB, bias=False)
        self.scales = nn.Parameter(torch.tensor([0.3, -0.4, 0.2]))
        if loss in (items, beta, bounded):
            del self.scales
        if loss not in (stacked, deep, uncertainty):
            del self.early


def flat(scores, labels):
    return scores.reshape(-1, VOCAB), labels.reshape(-1)


def nll(scores, labels):
    logs = F.log_softmax(scores, -1)
    return -logs.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)


def mean(m, s, labels):
    return F.cross_entropy(*flat(s, labels))


def total(m, s, labels):
    return F.cross_entropy(*flat(s, labels), reduction="sum")


def class_weights(m, s, labels):
    return F.cross_entropy(*flat(s, labels.clamp(min=0)), weight=m.classes,
                           ignore_index=3)


def masked(m, s, labels):
    mask = (labels >= 0).float()
    return (nll(s, labels) * mask).sum() / mask.sum()


def clamped(m, s, labels):
    mask = (labels >= 0).float()
    return (nll(s, labels) * mask).sum() / mask.sum().clamp(min=1)


def within(m, s, labels):
    """Each term is divided by the count before the sum."""
    mask = (labels >= 0).float()
    return (nll(s, labels) * (mask / (mask.sum() + 1e-8))).sum()


def by_sample(m, s, labels):
    mask = (labels >= 0).float()
    return ((nll(s, labels) * mask).sum(1) / (mask.sum(1) + 1)).mean()


def own_count(m, s, labels):
    """Each target is divided by one plus the number of its sample's targets."""
    mask = (labels >= 0).float()
    return (nll(s, labels) * mask / (mask.sum(1, keepdim=True) + 1)).sum()


def shares(m, s, labels):
    """A sum and a mean, neither of which is divided by a count."""
    mask = (labels >= 0).float()
    share = mask / (mask.sum(1, keepdim=True) + 1)
    return (nll(s, labels) * share).sum() + s.square().mean()


def z_loss(m, s, labels):
    return mean(m, s, labels) + 0.1 * s.logsumexp(-1).pow(2).mean()


def smoothing(m, s, labels):
    logs, mask = F.log_softmax(s, -1), (labels >= 0).float()
    return 0.9 * masked(m, s, labels) + 0.1 * (
        -logs.mean(-1) * mask).sum() / mask.sum()


def heads(m, s, labels, more):
    """Two separate counts, and a mean."""
    return (0.7 * mean(m, s, labels) + 0.3 * masked(m, s * 2, more)
            + s.square().mean())


def sum_and_mean(m, s, labels):
    return 0.1 * total(m, s, labels) + mean(m, s, labels) + s.abs().mean()


def entropies(m, s, labels, more):
    """Two kinds of targets, both of which may be ignored."""
    return 0.7 * mean(m, s, labels) + 0.3 * mean(m, 2 * s, more)


def sentence(m, s, kind):
    """One target per sample, and log probabilities."""
    return F.nll_loss(F.log_softmax(s.mean(1), -1), kind)


def decay(m, s, labels):
    """The second term is added once, for a batch of any size."""
    return mean(m, s, labels) + 0.05 * m.head.weight.square().sum()


def focal(m, s, labels):
    loss = nll(s, labels)
    return ((1 - torch.exp(-loss)) ** 2 * loss).mean()


def bce(m, s, y):
    return F.binary_cross_entropy_with_logits(s, y)


def ratio(m, s, labels):
    """A mean divided by a mean: their counts cancel."""
    mask = (labels >= 0).float()
    return (nll(s, labels) * mask).mean() / mask.mean()


def fixed(m, s, labels, y):
    """Sums and means in a file for two samples. Operators, and the number by
    which the last term is divided, distinguish them."""
    errors = (s - y).square()
    return (0.1 * total(m, s, labels) + ratio(m, s, labels)
            + errors.mean(0).sum() + errors.sum(-1).mean()
            + errors.sum() / s.shape[0])


def kl(m, s, y):
    return F.kl_div(F.log_softmax(s, -1), y, reduction="batchmean")


def mse(m, s, y):
    return F.mse_loss(s, y)


def weighted(m, s, y, weight):
    return ((s - y).square().mean(-1) * weight).sum() / weight.sum()


def reversal(m, s, labels):
    """Positions and classes from the last to the first, and each second."""
    return mean(m, s.flip(1, 2), labels) + s[:, ::2].flip(1).abs().mean()


def contrast(m, s, y):
    """Samples are compared with each other."""
    a, b = s.mean(1), y.mean(1)
    return F.cross_entropy(a @ b.T, torch.arange(a.shape[0]))


def root(m, s, y):
    return torch.sqrt(F.mse_loss(s, y))


def lookup(m, s, y):
    """Some samples have a larger weight, by their index in the batch."""
    return F.mse_loss(s, y) + s[torch.tensor([0, 0, 1])].mean()


def first(m, s, y):
    """The first sample has a larger weight: every one in batches of one."""
    return F.mse_loss(s, y) + s[:1].square().sum()


def gated(m, s, y):
    """Divided by a value that the model computes."""
    gate = torch.sigmoid(s).mean(-1)
    return ((s - y).square().mean(-1) * gate).sum() / gate.sum()


def items(m, s, labels, items):
    """A sum divided by an input that is the same for all samples."""
    return total(m, s, labels) / items


def beta(m, s, labels, beta):
    """A term whose weight is such an input."""
    return mean(m, s, labels) + beta * s.square().mean()


def bounded(m, s, labels, items):
    """Divided by the larger of such an input and a count."""
    mask = (labels >= 0).float()
    return (nll(s, labels) * mask).sum() / torch.maximum(mask.sum(), items / 2)


def powers(m, s, labels, weight):
    """A mean divided by a count, a sum divided by a mean, and terms times the
    mean of an input."""
    mask = (labels >= 0).float()
    each = nll(s, labels) * mask
    return (each.mean() / mask.sum().clamp(min=1) + each.sum() / mask.mean()
            + s.square().mean() * weight.mean()
            + m.head.weight.square().sum() * weight.mean())


def deep(m, s, labels, more):
    """Heads after layers of several stages, each with a separate count."""
    return (mean(m, s, labels) + 0.3 * masked(m, m.early(m.first_layer), more)
            + 0.01 * m.scales.square().sum())


def uncertainty(m, s, labels, more):
    """Means with learned weights."""
    a, b, c = m.scales
    return (torch.exp(-a) * mean(m, s, labels) + a
            + mean(m, m.early(m.first_layer), more) / (2 * b * b)
            + torch.log(b * b) + torch.sigmoid(c) * s.square().mean())


def stacked(m, s, labels, more):
    """Such terms in a vector, whose mean is the loss."""
    losses = torch.stack([mean(m, s, labels), s.square().mean(),
                          mean(m, m.early(m.first_layer), more)])
    return (torch.exp(-m.scales) * losses + m.scales).mean()


def columns(m, s, y):
    """Each column of the targets has a learned weight."""
    errors = (s - y)[..., :3].square().mean((0, 1))
    return (0.5 * (torch.exp(-m.scales) * errors + m.scales)).sum()


def one_element(m, s, labels):
    """A loss of shape [1, 1]; other outputs are the logits and the accuracy."""
    right = (s.argmax(-1) == labels).float().mean()
    return mean(m, s, labels).reshape(1, 1), s, right


LABELS, SCORES = ["labels"], ["y"]
EXACT = {
    mean: LABELS, total: LABELS, class_weights: LABELS, masked: LABELS,
    clamped: LABELS, within: LABELS, by_sample: LABELS, own_count: LABELS,
    shares: LABELS,
    z_loss: LABELS, smoothing: LABELS, heads: ["labels", "more"], sum_and_mean: LABELS,
    decay: LABELS, focal: ["whole"], bce: SCORES, kl: SCORES, mse: SCORES,
    weighted: ["y", "weight"], ratio: LABELS, fixed: ["labels", "y"], reversal: LABELS,
    entropies: ["labels", "more"], sentence: ["kind"],
    one_element: LABELS, powers: ["labels", "weight"],
    items: ["labels", "items"], beta: ["labels", "beta"],
    bounded: ["labels", "items"], deep: ["labels", "more"],
    uncertainty: ["labels", "more"], stacked: ["labels", "more"],
    columns: SCORES,
}
WEIGHED = (items, beta, bounded, deep, uncertainty, stacked, columns)
SHARED = ("items", "beta")
REFUSED = {contrast: SCORES, root: SCORES, gated: SCORES, lookup: SCORES,
           first: SCORES}


def make_data():
    draw = np.random.default_rng(3)
    count = BATCH * STEPS
    ids = draw.integers(0, VOCAB, (count, SEQ))
    whole = draw.integers(0, VOCAB, (count, SEQ))
    # Samples with few targets and with many.
    labels = np.where(draw.random((count, SEQ)) <
                      draw.random((count, 1)), whole, -100)
    more = np.where(draw.random((count, SEQ)) < 0.4, ids, -100)
    y = draw.random((count, SEQ, VOCAB)).astype("f")
    weight = draw.random((count, SEQ)).astype("f")
    kind = np.where(draw.random(count) < 0.3, -100, whole[:, 0])
    return dict(input_ids=ids, labels=labels, more=more, whole=whole, kind=kind,
                y=y / y.sum(-1, keepdims=True), weight=weight,
                items=np.float32(13), beta=np.float32(0.37))


def strip(path):
    """Removes the metadata that tells the PyTorch source of each node."""
    model = onnx.load(path)
    for node in model.graph.node:
        del node.metadata_props[:]
        node.doc_string = ""
    for value in (*model.graph.value_info, *model.graph.input,
                  *model.graph.output):
        del value.metadata_props[:]
    del model.graph.value_info[:]
    del model.functions[:]
    onnx.save(model, path)


def outputs_of(model):
    if model.loss is one_element:
        return ["total", "scores", "right"]
    return ["loss"]


def export(model, args, names, path, dynamo, fixed):
    if dynamo:
        batch = torch.export.Dim("batch")
        shapes = ({0: batch}, tuple({} if n in SHARED else {0: batch}
                                    for n in names[1:]))
        shapes = None if fixed else shapes
        program = torch.onnx.export(
            model, args, dynamo=True, input_names=names, verbose=False,
            output_names=outputs_of(model), dynamic_shapes=shapes,
            # Optimization would fold values computed from parameters alone.
            optimize=model.loss not in (*WEIGHED, powers))
        program.save(path)
    else:
        torch.onnx.export(
            model, args, path, dynamo=False, opset_version=17,
            training=torch.onnx.TrainingMode.TRAINING,
            do_constant_folding=False, input_names=names,
            output_names=outputs_of(model),
            dynamic_axes={n: {0: "batch"} for n in names
                          if not fixed and n not in SHARED})
    strip(path)


def two_losses(path):
    """masked.onnx with two losses as outputs, neither of them named loss."""
    model = onnx.load(os.path.join(HERE, "masked-torchscript.onnx"))
    graph = model.graph
    for node in graph.node:
        node.output[:] = ["first" if n == "loss" else n for n in node.output]
    graph.node.append(onnx.helper.make_node("Neg", ["first"], ["second"]))
    del graph.output[:]
    for name in ("first", "second"):
        graph.output.append(onnx.helper.make_tensor_value_info(
            name, onnx.TensorProto.FLOAT, []))
    onnx.save(model, path)


class Called(nn.Module):
    """A model with fixed values for the inputs that all samples share."""

    def __init__(self, model, shared):
        super().__init__()
        self.model, self.shared = model, shared

    def forward(self, *samples):
        loss = self.model(*samples, *self.shared)
        return loss[0].reshape(()) if isinstance(loss, tuple) else loss


def curve(model, names, data):
    tensors = [torch.from_numpy(data[n]) for n in names if n not in SHARED]
    model = Called(model, [torch.from_numpy(np.asarray(data[n]))
                           for n in names if n in SHARED])
    rows = training.train_on_samples(
        model, tensors, H, torch.optim.SGD(model.parameters(), lr=H["lr"]))
    return [{k: v for k, v in row.items() if k != "lr"} for row in rows]


def main():
    data = make_data()
    os.makedirs(os.path.join(HERE, "data"), exist_ok=True)
    for name, array in data.items():
        np.save(os.path.join(HERE, "data", name + ".npy"), array)
    curves = {}
    if sys.argv[1:]:
        with open(os.path.join(HERE, "curves.json")) as file:
            curves = json.load(file)
    for loss, inputs in {**EXACT, **REFUSED}.items():
        if sys.argv[1:] and loss.__name__ not in sys.argv[1:]:
            continue
        names = ["input_ids", *inputs]
        torch.manual_seed(1)
        kind = Weighed if loss in WEIGHED else Model
        model = kind(loss, inputs).train()
        # Equal parameters would be one in the file.
        for parameter in model.parameters():
            parameter.data += 0.1 * torch.randn_like(parameter)
        count = 2 if loss is fixed else 3
        args = tuple(torch.from_numpy(np.asarray(
            data[n] if n in SHARED else data[n][:count])) for n in names)
        stem = loss.__name__.replace("_", "-")
        for kind in ("torchscript", "dynamo"):
            path = os.path.join(HERE, f"{stem}-{kind}.onnx")
            try:
                export(model, args, names, path, kind == "dynamo",
                       loss is fixed)
            except Exception as error:
                print(path, "is not exported:", str(error)[:200])
        curves[stem] = curve(model, names, data)
        print(stem, curves[stem][0]["loss"], curves[stem][-1]["loss"])
    if not sys.argv[1:]:
        two_losses(os.path.join(HERE, "..", "..", "..", "Frontend",
                                "Inputs", "two-losses.onnx"))
    with open(os.path.join(HERE, "curves.json"), "w") as file:
        json.dump(curves, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
