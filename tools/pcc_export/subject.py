"""A module with its inputs: calls it and resizes the inputs.

Exporters pass tensors by position and expect one tensor; modules take keywords
and return any type. `Subject.wrapper` adapts them: a module whose forward takes
the inputs by position and returns the exported output. Its parameters' names
begin with "module.", which graph.py removes.
"""

import contextlib
import re

import torch

from .messages import Refused

INTEGERS = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32,
            torch.int64)


class Wrapper(torch.nn.Module):
    """Calls `module`; `around` is the context manager for forward."""

    def __init__(self, module, call, select, around, bools):
        super().__init__()
        self.module, self._call, self._bools = module, call, bools
        self._select, self._around = select, around

    def forward(self, *tensors):
        with self._around:
            tensors = [t.bool() if i in self._bools else t
                       for i, t in enumerate(tensors)]
            return self._select(self._call(self.module, *tensors))


class Subject:
    """The module to export.

    inputs: dict of name -> example tensor, in the order of the file's inputs.
    dynamic: dict of name -> {dim: label}; dims with one label have one extent.
    call: function(module, *tensors) -> output, by default by keyword or
    position as the inputs were given.
    """

    def __init__(self, module, inputs, names=None, dynamic=None, output=None,
                 returns_loss=False, call=None):
        if not isinstance(inputs, dict):
            inputs = (inputs,) if torch.is_tensor(inputs) else tuple(inputs)
            names = names or default_names(len(inputs))
            if len(names) != len(inputs):
                raise Refused(f"{len(inputs)} inputs have {len(names)} names")
            by_position, inputs = True, dict(zip(names, inputs))
        else:
            by_position = False
        for name, value in inputs.items():
            if not torch.is_tensor(value):
                raise Refused(
                    f"input '{name}' is a {type(value).__name__}, not a tensor",
                    ["pass other arguments in `call`: "
                     "call=lambda module, ids: module(ids, use_cache=False)"])
        check_names(inputs)
        for name, tensor in (*inputs.items(), *module.named_parameters()):
            if tensor.device.type != "cpu":
                raise Refused(f"'{name}' is on {tensor.device}",
                              ["call .cpu() of module and inputs"])
        # A training program's data are numbers, not bools.
        self.bools = {i for i, t in enumerate(inputs.values())
                      if t.dtype == torch.bool}
        inputs = {name: t.long() if t.dtype == torch.bool else t
                  for name, t in inputs.items()}
        self.module, self.inputs = module, inputs
        self.returns_loss, self.output = returns_loss, output
        self.dynamic = labels_of(inputs, dynamic)
        keys = list(inputs)
        self.call = call or (
            (lambda module, *tensors: module(*tensors)) if by_position else
            (lambda module, *tensors: module(**dict(zip(keys, tensors)))))
        # Exporters treat an extent of 1 as static.
        self.inputs = self.resized({
            label: max(2, extent) for label, extent in self.extents().items()})

    def show(self, ids, row):
        """Sets some ids of the input `ids` to `row`, if it is an input, so
        that the comparisons cover padding."""
        for name, value in self.inputs.items():
            if value.data_ptr() == ids.data_ptr() and value.dim() and (
                    not bool((value == row).all())):
                value = value.clone(memory_format=torch.contiguous_format)
                value.view(-1)[1::5] = row
                self.inputs[name] = value

    def wrapper(self, around=None):
        return Wrapper(self.module, self.call, self.select,
                       around or contextlib.nullcontext(), self.bools)

    def select(self, result):
        """The exported tensor among the module's results."""
        if self.output is not None:
            if isinstance(self.output, str) and not isinstance(result, dict):
                result = getattr(result, self.output)
            else:
                result = result[self.output]
        elif isinstance(result, dict):
            keys = ["loss"] if self.returns_loss else ["logits"]
            found = [k for k in keys if k in result] or list(result)
            result = result[found[0]]
        elif isinstance(result, (tuple, list)):
            result = result[0]
        if not torch.is_tensor(result) or not result.is_floating_point():
            kind = (f"a tensor of {result.dtype}" if torch.is_tensor(result)
                    else f"a {type(result).__name__}")
            raise Refused(
                f"the module's output is {kind}, not a tensor of floats",
                ["choose the output to export with output=, a key, an "
                 "attribute or a position"])
        if self.returns_loss and result.numel() != 1:
            raise Refused("the module's loss has shape "
                          f"{list(result.shape)}, which is not a single number")
        return result.reshape(()) if self.returns_loss and result.dim() \
            else result

    def extents(self):
        """Label -> extent of the example inputs."""
        result = {}
        for name, dims in self.dynamic.items():
            for dim, label in dims.items():
                extent = self.inputs[name].shape[dim]
                if result.setdefault(label, extent) != extent:
                    raise Refused(
                        f"dim '{label}' is {result[label]} in one input and "
                        f"{extent} in '{name}'",
                        ["dims with one label need one extent; see dynamic="])
        return result

    def resized(self, extents, seed=0):
        """Inputs whose dims with these labels have these extents. Inputs of
        unchanged shape keep their values."""
        generator = torch.Generator().manual_seed(seed)
        result = {}
        for name, value in self.inputs.items():
            shape = list(value.shape)
            for dim, label in self.dynamic[name].items():
                shape[dim] = extents.get(label, shape[dim])
            if shape != list(value.shape):
                value = values_like(name, value, shape, generator)
            result[name] = value
        return result


def array_file(name):
    """The file of an input's array in a program's data folder."""
    return re.sub(r"[/\\:]", "_", name) + ".npy"


def check_names(names):
    """Refuses input names that cannot be names of distinct array files."""
    known = {}
    for name in names:
        if not name or not name.isprintable() or (
                ".." in re.split(r"[/\\]", name)):
            raise Refused(f"input {name!r} cannot be read from <input>.npy",
                          ["give it another name, by names= or as a key"])
        other = known.setdefault(array_file(name), name)
        if other != name:
            raise Refused(f"inputs '{other}' and '{name}' would both be read "
                          f"from '{array_file(name)}'",
                          ["give one another name, by names= or as a key"])


def default_names(count):
    return ["input"] if count == 1 else [f"input_{i}" for i in range(count)]


def labels_of(inputs, dynamic):
    """Name -> {dim: label} of every input. By default dim 0 is the batch and
    dim 1 of integers the sequence. If `dynamic` is given, all other dims are
    static."""
    unknown = set(dynamic or {}) - set(inputs)
    if unknown:
        raise Refused(f"dynamic= names '{sorted(unknown)[0]}', which is not an "
                      f"input; inputs are {', '.join(inputs)}")
    result = {}
    for name, value in inputs.items():
        ids = value.dtype in INTEGERS and value.dim() > 1
        dims = {0: "batch", 1: "seq"} if ids else {0: "batch"}
        if dynamic is not None:
            dims = dynamic.get(name, {})
            if not isinstance(dims, dict):
                dims = {d: {0: "batch", 1: "seq"}.get(d, f"{name}_{d}")
                        for d in dims}
        result[name] = {d: l for d, l in dims.items() if d < value.dim()}
    return result


def values_like(name, value, shape, generator):
    """Random values in another shape, of the kind that `value` holds."""
    if value.dtype not in INTEGERS:
        return torch.randn(shape, generator=generator).to(value.dtype)
    last = value.shape[-1]
    if last > 1 and bool((value == torch.arange(last)).all()):  # positions
        return torch.arange(shape[-1]).to(value.dtype).expand(shape).clone()
    if "mask" in name and bool(((value == 0) | (value == 1)).all()):
        kept = torch.randint((shape[-1] + 1) // 2, shape[-1] + 1,
                             (*shape[:-1], 1), generator=generator)
        if bool((value == 1).all()):
            kept.fill_(shape[-1])
        return (torch.arange(shape[-1]) < kept).to(value.dtype)
    choice = torch.randint(value.numel(), shape, generator=generator)
    return value.flatten()[choice]


@contextlib.contextmanager
def as_it_was(module):
    """Restores training flags, buffers and the random state afterwards."""
    flags = {m: m.training for m in module.modules()}
    buffers = {b: b.detach().clone() for b in module.buffers()}
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            for m, training in flags.items():
                m.training = training
            for buffer, value in buffers.items():
                with torch.no_grad():
                    buffer.copy_(value)


@contextlib.contextmanager
def computing_in(module, dtype):
    """Converts parameters, buffers and tensor attributes of modules to f32 or
    f64; restores the original tensors afterwards."""
    held = []
    for m in module.modules():
        for key, value in vars(m).items():
            if torch.is_tensor(value) and value.is_floating_point():
                held.append((m, key, value))
    tensors = [*module.parameters(), *module.buffers()]
    tensors = [t for t in tensors if t.is_floating_point()]
    data = [t.data for t in tensors]
    try:
        for t in tensors:
            t.data = t.data.to(dtype)
        for m, key, value in held:
            setattr(m, key, value.to(dtype))
        yield
    finally:
        for t, value in zip(tensors, data):
            t.data = value
        for m, key, value in held:
            setattr(m, key, value)
