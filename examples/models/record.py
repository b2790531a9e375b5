#!/usr/bin/env python3
"""Records PyTorch's training curves of the models of models.py.

Run with the Python of benchmarks/setup:

    .venv/bin/python examples/models/record.py [--models NAME,NAME]

Writes, next to this file:

    hyperparameters.json    the hyper-parameters, under the names of the
                            training program's flags
    curves/NAME.jsonl       one object per step, as the program's --log-json
    curves/NAME-f16.jsonl   the same from weights rounded to fp16
    curves/NAME-bf16.jsonl  the same from weights rounded to bf16
    curves/NAME-documents.jsonl
                            of the models DOCUMENTS, where the tokens
                            "documents" of hyperparameters.json end a document:
                            each document goes through the model alone, and the
                            token after its end is no target
    data/NAME/INPUT.npy     the data of models that are not trained on text;
                            labels.npy has the targets

Language models train on examples/data/gpl-3.bin. See ../training.py for the
order of the data and the definition of the loss.
"""

import argparse
import contextlib
import json
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import mixtures  # noqa: E402
import models  # noqa: E402
import training  # noqa: E402

HYPERPARAMETERS = dict(
    training.HYPERPARAMETERS,
    global_batch_size=8,
    seq=models.SEQ,
    steps=10,
    warmup_steps=2,
    documents="10,32",
)
DOCUMENTS = ("gpt2", "llama", "gpt-oss", "mistral", "gemma")
# For models that are not trained on text: three batches.
SAMPLES = 24
TYPES = {"": torch.float32, "-f16": torch.float16, "-bf16": torch.bfloat16}


def targets_of(spec, count):
    """Labels below the number of classes. With a label per position, one in
    ten is ignored."""
    generator = torch.Generator().manual_seed(2)
    shape = (count, *spec.targets)
    labels = torch.randint(0, spec.classes, shape, generator=generator)
    if spec.targets:
        ignored = torch.rand(shape, generator=generator) < 0.1
        labels[ignored] = -100
    return labels


def feeder(name, inputs):
    """Function of step -> (list of input tensors, targets); saves data that it
    generates."""
    spec, h = models.MODELS[name], HYPERPARAMETERS
    if spec.loss == "causal-lm":
        tokens = training.read_tokens(os.path.join(HERE, h["data"]))

        def text(step):
            x, y = training.batch_of(
                tokens, step, h["global_batch_size"], h["seq"]
            )
            return [x], y

        return text
    data = models.sample(inputs, SAMPLES, spec.data_seed)
    labels = targets_of(spec, SAMPLES)
    folder = os.path.join(HERE, "data", name)
    os.makedirs(folder, exist_ok=True)
    for i, tensor in zip(inputs, data):
        np.save(os.path.join(folder, i.name + ".npy"), tensor.numpy())
    np.save(os.path.join(folder, "labels.npy"), labels.numpy())

    def samples(step):
        size = h["global_batch_size"]
        rows = [((step - 1) * size + i) % SAMPLES for i in range(size)]
        return [t[rows] for t in data], labels[rows]

    return samples


def by_document(model, tokens, ends):
    """Logits [batch, seq, vocab] of `tokens`; each document goes through the
    model alone."""
    rows = []
    for sample in tokens:
        last = torch.isin(sample, ends).nonzero().flatten() + 1
        sizes = torch.diff(last, prepend=torch.tensor([0]),
                           append=torch.tensor([len(sample)]))
        parts = [part for part in sample.split(sizes.tolist()) if len(part)]
        rows.append(torch.cat([model(part[None])[0] for part in parts]))
    return torch.stack(rows)


def of_documents(feed, model, h):
    """The model and the feed of samples with several documents."""
    ends = torch.tensor([int(end) for end in h["documents"].split(",")])

    def without(step):
        (x,), y = feed(step)
        return [x], y.masked_fill(torch.isin(x, ends), -100)

    model.train()
    return lambda x: by_document(model, x, ends), without


def train(model, feed, h, scores_of=None):
    """training.take_steps() on the batches of feed(step). scores_of: of inputs,
    the model by default."""
    model.train()
    scores_of = scores_of or model

    def backward(step):
        x, y = feed(step)
        scores = scores_of(*x)
        loss = F.cross_entropy(
            scores.flatten(0, -2), y.flatten(), ignore_index=-100
        )
        loss.backward()
        return loss.item()

    return training.take_steps(model, h, backward)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--models", default=",".join(models.MODELS))
    names = parser.parse_args().models.split(",")
    torch.set_num_threads(2)
    with open(os.path.join(HERE, "hyperparameters.json"), "w") as file:
        json.dump(HYPERPARAMETERS, file, indent=2)
        file.write("\n")
    os.makedirs(os.path.join(HERE, "curves"), exist_ok=True)
    for name in names:
        for suffix, dtype in TYPES.items():
            if suffix and name not in models.EVERY_KIND:
                continue
            model, inputs = models.build(name, dtype=dtype)
            path = os.path.join(HERE, "curves", f"{name}{suffix}.jsonl")
            checked = contextlib.nullcontext()
            if models.MODELS[name].is_mixture:
                checked = mixtures.checked_choices()
            with checked, open(path, "w") as file:
                for row in train(
                    model.float(), feeder(name, inputs), HYPERPARAMETERS
                ):
                    file.write(json.dumps(row) + "\n")
            print(f"{name}{suffix}: loss {row['loss']:.6f}", flush=True)
        if name in DOCUMENTS:
            model, inputs = models.build(name)
            model = model.float()
            scores_of, feed = of_documents(feeder(name, inputs), model,
                                           HYPERPARAMETERS)
            path = os.path.join(HERE, "curves", f"{name}-documents.jsonl")
            with open(path, "w") as file:
                for row in train(model, feed, HYPERPARAMETERS, scores_of):
                    file.write(json.dumps(row) + "\n")
            print(f"{name}-documents: loss {row['loss']:.6f}", flush=True)


if __name__ == "__main__":
    main()
