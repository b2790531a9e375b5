#!/usr/bin/env python3
"""Tests of tools/pcc_export, with the Python of benchmarks/setup:

    .venv/bin/python test/Export/run.py [--bin build/bin] [NAME ...]

Exports the modules of modules.py by both of PyTorch's exporters and tiny models
of transformers as the command line does, some by transformers' exporter, too.
Compares the metadata with the module, and trains each file for five steps
against PyTorch: pcc's program, interpreted in f64. Modules that no file can express must be refused, and leave no file.
Prints a line for each; exits with 1 if one fails.
"""

import argparse
import json
import os
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools")]

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402

import families  # noqa: E402
import modules  # noqa: E402
import steps  # noqa: E402
from pcc_export import (  # noqa: E402
    Refused, context, export, exporters, gradient_check)
from pcc_export.subject import Subject  # noqa: E402

# The log has single precision.
TOLERANCE = 5e-7


def metadata_of(path):
    result = {}
    for p in onnx.load(path, load_external_data=False).metadata_props:
        if p.key.startswith("pcc."):
            text = p.value
            result[p.key[4:]] = json.loads(text) if text[0] in "[{" else text
    return result


def check_metadata(path, module, case):
    """Compares the file's metadata with the module."""
    found = metadata_of(path)
    model = onnx.load(path)
    there = {i.name for i in model.graph.initializer}
    outputs = {o for n in model.graph.node for o in n.output}
    assert found["version"] == "1"
    parameters = {p["name"]: p for p in found["parameters"]}
    wanted = [name for name, _ in module.named_parameters()]
    assert list(parameters) == wanted, (list(parameters), wanted)
    for name, p in parameters.items():
        assert p["trained"] == (name not in case.frozen), name
        assert p.get("padding_row") == case.padded.get(name), name
        assert p.get("aliases", []) == case.tied.get(name, []), name
        holders = [i["name"] for i in p["initializers"]]
        assert holders or not p["trained"], name
        assert set(holders) <= there, holders
    holders = [i["name"] for p in parameters.values()
               for i in p["initializers"]]
    assert len(holders) == len(set(holders)), holders
    assert tuple(b["name"] for b in found["buffers"]) == case.buffers
    detached = found.get("detached", [])
    assert len(detached) == case.detached, detached
    assert set(detached) <= outputs, detached
    context = found.get("context_length")
    assert context == (case.context and str(case.context)), context
    assert not any(n.domain == "pcc" for n in model.graph.node)


def run_module(name, exporter, options, folder):
    case, module = modules.CASES[name], modules.build(name)
    inputs, labels = modules.samples(name, steps.BATCH * steps.STEPS)
    example = {n: t[:2] for n, t in inputs.items()}
    path = os.path.join(folder, "model.onnx")
    said = []
    # The limit for modules of more than 1B parameters.
    limit = 0 if name == "stack" else 10**9
    try:
        export(module, example, path, exporter=exporter, pcc=options.pcc,
               returns_loss=case.loss is None, loss=case.loss,
               gradient_parameters=limit, log=said.append)
    except Refused as error:
        text = "\n".join([str(error), *said])
        assert case.refused, text
        assert case.refused in text, text
        assert not os.path.exists(path)
        return "refused"
    assert not case.refused, "was not refused"
    if case.alone:
        assert any(l.startswith(f"exporter: {case.alone}") for l in said), said
    if case.alone == "dynamo":
        assert any(l.startswith("TorchScript") and "failed" in l for l in said)
    fewer = any("2 layers in layers" in l for l in said)
    assert fewer == (name == "stack"), said
    assert os.listdir(folder) == ["model.onnx"], os.listdir(folder)
    check_metadata(path, module, case)
    return train(module, lambda m, *t: m(*t), path, inputs, labels, case.loss,
                 [] if name == "values" else [f"--seq={modules.SEQ}"],
                 options, folder)


def run_external(options, folder):
    """Weights in a separate file, as for a module of more than 1 GiB."""
    before, exporters.INLINE_BYTES = exporters.INLINE_BYTES, 0
    try:
        return run_family("gpt2", options, folder)
    finally:
        exporters.INLINE_BYTES = before
        assert os.path.exists(os.path.join(folder, "model.onnx.data"))


def run_family(name, options, folder, exporter=None):
    case = families.CASES[name]
    model, call, inputs, labels, said = families.export(
        name, os.path.join(folder, "model.onnx"), options.pcc,
        steps.BATCH * steps.STEPS, exporter)
    families.check(case, metadata_of(os.path.join(folder, "model.onnx")), said,
                   exporter)
    return train(model, lambda m, *t: call(m, *t).logits,
                 os.path.join(folder, "model.onnx"), inputs, labels,
                 case.loss, case.flags, options, folder)


def train(module, call, path, inputs, labels, loss, extra, options, folder):
    data = os.path.join(folder, "data")
    steps.save_data(data, inputs, labels)
    kind = "cross-entropy" if loss == "causal-lm" else loss
    wanted = steps.by_pytorch(module, call, inputs, labels, kind)
    own = steps.by_pytorch(module, call, inputs, labels, kind,
                              torch.float32)
    found = steps.by_pcc(options.bin, path, data, loss, extra, folder)
    worst = steps.largest_difference(found, wanted)
    # Norms of LLaMA compute in f32 for every element type of the module.
    allowed = max(TOLERANCE, 10 * steps.largest_difference(own, wanted))
    assert worst <= allowed, f"training differs by {worst:.1e}"
    return f"{worst:.1e}"


def run_sparse(options, folder):
    """Sparse gradients are compared, although no optimizer here supports
    them."""
    said = []
    tokens = modules.samples("frozen", 2)[0]
    export(modules.Sparse(), tokens, os.path.join(folder, "model.onnx"),
           loss="cross-entropy", pcc=options.pcc, log=said.append)
    assert any("6 parameters agree with autograd" in line for line in said)
    return "ok"


def run_recurrent(_, folder):
    """The search for the longest sequence ends in time."""
    class Recurrent(modules.Tokens):
        def __init__(self):
            super().__init__()
            self.first = torch.nn.GRU(modules.WIDTH, modules.WIDTH,
                                      batch_first=True)

        def body(self, x):
            return self.second(self.first(x)[0])

    subject = Subject(Recurrent(), modules.samples("frozen", 2)[0])
    said, begin = [], time.monotonic()
    before, context.SECONDS = context.SECONDS, 0.05
    try:
        assert context.context_length(subject, said.append) is None
    finally:
        context.SECONDS = before
    assert "were not tried" in said[0], said
    return f"{time.monotonic() - begin:.0f} s"


def run_rounding(_):
    """A gradient whose terms cancel may differ only by rounding."""
    wanted = {"weight": np.ones(4), "shift": np.zeros(1)}

    def problems(shift):
        found = dict(wanted, shift=np.full(1, shift))
        noise = gradient_check.noise_of(wanted, single=wanted)
        return gradient_check.compare(wanted, found, noise)[0]

    assert problems(3.5e-17) == []
    assert problems(1e-12) == ["gradient of 'shift' differs by 1.0e-12, where "
                               "autograd's is zero"], problems(1e-12)
    return "ok"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    options.pcc = os.path.join(options.bin, "pcc")
    jobs = [(f"{name} by {exporter}", name,
             lambda folder, n=name, e=exporter: run_module(n, e, options,
                                                           folder))
            for name, case in modules.CASES.items()
            for exporter in ((None,) if case.alone else
                             ("TorchScript", "dynamo"))]
    jobs.append(("external weights", "external", lambda folder:
                 run_external(options, folder)))
    jobs += [(f"{name} by transformers' exporter", "transformers",
              lambda folder, n=name: run_family(n, options, folder,
                                                "transformers"))
             for name in ("gpt2", "llama", "bert")]
    jobs.append(("rounding", "rounding", run_rounding))
    jobs.append(("sparse", "sparse",
                 lambda folder: run_sparse(options, folder)))
    jobs.append(("recurrent", "recurrent",
                 lambda folder: run_recurrent(options, folder)))
    jobs += [(name, name,
              lambda folder, n=name: run_family(n, options, folder))
             for name in families.CASES]
    failed = 0
    for title, name, job in jobs:
        if options.names and name not in options.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                print(f"{title}: {job(folder)}", flush=True)
            except Exception as error:
                failed += 1
                print(f"{title}: FAILED: {error}", flush=True)
                if os.environ.get("DEBUG"):
                    traceback.print_exc()
    sys.exit(f"{failed} failed" if failed else 0)


if __name__ == "__main__":
    main()
