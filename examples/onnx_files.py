"""Exports models to ONNX in training mode, for pcc.

Constant folding would fuse and transpose weights and lose their names, and
inference mode would remove dropout, so both are off. Opset 17 is
the newest that the TorchScript exporter writes and the first with
LayerNormalization.
"""

import os
import warnings

import onnx
import torch
from onnx.external_data_helper import set_external_data

# Every tensor of an external data file begins at a multiple of this.
ALIGNMENT = 64


def export(model, arguments, path, inputs, outputs, dims=None):
    """Exports `model` called with `arguments` to `path`, weights inline.

    `inputs` and `outputs` name the graph's inputs and outputs in order. `dims`
    maps such a name to the names of its dynamic dims ({0: "batch"}); None
    leaves every dim as it is in `arguments`.
    """
    model.train()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            arguments,
            path,
            input_names=inputs,
            output_names=outputs,
            dynamic_axes=dims,
            opset_version=17,
            do_constant_folding=False,
            training=torch.onnx.TrainingMode.TRAINING,
            dynamo=False,
        )
    onnx.checker.check_model(path)


def write_external(model, path, location):
    """Writes `model`, a loaded ONNX model, to `path` with all initializers in
    the file `location` next to it, in the order of their names.

    Models with equal weights thus write equal data files and can share one.
    """
    offset = 0
    folder = os.path.dirname(path)
    with open(os.path.join(folder, location), "wb") as data:
        for tensor in sorted(model.graph.initializer, key=lambda t: t.name):
            data.write(bytes(-offset % ALIGNMENT))
            offset += -offset % ALIGNMENT
            raw = tensor.raw_data
            set_external_data(tensor, location, offset, len(raw))
            data.write(raw)
            offset += len(raw)
            tensor.ClearField("raw_data")
    with open(path, "wb") as file:
        file.write(model.SerializeToString(deterministic=True))
    onnx.checker.check_model(path)


def strip_traces(path):
    """Removes the stack traces in the dynamo exporter's metadata of nodes: they
    name folders of this machine and are half of the file."""
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
