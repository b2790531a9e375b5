"""Models of transformers by task: class, inputs, the loss that pcc attaches."""

import dataclasses
import inspect
import os

import torch

from .messages import Refused

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


def load(folder, task, random_weights=False, dtype="float32"):
    """Loads the model in `folder`, with random initial weights if asked."""
    import transformers

    if not os.path.isdir(folder):
        raise Refused(f"'{folder}' is not a folder",
                      ["model.save_pretrained(DIR) writes one"])
    auto = getattr(transformers, TASKS[task].auto)
    kind = getattr(torch, dtype)
    try:
        if random_weights:
            config = transformers.AutoConfig.from_pretrained(folder)
            torch.manual_seed(0)
            return auto.from_config(config, dtype=kind)
        return auto.from_pretrained(folder, dtype=kind)
    except (OSError, ValueError) as error:
        raise Refused(f"'{folder}' does not load as {task}: "
                      f"{str(error).splitlines()[0]}",
                      [] if random_weights else
                      ["with --random-weights a config.json is enough"])


def text_config(model):
    config = model.config
    return config.get_text_config() if hasattr(config, "get_text_config") \
        else config


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

    return {name: example(model, name) for name in names}, call
