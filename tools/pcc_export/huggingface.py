"""Models of transformers by task: class, inputs, the loss that pcc attaches."""

import dataclasses
import inspect
import os
import sys

import torch

from .messages import Refused, first_line

BATCH, SEQ = 2, 16


@dataclasses.dataclass
class Task:
    """auto: the class of transformers that loads the model."""

    auto: str
    inputs: tuple
    loss: str


TASKS = {
    "causal-lm": Task("AutoModelForCausalLM", ("input_ids",), "causal-lm"),
    "masked-lm": Task("AutoModelForMaskedLM", ("input_ids", "attention_mask"),
                      "cross-entropy"),
    "seq2seq-lm": Task(
        "AutoModelForSeq2SeqLM",
        ("input_ids", "attention_mask", "decoder_input_ids"), "cross-entropy"),
    "sequence-classification": Task(
        "AutoModelForSequenceClassification", ("input_ids", "attention_mask"),
        "cross-entropy"),
    "token-classification": Task(
        "AutoModelForTokenClassification", ("input_ids", "attention_mask"),
        "cross-entropy"),
    "image-classification": Task("AutoModelForImageClassification",
                                 ("pixel_values",), "cross-entropy"),
}


def load(folder, task, random_weights=False, dtype="float32",
         trust_remote_code=False):
    """Loads the model in `folder`, with random initial weights if asked. Python
    code in the folder runs only with trust_remote_code."""
    import transformers

    if not os.path.isdir(folder):
        raise Refused(f"'{folder}' is not a folder",
                      ["model.save_pretrained(DIR) writes one"])
    if not sys.stderr.isatty():
        transformers.utils.logging.disable_progress_bar()
    auto = getattr(transformers, TASKS[task].auto)
    kind = getattr(torch, dtype)
    # For weights that the folder lacks.
    torch.manual_seed(0)
    try:
        if random_weights:
            config = transformers.AutoConfig.from_pretrained(
                folder, trust_remote_code=trust_remote_code)
            model = auto.from_config(config, dtype=kind,
                                     trust_remote_code=trust_remote_code)
        else:
            model, found = auto.from_pretrained(
                folder, dtype=kind, trust_remote_code=trust_remote_code,
                output_loading_info=True)
            warn_of_new_weights(folder, found)
    except Exception as error:  # Code in the folder may raise any.
        raise refusal(folder, task, error, random_weights)
    use_plain_experts(model)
    return model


def warn_of_new_weights(folder, found):
    """Warns of weights that the folder lacks: they are random, as those of a
    new classifier should be."""
    lost = sorted(found["missing_keys"]) + sorted(
        key[0] for key in found["mismatched_keys"])
    if lost:
        more = f" and {len(lost) - 1} more" if len(lost) > 1 else ""
        print(f"pcc-export: warning: '{folder}' has no weights for "
              f"'{lost[0]}'{more}: they begin with random values",
              file=sys.stderr, flush=True)


def refusal(folder, task, error, random_weights):
    """The Refused for a model that does not load."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    if "trust_remote_code" in str(error):
        return Refused(f"'{folder}' needs Python code of its own, by the "
                       "auto_map of its config.json",
                       ["read that code; --trust-remote-code runs it"])
    notes = [] if random_weights else [
        "with --random-weights a config.json is enough"]
    if isinstance(error, ImportError):
        notes = ["install what its code imports"]
    elif "does not recognize this architecture" in str(error):
        notes = ["pip install --upgrade transformers may know it; code in the "
                 "folder runs with --trust-remote-code"]
    return Refused(f"'{folder}' does not load as {task}: {text}", notes)


def use_plain_experts(model):
    """Lets mixtures of experts compute with matmuls of gathered weights, which
    can be exported; grouped matmuls cannot, and loops over experts keep the
    routing of the example."""
    can_set = getattr(model, "_can_set_experts_implementation", None)
    if can_set and can_set():
        model.set_experts_implementation("batched_mm")


def text_config(model):
    config = model.config
    return config.get_text_config() if hasattr(config, "get_text_config") \
        else config


def checked_example(model, name):
    """Example values; refuses a configuration that gives none."""
    try:
        return example(model, name)
    except Refused:
        raise
    except Exception as error:
        raise Refused(f"the model's configuration gives no example of input "
                      f"'{name}': {first_line(error)}",
                      ["--inputs NAME,NAME names other inputs"]) from error


def example(model, name, batch=BATCH, seq=SEQ):
    """Example values of the input `name`."""
    generator = torch.Generator().manual_seed(0)
    config = text_config(model)
    if name == "pixel_values":
        size = getattr(model.config, "image_size", 224)
        height, width = size if isinstance(size, (list, tuple)) else (size,
                                                                      size)
        channels = getattr(model.config, "num_channels", 3)
        return torch.randn(batch, channels, height, width,
                           generator=generator)
    if name in ("input_ids", "decoder_input_ids"):
        ids = torch.randint(config.vocab_size, (batch, seq),
                            generator=generator)
        padding = getattr(config, "pad_token_id", None)
        if padding is not None and 0 <= padding < config.vocab_size:
            ids[ids == padding] = (padding + 1) % config.vocab_size
            # So that the comparisons cover the padding row.
            ids[-1, -2:] = padding
        return ids
    if name.endswith("attention_mask"):
        mask = torch.ones(batch, seq, dtype=torch.int64)
        mask[-1, -2:] = 0
        return mask
    if name == "token_type_ids":
        types = max(getattr(config, "type_vocab_size", 2), 1)
        return torch.randint(types, (batch, seq), generator=generator)
    if name == "position_ids":
        return torch.arange(seq).expand(batch, seq).contiguous()
    raise Refused(f"input '{name}' is not supported", [
        "supported are input_ids, attention_mask, token_type_ids, "
        "position_ids, decoder_input_ids, decoder_attention_mask and "
        "pixel_values"])


def prepare(model, task, inputs=None):
    """Turns caches off; returns the example inputs by name, and a function that
    calls the model with them."""
    config = model.config
    for part in (config, text_config(model)):
        if hasattr(part, "use_cache"):
            part.use_cache = False
    known = inspect.signature(model.forward).parameters
    names = tuple(inputs or (
        name for name in TASKS[task].inputs
        if name in known or name != "attention_mask"))
    for name in names:
        if name not in known:
            raise Refused(f"{type(model).__name__} has no input '{name}'",
                          ["choose with --inputs from: " + ", ".join(known)])
    fixed = {"use_cache": False} if "use_cache" in known else {}
    # Without a mask transformers derives packed sequences from the positions,
    # with operators that ONNX lacks.
    whole = task == "causal-lm" and "attention_mask" in known and (
        "attention_mask" not in names)

    def call(module, *tensors):
        arguments = dict(zip(names, tensors))
        if whole:
            arguments["attention_mask"] = torch.ones_like(tensors[0])
        return module(**arguments, **fixed)

    return {name: checked_example(model, name) for name in names}, call
