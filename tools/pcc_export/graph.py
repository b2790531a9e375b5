"""Edits an exported file: names, marks and dropout.

- The wrapper's prefix is removed: "module.h.0.weight" becomes "h.0.weight".
- pcc::StopGradient becomes Identity; its output is a detached value.
- TorchScript and dynamo export the dropout of fused attention in inference
  mode; every Dropout of an export in training mode is set to training mode.
- Stack traces and documentation, which name folders of this machine, are
  removed.
"""

import os

import numpy as np
import onnx
from onnx import numpy_helper

from .exporters import DOMAIN
from .messages import AttemptFailed

PREFIX, SCOPE = "module.", "/module/"


def load(path):
    return onnx.load(path)


def short(name):
    """A name without the wrapper's prefix."""
    if name.startswith(PREFIX):
        return name[len(PREFIX):]
    return name[len(SCOPE) - 1:] if name.startswith(SCOPE) else name


def graphs(graph):
    """A graph and the subgraphs of its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from graphs(attribute.g)


def shortened(names, fixed=()):
    """Old name -> short name, for names whose short name is unique."""
    count = {}
    for name in [*map(short, names), *fixed]:
        count[name] = count.get(name, 0) + 1
    return {name: short(name) for name in names if count[short(name)] == 1}


def take_wrapper_away(model):
    inner = list(graphs(model.graph))
    fixed = {v.name for v in (*model.graph.input, *model.graph.output)}
    values = {name for graph in inner for name in [
        *(i.name for i in graph.initializer),
        *(o for n in graph.node for o in n.output)]}
    rename = shortened(values - fixed, fixed)
    nodes = shortened([n.name for graph in inner for n in graph.node])
    for graph in inner:
        # The model's own outputs keep the names of the export.
        outputs = graph.output if graph is not model.graph else ()
        for named in (*graph.initializer, *graph.value_info, *outputs):
            named.name = rename.get(named.name, named.name)
        for node in graph.node:
            node.name = nodes.get(node.name, node.name)
            node.input[:] = [rename.get(i, i) for i in node.input]
            node.output[:] = [rename.get(o, o) for o in node.output]


def strip_traces(model):
    for graph in graphs(model.graph):
        for owner in (graph, *graph.node, *graph.value_info, *graph.input,
                      *graph.output, *graph.initializer):
            owner.ClearField("doc_string")
            kept = [p for p in owner.metadata_props
                    if "stack_trace" not in p.key]
            del owner.metadata_props[:]
            owner.metadata_props.extend(kept)


def replace_marks(model):
    """Replaces marks; returns mark's number -> name of the detached value."""
    detached = {}
    for graph in graphs(model.graph):
        for node in graph.node:
            if node.domain == DOMAIN and node.op_type == "StopGradient":
                if graph is not model.graph:
                    raise AttemptFailed(
                        "a detached value is inside a branch or loop")
                detached[node.attribute[0].i] = node.output[0]
                node.op_type, node.domain = "Identity", ""
                del node.attribute[:]
    kept = [o for o in model.opset_import if o.domain != DOMAIN]
    del model.opset_import[:]
    model.opset_import.extend(kept)
    return detached


def constants(graph):
    """Name -> value of one-element initializers and of Constant nodes."""
    result = {}
    for i in graph.initializer:
        if len(i.dims) == 0 or list(i.dims) == [1]:
            result[i.name] = numpy_helper.to_array(i)
    for node in graph.node:
        if node.op_type == "Constant" and node.attribute[0].HasField("t"):
            result[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    return result


def train_dropout(model):
    """Sets every Dropout of the main graph to training mode; returns the ratios
    that are not 0, sorted."""
    graph, ratios = model.graph, []
    known = constants(graph)
    nodes = [n for n in graph.node if n.op_type == "Dropout"]
    flag = "dropout_trains"
    if nodes:
        graph.initializer.append(
            numpy_helper.from_array(np.array(True), flag))
    for node in nodes:
        ratio = 0.5
        if len(node.input) > 1 and node.input[1]:
            ratio = float(known[node.input[1]])
        node.input[:] = [*node.input[:2], *[""] * (2 - len(node.input)), flag]
        ratios.append(ratio)
    return sorted(r for r in ratios if r)


def without_dropout(model):
    """A copy whose Dropout nodes are in inference mode."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for node in copy.graph.node:
        if node.op_type == "Dropout":
            node.input[:] = node.input[:1]
    return copy


def save(model, path, external):
    """Saves with deterministic bytes. If `external`, weights move from `model`
    to a file next to it."""
    if external:
        onnx.save_model(model, path, save_as_external_data=True,
                        all_tensors_to_one_file=True, size_threshold=1024,
                        location=os.path.basename(path) + ".data")
        return
    with open(path, "wb") as file:
        file.write(model.SerializeToString(deterministic=True))
