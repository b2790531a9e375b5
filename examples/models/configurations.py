"""Common parts of the tiny configurations in models.py and families.py."""

import transformers as hf

VOCAB = 128  # the text of examples/data has bytes below 128
SEQ = 32
HIDDEN = 32
HEADS = 4
LAYERS = 2

# Options that most configurations of transformers share.
COMMON = dict(
    vocab_size=VOCAB,
    hidden_size=HIDDEN,
    num_hidden_layers=LAYERS,
    num_attention_heads=HEADS,
    max_position_embeddings=SEQ,
)
# For LLaMA and similar models: grouped heads, SwiGLU.
GATED = dict(COMMON, num_key_value_heads=2, intermediate_size=48)
IDS = dict(bos_token_id=0, eos_token_id=0, pad_token_id=None)


def causal(kind, *parts, config=None, **options):
    """A builder of a causal language model of transformers.

    kind: the prefix of its classes' names; config: its configuration's class if
    that differs. `parts` and `options` are the configuration's options.
    """
    merged = dict(IDS)
    for part in (*parts, options):
        merged.update(part)
    # A new configuration for each model: exports change it.
    return lambda: getattr(hf, kind + "ForCausalLM")(
        getattr(hf, config or kind + "Config")(**merged)
    )
