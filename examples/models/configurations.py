"""What the tiny configurations of models.py and families.py have in common."""

import transformers as hf

VOCAB = 128  # the text of examples/data has bytes below 128
SEQ = 32
HIDDEN = 32
HEADS = 4
LAYERS = 2

# What most configurations of transformers have in common.
COMMON = dict(
    vocab_size=VOCAB,
    hidden_size=HIDDEN,
    num_hidden_layers=LAYERS,
    num_attention_heads=HEADS,
    max_position_embeddings=SEQ,
)
# Of LLaMA and those like it: grouped heads, SwiGLU.
GATED = dict(COMMON, num_key_value_heads=2, intermediate_size=48)
IDS = dict(bos_token_id=0, eos_token_id=0, pad_token_id=None)


def causal(kind, *parts, config=None, **options):
    """A builder of a causal language model of transformers.

    kind: how the names of its classes begin; config: its configuration's class
    where that is another. The configuration has what `parts` and `options` say.
    """
    merged = dict(IDS)
    for part in (*parts, options):
        merged.update(part)
    # Of its own for each model: exports change it.
    return lambda: getattr(hf, kind + "ForCausalLM")(
        getattr(hf, config or kind + "Config")(**merged)
    )
