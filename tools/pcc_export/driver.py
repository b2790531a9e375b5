"""export(): tries the exporters in turn until a file passes all checks."""

import contextlib
import os
import shutil
import sys

import torch

from . import (context, exporters, facts as module_facts, forward_check,
               gradient_check, graph, matching, metadata)
from .messages import AttemptFailed, Refused
from .subject import Subject
from .work_folder import WorkFolder, target_error

# Above this many parameters gradients are compared on fewer layers, if the
# module has lists of layers.
GRADIENT_PARAMETERS = 1_000_000_000
LAYERS_LEFT = 2


def to_stderr(line):
    print(line, file=sys.stderr, flush=True)


def export(module, inputs, path, *, names=None, dynamic=None, output=None,
           returns_loss=False, loss=None, call=None, context_length=None,
           opset=17, exporter=None, check_gradients=True, pcc=None,
           gradient_parameters=GRADIENT_PARAMETERS, source=None,
           log=to_stderr):
    """Writes `module` to `path` as an ONNX file that pcc trains as PyTorch
    does. Raises Refused, and writes nothing, if that is not possible.

    inputs: example tensors, a dict by keyword or a tuple by position; dynamic
    dims of extent 1 are resized to 2. names: the names of a tuple's tensors.
    dynamic: name -> {dim: label} of the dynamic dims; by default, dim 0 is
    "batch" and dim 1 of integers is "seq". output: the key, attribute or
    position of the output to export, if the module returns several.
    returns_loss: the output is the loss to train; otherwise `loss` is what
    pcc's --loss will be ("causal-lm", "cross-entropy" or "mse", the default),
    which only the comparison of gradients needs. call: function(module,
    *tensors) that calls the module. context_length: the longest sequence, if
    the module does not state it. exporter: only "TorchScript" or only
    "dynamo". pcc: the compiler to compare gradients with. source: the model
    directory that the module was loaded from, as source.describe() returns it.
    Returns the attempt that succeeded.
    """
    refuse_target(path)
    subject = Subject(module, inputs, names, dynamic, output, returns_loss,
                      call)
    loss = loss or "mse"
    with quiet_parameters(module), torch.enable_grad():
        facts = module_facts.observe(subject)
        length = context_length or context.context_length(subject, log)
        tools = gradient_check.find_tools(pcc) if check_gradients else None
        job = Job(subject, facts, length, loss, tools, gradient_parameters,
                  source, log)
        describe(facts, length, log)
        reasons = []
        for attempt in exporters.attempts(module, opset, exporter):
            if reasons:
                log(f"{reasons[-1][0]}: failed: "
                    f"{reasons[-1][1].splitlines()[0]}")
            try:
                job.run(attempt, path)
            except AttemptFailed as error:
                reasons.append((attempt, str(error)))
                continue
            if not tools:
                say_unchecked(facts, check_gradients, log)
            return attempt
    raise refusal(facts, reasons)


def refuse_target(path):
    error = target_error(path)
    if error:
        raise Refused(error, ["the name is that of a file, such as model.onnx"])


@contextlib.contextmanager
def quiet_parameters(module):
    """Restores the parameters' gradients afterwards."""
    before = {p: p.grad for p in module.parameters()}
    try:
        yield
    finally:
        for p, gradient in before.items():
            p.grad = gradient


def describe(facts, length, log):
    count = sum(p.tensor.numel() for p in facts.parameters)
    frozen = [p for p in facts.parameters if not p.trained]
    text = f"{count:,} in {len(facts.parameters)} tensors"
    if frozen:
        text += f", {len(frozen)} not trained ({frozen[0].name}" + \
            (", ...)" if len(frozen) > 1 else ")")
    tied = [p for p in facts.parameters if p.aliases]
    if tied:
        text += f", tied: {tied[0].name} = {tied[0].aliases[0]}" + \
            (", ..." if len(tied) > 1 else "")
    log(f"parameters: {text}")
    for p in facts.parameters:
        if p.padding_row is not None:
            log(f"padding: row {p.padding_row} of {p.name} gets no gradient "
                "from lookups")
    if length:
        log(f"context: {length} tokens")


def say_unchecked(facts, wanted, log):
    why = "pcc and pcc-run were not found" if wanted else "as asked for"
    log(f"gradients: not compared, {why}; build pcc and pass --pcc "
        "build/bin/pcc, or put it on PATH")
    for name in facts.custom:
        log(f"warning: {name} defines its own backward, which a file "
            "cannot express: without the comparison it is unchecked")


def refusal(facts, reasons):
    notes = [f"{attempt}: {reason}" for attempt, reason in reasons]
    notes += [f"{name} defines its own backward, which a file cannot express"
              for name in facts.custom]
    return Refused("no exporter writes this module so that it trains as in "
                   "PyTorch", notes)


class Job:
    """One export: the state that all attempts share."""

    def __init__(self, subject, facts, length, loss, tools, limit, source,
                 log):
        self.subject, self.facts, self.length = subject, facts, length
        self.loss, self.tools, self.limit = loss, tools, limit
        self.source, self.log = source, log

    def run(self, attempt, path):
        """Writes and checks the file, then moves it and its weights."""
        folder = os.path.dirname(os.path.abspath(path))
        os.makedirs(folder, exist_ok=True)
        external = exporters.weighs_much(self.subject.module)
        with WorkFolder(folder) as made:
            work, name = made.path, os.path.basename(path)
            self.doing = made.doing
            recorder, matches, detached = self.write(
                attempt, self.facts, os.path.join(work, name), external)
            self.log(f"exporter: {attempt}")
            for number in detached:
                mark = recorder.marks[number]
                self.log(f"detached: {mark.place} ({mark.what})")
            self.log("forward: " + (self.outputs or
                     "not compared, ONNX Runtime lacks bfloat16"))
            if self.tools:
                self.doing("gradients were compared")
                self.compare_gradients(attempt, os.path.join(work, name),
                                       matches, work)
            files = [file for file in (name + ".data", name)
                     if os.path.exists(os.path.join(work, file))]
            for file in files:
                os.replace(os.path.join(work, file),
                           os.path.join(folder, file))
        self.log(f"wrote: {path}" + (
            f" and {path}.data" if len(files) > 1 else ""))

    def write(self, attempt, facts, path, external):
        """Exports, edits, checks the outputs and adds the metadata."""
        folder = os.path.dirname(path)
        raw = os.path.join(folder, "raw")
        os.makedirs(raw)
        self.doing(f"PyTorch's exporter ({attempt}) wrote the module: it may "
                   "have crashed")
        recorder = exporters.run(self.subject, attempt,
                                 os.path.join(raw, "raw.onnx"))
        self.doing(f"the file of {attempt} was edited and compared")
        model = graph.load(os.path.join(raw, "raw.onnx"))
        shutil.rmtree(raw)
        graph.strip_traces(model)
        graph.take_wrapper_away(model)
        detached = graph.replace_marks(model)
        ratios = graph.train_dropout(model)
        if not same_ratios(ratios, facts.ratios):
            raise AttemptFailed(
                f"the module has {len(facts.ratios)} dropouts, the file has "
                f"{len(ratios)} or other ratios")
        matches = matching.match(model, facts)
        metadata.write(model, facts, matches, detached, self.length, attempt,
                       self.source)
        graph.save(model, path, external)
        self.outputs = forward_check.check(self.subject, model, folder,
                                           self.length)
        if not self.outputs and not self.tools:
            raise AttemptFailed("ONNX Runtime lacks bfloat16, and without pcc "
                                "there is no other comparison")
        return recorder, matches, detached

    def compare_gradients(self, attempt, path, matches, work):
        count = sum(p.tensor.numel() for p in self.facts.parameters)
        layers = layer_lists(self.subject.module)
        folder = os.path.join(work, "gradients")
        os.makedirs(folder)
        if count <= self.limit or not layers:
            found = gradient_check.check(
                self.subject, self.facts, matches, self.loss, path, folder,
                self.tools, self.log)
            which = f"{len(self.facts.trained())} parameters"
        else:
            found, which = self.compare_fewer(attempt, layers, folder)
        self.log(f"gradients: {which} {found}")

    def compare_fewer(self, attempt, layers, folder):
        """Compares gradients on the module with only a few of its layers."""
        with fewer(layers):
            facts = module_facts.observe(self.subject)
            path = os.path.join(folder, "fewer.onnx")
            external = exporters.weighs_much(self.subject.module)
            matches = self.write(attempt, facts, path, external)[1]
            found = gradient_check.check(
                self.subject, facts, matches, self.loss, path, folder,
                self.tools, self.log)
        names = ", ".join(name for name, _ in layers)
        return found, (f"{len(facts.trained())} parameters of the module with "
                       f"{LAYERS_LEFT} layers in {names}")


def same_ratios(found, wanted):
    return len(found) == len(wanted) and all(
        abs(a - b) <= 1e-6 for a, b in zip(found, wanted))


def layer_lists(module):
    """(name, list) of each ModuleList of more than LAYERS_LEFT layers, all of
    one class."""
    return [(name, m) for name, m in module.named_modules()
            if isinstance(m, torch.nn.ModuleList) and len(m) > LAYERS_LEFT
            and len({type(layer) for layer in m}) == 1]


@contextlib.contextmanager
def fewer(layers):
    before = [(m, dict(m._modules)) for _, m in layers]
    try:
        for m, modules in before:
            m._modules = dict(list(modules.items())[:LAYERS_LEFT])
        yield
    finally:
        for m, modules in before:
            m._modules = modules
