"""Facts about a module's parameters: names, ties, trained or not, padding.

They are observed in one forward pass in training mode. A parameter is trained
if it requires a gradient and autograd's graph of the exported output reaches
it.
"""

import dataclasses
import inspect

import torch

from .messages import Refused, first_line
from .recorder import Recorder
from .subject import as_it_was


@dataclasses.dataclass
class Parameter:
    name: str
    aliases: list
    tensor: torch.Tensor
    trained: bool = False
    padding_row: int = None


@dataclasses.dataclass
class Facts:
    """parameters: in the module's order, tied ones once. buffers: name ->
    tensor. ratios: the ratios of all dropouts that are not 0, sorted. custom:
    classes with their own backward. output_shape: the exported tensor's."""

    parameters: list
    buffers: dict
    ratios: list
    custom: list
    output_shape: tuple

    def trained(self):
        return [p for p in self.parameters if p.trained]


def observe(subject):
    module = subject.module
    parameters = named(module.named_parameters(remove_duplicate=False))
    refuse_shared_memory(parameters)
    buffers = dict(module.named_buffers())
    versions = {id(t): t._version for t in
                [*module.parameters(), *module.buffers()]}
    recorder = Recorder()
    with as_it_was(module):
        wrapper = subject.wrapper(recorder).train()
        output = call(wrapper, subject)
        refuse_changes(module, versions)
    reached, custom = walk(output)
    for p in parameters:
        p.trained = p.tensor.requires_grad and id(p.tensor) in reached
    if not any(p.trained for p in parameters):
        raise Refused(
            "no parameter is trained: the output depends on none that requires "
            "a gradient",
            ["detach() and torch.no_grad() stop the gradient between the "
             "output and the parameters"])
    note_padding(parameters, recorder.lookups)
    for lookup in recorder.lookups:
        if lookup.padding is not None:
            subject.show(lookup.ids, lookup.padding)
    return Facts(parameters, buffers, sorted(recorder.ratios), custom,
                 tuple(output.shape))


def call(wrapper, subject):
    """The output for the example inputs."""
    try:
        return wrapper(*subject.inputs.values())
    except Refused:
        raise
    except Exception as error:  # The module's code may raise any.
        shapes = ", ".join(f"{name} {list(tensor.shape)}"
                           for name, tensor in subject.inputs.items())
        raise Refused(f"the module fails with the example inputs {shapes}: "
                      f"{first_line(error)}",
                      ["it has to run with them before it can be exported"]
                      ) from error


def named(pairs):
    """Parameters, each once under its first name."""
    found = {}
    for name, tensor in pairs:
        if id(tensor) in found:
            found[id(tensor)].aliases.append(name)
        else:
            found[id(tensor)] = Parameter(name, [], tensor)
    return list(found.values())


def refuse_shared_memory(parameters):
    by_memory = {}
    for p in parameters:
        if not p.tensor.numel() or p.tensor.device.type == "meta":
            continue
        other = by_memory.setdefault(p.tensor.data_ptr(), p)
        if other is not p:
            raise Refused(
                f"parameters '{other.name}' and '{p.name}' share their memory, "
                "but are two parameters to an optimizer",
                ["assign the one to the other's attribute to tie them, or "
                 "clone() it"])


def refuse_changes(module, versions):
    for kind, pairs in (("parameter", module.named_parameters()),
                        ("buffer", module.named_buffers())):
        for name, tensor in pairs:
            if tensor._version != versions.get(id(tensor), -1):
                raise Refused(
                    f"{kind} '{name}' changes while the module runs in "
                    "training mode: an ONNX file cannot express this")


def walk(output):
    """The ids of the parameters that `output` depends on, and the classes with
    their own backward on the path."""
    reached, custom = set(), {}
    seen, todo = set(), [output.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            reached.add(id(node.variable))
        if isinstance(node, torch.autograd.function.BackwardCFunction):
            owner = getattr(node, "_forward_cls", type(node))
            custom[describe(owner)] = None
        todo.extend(n for n, _ in node.next_functions)
    return reached, list(custom)


def describe(owner):
    try:
        place = f" ({inspect.getsourcefile(owner)}:" \
                f"{inspect.getsourcelines(owner)[1]})"
    except (OSError, TypeError):
        place = ""
    return owner.__qualname__ + place


def note_padding(parameters, lookups):
    by_id = {id(p.tensor): p for p in parameters}
    first = {}
    for lookup in lookups:
        p = by_id.get(id(lookup.table))
        if p is None:
            if lookup.padding is not None and lookup.table.requires_grad:
                raise Refused(f"{lookup.place}: padding_idx of a table that is "
                              "computed: an ONNX file cannot express this")
            continue
        other = first.setdefault(id(p.tensor), lookup)
        if other.padding != lookup.padding:
            raise Refused(
                f"{lookup.place}: '{p.name}' is looked up with padding_idx "
                f"{lookup.padding}, and with {other.padding} at {other.place}: "
                "the file has one padding row for all lookups")
        p.padding_row = lookup.padding
