"""PyTorch's exporters, with the flags that keep what training needs, and that of
transformers.

TorchScript in training mode with constant folding off keeps every parameter
under its name and every dropout; it is tried first. It cannot export some
operators (fused attention over grouped heads, complex numbers), and turns sizes
that Python computes into constants. Next is the dynamo exporter, unoptimized,
because its optimizer merges and folds parameters. If fused attention is the
problem, models of transformers can compute it by primitives ("eager"), and
PyTorch can compute it without the fused kernel ("math"): the kernel's results
have a memory layout that views in dynamo's trace do not support. The last is the
exporter of transformers: dynamo with changes to models that it cannot trace.

All export a value through which no gradient flows as a custom node,
pcc::StopGradient, whose attribute `mark` is the number of the mark. graph.py
replaces it by an Identity.
"""

import contextlib
import dataclasses
import importlib.util
import os
from unittest import mock

import onnx
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from .messages import AttemptFailed, Refused, first_line, quiet
from .recorder import Recorder
from .subject import as_it_was

DOMAIN = "pcc"
DYNAMO_OPSET = 18
# Protobuf is limited to 2 GiB; weights of more bytes than this go to a separate
# file.
INLINE_BYTES = 1 << 30


@dataclasses.dataclass
class Attempt:
    """exporter: a key of WRITERS. attention: None for unchanged."""

    exporter: str
    opset: int
    attention: str = None

    def __str__(self):
        how = "training mode" if self.exporter == "TorchScript" else \
            "unoptimized"
        eager = f", {self.attention} attention" if self.attention else ""
        return f"{self.exporter}, opset {self.opset}, {how}{eager}"


def attempts(module, opset, only=None):
    """The attempts, in order."""
    attention = [None]
    implementation = getattr(getattr(module, "config", None),
                             "_attn_implementation", "eager")
    if hasattr(module, "set_attn_implementation") and (
            implementation != "eager"):
        attention.append("eager")
    both = [("TorchScript", min(opset, 20)),
            ("dynamo", max(opset, DYNAMO_OPSET))]
    tried = [Attempt(exporter, version, a) for exporter, version in both
             for a in attention] + [Attempt(*both[1], "math")]
    if only == "transformers" or is_of_transformers(module):
        tried.append(Attempt("transformers", max(opset, DYNAMO_OPSET)))
    return [a for a in tried if only in (None, a.exporter)]


def is_of_transformers(module):
    """Whether the exporter of transformers takes the module, and is there."""
    return hasattr(module, "config") and importlib.util.find_spec(
        "transformers") is not None and importlib.util.find_spec(
            "transformers.exporters") is not None


@torch.library.custom_op("pcc::stop_gradient", mutates_args=())
def stop_gradient(value: torch.Tensor, mark: int) -> torch.Tensor:
    return value.clone()


@stop_gradient.register_fake
def _(value, mark):
    return torch.empty_like(value)


class StopGradient(torch.autograd.Function):
    """stop_gradient for TorchScript."""

    @staticmethod
    def forward(ctx, value, mark):
        return value.clone()

    @staticmethod
    def symbolic(g, value, mark):
        result = g.op(DOMAIN + "::StopGradient", value, mark_i=mark)
        result.setType(value.type())
        return result


@contextlib.contextmanager
def attention(module, implementation):
    if implementation is None:
        yield
        return
    if implementation == "math":
        with sdpa_kernel([SDPBackend.MATH]):
            yield
        return
    before = module.config._attn_implementation
    module.set_attn_implementation(implementation)
    try:
        yield
    finally:
        module.set_attn_implementation(before)


def run(subject, attempt, path):
    """Exports the module to `path`; returns the recorder of the export."""
    write = WRITERS[attempt.exporter]
    module = subject.module
    try:
        with as_it_was(module), quiet(), attention(module, attempt.attention):
            return write(subject, attempt.opset, path)
    except Refused:
        raise
    except Exception as error:
        refused = cause_of(error)
        if refused:
            raise refused
        raise AttemptFailed(first_line(error)) from error


def cause_of(error):
    """A Refused that an exporter wrapped into its own exception."""
    while error is not None:
        if isinstance(error, Refused):
            return error
        error = error.__cause__ or error.__context__
    return None


def by_torchscript(subject, opset, path):
    recorder = Recorder(lambda value, mark: StopGradient.apply(
        value.detach(), mark))
    torch.onnx.export(
        subject.wrapper(recorder).train(),
        tuple(subject.inputs.values()),
        path,
        dynamo=False,
        opset_version=opset,
        training=torch.onnx.TrainingMode.TRAINING,
        do_constant_folding=False,
        input_names=list(subject.inputs),
        output_names=[output_name(subject)],
        dynamic_axes=subject.dynamic,
    )
    return recorder


def by_dynamo(subject, opset, path):
    recorder = Recorder(lambda value, mark: stop_gradient(
        value.detach(), mark))
    program = torch.onnx.export(
        subject.wrapper(recorder).train(),
        tuple(subject.inputs.values()),
        dynamo=True,
        optimize=False,
        opset_version=opset,
        input_names=list(subject.inputs),
        output_names=[output_name(subject)],
        dynamic_shapes={"tensors": tuple(subject.dynamic.values())},
        custom_translation_table={
            torch.ops.pcc.stop_gradient.default: stop_gradient_node()},
        verbose=False,
    )
    program.save(path, external_data=weighs_much(subject.module))
    return recorder


def by_transformers(subject, opset, path):
    """The exporter of transformers: dynamo, with its patches of models that
    dynamo cannot trace."""
    import onnx_ir
    from transformers.exporters import exporter_dynamo
    from transformers.exporters import exporter_onnx as theirs

    recorder = Recorder(lambda value, mark: stop_gradient(
        value.detach(), mark))
    wrapper = subject.wrapper(recorder).train()
    wrapper.forward = by_keywords(wrapper.forward, subject.inputs)
    dims = {label: torch.export.Dim.DYNAMIC for label in subject.extents()}
    config = theirs.OnnxConfig(
        dynamic_shapes={name: {d: dims[label] for d, label in labels.items()}
                        for name, labels in subject.dynamic.items()},
        optimize=False, opset_version=opset)
    table = theirs._ONNX_TRANSLATION_TABLE
    mark = torch.ops.pcc.stop_gradient.default
    table[mark] = stop_gradient_node()
    try:
        with mock.patch.object(exporter_dynamo, "torch", WithGradients()):
            model, _ = theirs.OnnxExporter().export_program(
                wrapper, dict(subject.inputs), config)
    finally:
        del table[mark]
    for value in model.graph.inputs:
        for dim, label in subject.dynamic[value.name].items():
            value.shape[dim] = label
    model.graph.outputs[0].name = output_name(subject)
    data = os.path.basename(path) + ".data"
    onnx_ir.save(model, path, external_data=(
        data if weighs_much(subject.module) else None))
    return recorder


class WithGradients:
    """The module torch, for an exporter that traces without gradients: all values
    would be recorded as detached."""

    no_grad = contextlib.nullcontext

    def __getattr__(self, name):
        return getattr(torch, name)


def by_keywords(forward, names):
    """`forward`, which takes tensors by position, with the keywords `names` in
    this order. Returns the output in a dict."""

    def call(**tensors):
        return {"result": forward(*(tensors[name] for name in names))}

    return call


WRITERS = {"TorchScript": by_torchscript, "dynamo": by_dynamo,
           "transformers": by_transformers}


def stop_gradient_node():
    """The node that dynamo writes for stop_gradient; it needs a schema."""
    import onnxscript

    of = onnx.defs.OpSchema
    if not onnx.defs.has("StopGradient", DOMAIN):
        floats = [f"tensor({t})" for t in
                  ("float", "double", "float16", "bfloat16")]
        onnx.defs.register_schema(of(
            "StopGradient", DOMAIN, 1,
            inputs=[of.FormalParameter("value", "T")],
            outputs=[of.FormalParameter("same", "T")],
            type_constraints=[("T", floats, "")],
            attributes=[of.Attribute("mark", of.AttrType.INT, required=True)]))
    opset = onnxscript.values.Opset(DOMAIN, 1)

    def node(value, mark: int):
        return opset.StopGradient(value, mark=mark)

    return node


def output_name(subject):
    if subject.returns_loss:
        return "loss"
    return "logits" if "output" in subject.inputs else "output"


def weighs_much(module):
    """Whether the weights go to a separate file."""
    size = sum(t.numel() * t.element_size()
               for t in [*module.parameters(), *module.buffers()])
    return size > INLINE_BYTES
