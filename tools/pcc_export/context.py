"""The longest sequence that a module's tables allow.

A table of positions is recognized by its lookups: the largest id grows by one
per token. A module that slices a table or mask ([:, :seq]) fails for sequences
that are too long; this is tried on tensors without values. If the module's
configuration states a length, tables can only shorten it.
"""

import time

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from .messages import quiet
from .recorder import Recorder
from .subject import as_it_was

# In the order of precedence. For T5 and similar models they are no bounds.
KEYS = ("max_position_embeddings", "n_positions", "max_target_positions",
        "max_seq_len", "max_sequence_length", "block_size", "context_length")
RELATIVE = ("t5", "mt5", "umt5", "longt5", "switch_transformers")
# No table is this long; a module that runs at this length has no bound.
LONGEST = 1 << 17
# After a trial that takes longer, no longer sequence is tried.
SECONDS = 5


def context_length(subject, log):
    """The longest sequence in tokens; None if there is no bound."""
    if "seq" not in subject.extents():
        return None
    length, key = configured(subject.module)
    for name, limit in position_tables(subject).items():
        if length is None or limit < length:
            length, key = limit, f"the rows of {name}"
    runs = prober(subject)
    if not runs(subject.extents()["seq"]):
        return length  # It needs values to run, so no trial is possible.
    if length is not None:
        if runs(length):
            return length
        log(f"context: {key} says {length}, but the module fails there")
        low, high = subject.extents()["seq"], length
    else:
        low, high = first_failure(runs, subject.extents()["seq"], log)
        if high is None:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if runs(middle) else (low, middle)
    return low


def first_failure(runs, low, log):
    """A length at which the module runs, and a longer one at which it fails.
    The latter is None if there is none, or if trials take too long, as with a
    recurrence over tokens."""
    while low < LONGEST:
        begin, high = time.monotonic(), min(8 * low, LONGEST)
        if not runs(high):
            return low, high
        low, took = high, time.monotonic() - begin
        if took > SECONDS and low < LONGEST:
            log(f"context: sequences of more than {low} tokens were not "
                f"tried, as these take {took:.0f} s")
            break
    return low, None


def configured(module):
    config = getattr(module, "config", None)
    if config is None or getattr(config, "model_type", "") in RELATIVE:
        return None, None
    if hasattr(config, "get_text_config"):
        config = config.get_text_config(decoder=True)
    for key in KEYS:
        value = getattr(config, key, None)
        if isinstance(value, int) and value > 0:
            return value, f"the configuration's {key}"
    return None, None


def position_tables(subject):
    """Name -> number of positions of every table that is looked up by
    position."""
    seq = subject.extents()["seq"]
    if seq < 3:
        return {}
    names = {id(p): n for n, p in subject.module.named_parameters()}
    names.update((id(b), n) for n, b in subject.module.named_buffers())
    found, result = [], {}
    for length in (seq, seq - 1, seq - 2):
        try:
            found.append(lookups(subject, length))
        except Exception:  # For example, a whole position table is added.
            return {}
    for key, (largest, rows) in found[0].items():
        grows = all(key in f and f[key][0] == largest - i
                    for i, f in enumerate(found))
        if grows:
            offset = largest - (seq - 1)
            result[f"'{names.get(key, 'a table')}'"] = rows - offset
    return result


def lookups(subject, seq):
    """Table -> (largest id, number of rows) for one sample of `seq` equal
    tokens. Tables of distances, with an id per pair of tokens, are left out."""
    recorder = Recorder(dropout=False)
    with as_it_was(subject.module), torch.no_grad():
        subject.wrapper(recorder)(*equal_tokens(subject, seq))
    result = {}
    for lookup in recorder.lookups:
        if lookup.largest is not None and lookup.ids.numel() == seq:
            key, rows = id(lookup.table), lookup.table.shape[0]
            most = max(lookup.largest, result.get(key, (-1,))[0])
            result[key] = (most, rows)
    return result


def equal_tokens(subject, seq):
    """Inputs of length `seq` in which only position ids grow with it."""
    result = []
    sizes = {"seq": seq, "batch": 1}
    for name, value in subject.resized(sizes).items():
        example = subject.inputs[name]
        if "seq" in subject.dynamic[name].values() and not (
                example.is_floating_point()):
            positions = torch.arange(example.shape[-1])
            if not bool((example == positions).all()):
                value = torch.full_like(value, example.max())
        result.append(value)
    return result


def prober(subject):
    """Returns a function that tells whether the module runs at a sequence
    length. It uses tensors without values, so long ones cost nothing."""

    def runs(seq):
        try:
            with as_it_was(subject.module), torch.no_grad(), quiet(), \
                    FakeTensorMode(allow_non_fake_inputs=True):
                tensors = []
                for name, value in subject.inputs.items():
                    shape = list(value.shape)
                    for dim, label in subject.dynamic[name].items():
                        if label == "seq":
                            shape[dim] = seq
                    tensors.append(torch.empty(shape, dtype=value.dtype))
                subject.wrapper(Recorder(dropout=False))(*tensors)
            return True
        except Exception:  # Any error means that this length does not run.
            return False

    return runs
