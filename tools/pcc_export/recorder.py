"""Records the facts of a forward pass that an ONNX file cannot express.

PyTorch calls a TorchFunctionMode instead of each of its functions. `Recorder`
is one: it runs the module unchanged and records

- values without gradient: Tensor.detach, Tensor.data, and values computed under
  torch.no_grad from values that require a gradient. During an export each
  becomes `stop(value, mark)`, a node of the file that graph.py finds;
- lookups in tables: the padding row and the largest id;
- dropout, of which the exported file must have as many.

It refuses what cannot be exported at all, with the location in the user's code:

      def forward(self, x):
          with torch.no_grad():
              self.weight.clamp_(-1, 1)   # a parameter changes while it runs
          return x * self.gain.item()     # becomes a constant of the file
"""

import dataclasses
import inspect

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

from .messages import Refused, place
from .rewrites import bag_arguments, rewrite

DETACH = (torch.Tensor.detach, torch.detach)
IN_PLACE_DETACH = (torch.Tensor.detach_, torch.detach_)
TO_PYTHON = (torch.Tensor.item, torch.Tensor.tolist, torch.Tensor.numpy,
             torch.Tensor.__float__, torch.Tensor.__int__,
             torch.Tensor.__array__)
HOOKS = (torch.Tensor.register_hook,
         torch.Tensor.register_post_accumulate_grad_hook)
DROPOUT_OF_ATTENTION = list(inspect.signature(
    F.multi_head_attention_forward).parameters).index("dropout_p")
DROPOUTS = (F.dropout, F.dropout1d, F.dropout2d, F.dropout3d, F.alpha_dropout,
            F.feature_alpha_dropout)


@dataclasses.dataclass
class Mark:
    """A value through which no gradient flows."""

    what: str
    place: str


@dataclasses.dataclass
class Lookup:
    """F.embedding(ids, table): its padding row or None, and the largest id
    (None while exporting, when ids have no values)."""

    ids: torch.Tensor
    table: torch.Tensor
    padding: int
    largest: int
    place: str


class Recorder(TorchFunctionMode):
    """stop: function(value, number of the mark) -> the marked value; None if
    nothing is exported. dropout: False disables all dropout."""

    def __init__(self, stop=None, dropout=True):
        super().__init__()
        self.stop, self.dropout = stop, dropout
        self.marks, self.lookups, self.ratios = [], [], []
        self.no_grad, self.no_grad_place = False, "unknown place"

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch._C._set_grad_enabled:
            self.no_grad, self.no_grad_place = not args[0], place()
            return func(*args, **kwargs)
        if torch.is_grad_enabled():
            self.no_grad = False
        carries = any(torch.is_tensor(t) and t.requires_grad
                      for t in tree_leaves((args, kwargs)))
        if func is F.embedding:
            self._note_lookup(*args, **kwargs)
        elif func is F.embedding_bag:
            # Padding contributes nothing to a bag and gets no gradient.
            bag = bag_arguments(args, kwargs)
            self._note_lookup(bag["input"], bag["weight"], None,
                              *(bag[key] for key in (
                                  "max_norm", "norm_type",
                                  "scale_grad_by_freq")))
        args, kwargs = self._take_dropout(func, args, kwargs)
        if not carries:
            return func(*args, **kwargs)
        self._refuse(func, args)
        what = self._leaves_gradient(func)
        if self.stop:
            func = rewrite(func, args, kwargs)
        if what == "data":  # Exporters treat .data as a constant.
            func = torch.Tensor.detach
        result = func(*args, **kwargs)
        if not what or not self.stop:
            return result
        where = place() if what in ("detach", "data") else self.no_grad_place

        def mark(value):
            if not torch.is_tensor(value) or not value.is_floating_point():
                return value
            self.marks.append(Mark(what, where))
            return self.stop(value, len(self.marks) - 1)

        return tree_map(mark, result)

    def _leaves_gradient(self, func):
        """How `func` stops the gradient of its results, or None."""
        if func in DETACH:
            return "detach"
        if getattr(func, "__self__", None) is torch.Tensor.data:
            return "data"
        # Inside an autograd.Function PyTorch itself turns gradients off; the
        # operators in it are exported.
        return "no_grad" if self.no_grad else None

    def _refuse(self, func, args):
        name = getattr(func, "__name__", str(func))
        of = getattr(func, "__self__", None)
        if of is torch.Tensor.data and name == "__set__" or (
                func in IN_PLACE_DETACH):
            what = "a value is replaced in place (.data = or detach_)"
        elif func is torch.Tensor.requires_grad_ or (
                of is torch.Tensor.requires_grad and name == "__set__"):
            what = "requires_grad is set while the module runs"
        elif func in TO_PYTHON:
            what = (f"{name}() turns a value with a gradient into a number, "
                    "which would be a constant in the file")
        elif func in HOOKS:
            what = "a hook changes a gradient"
        elif self.no_grad and changes_in_place(name) and (
                args and torch.is_tensor(args[0]) and args[0].requires_grad):
            what = f"{name} changes a value in place under no_grad"
        else:
            return
        raise Refused(f"{place()}: {what}: an ONNX file cannot express this")

    def _note_lookup(self, ids, weight, padding_idx=None, max_norm=None,
                     norm_type=2.0, scale_grad_by_freq=False, sparse=False):
        for option, value in (("max_norm", max_norm),
                              ("scale_grad_by_freq", scale_grad_by_freq)):
            if value:
                raise Refused(f"{place()}: an embedding has {option}: an ONNX "
                              "file cannot express this")
        if padding_idx is not None and padding_idx < 0:
            padding_idx += weight.shape[0]
        largest = None
        if not self.stop and ids.numel() and has_values(ids):
            largest = int(ids.max())
        self.lookups.append(Lookup(ids, weight, padding_idx, largest,
                                   place()))

    def _take_dropout(self, func, args, kwargs):
        """Records the ratio of a dropout; disables it if `dropout` is False."""
        if func in DROPOUTS:
            keys = ("input", "p", "training", "inplace")
            given = dict(zip(keys, args), **kwargs)
            ratio = given.get("p", 0.5) if given.get("training", True) else 0
            if ratio and not self.dropout:
                args, kwargs = (given["input"],), {"p": 0.0}
        elif func is F.scaled_dot_product_attention:
            keys = ("query", "key", "value", "attn_mask", "dropout_p")
            given = dict(zip(keys, args), **kwargs)
            ratio = given.get("dropout_p", 0.0)
            if ratio and not self.dropout:
                args, kwargs = args[:4], dict(kwargs, dropout_p=0.0)
        elif func is F.multi_head_attention_forward:
            # As nn.MultiheadAttention calls it: dropout_p by position.
            at = DROPOUT_OF_ATTENTION
            ratio = args[at] if kwargs.get("training", True) else 0
            if ratio and not self.dropout:
                args = (*args[:at], 0.0, *args[at + 1:])
        else:
            return args, kwargs
        if ratio:
            self.ratios.append(float(ratio))
        return args, kwargs


def changes_in_place(name):
    operators = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow",
                 "and", "or", "xor")
    if name.endswith("__"):
        return name in ("__setitem__", *(f"__i{o}__" for o in operators))
    return name.endswith("_")


def has_values(tensor):
    return type(tensor) in (torch.Tensor, torch.nn.Parameter)
