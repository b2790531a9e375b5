"""Tiny random configurations of transformers' own model classes.

Each entry of MODELS builds a model whose forward takes tensors by position and
returns one tensor of scores, and describes its inputs and targets. Equal seeds
produce equal weights. Dropout is off, so curves are reproducible.
"""

import dataclasses
import os
import sys

import torch
import transformers as hf

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.dirname(HERE)
sys.path[:0] = [HERE, EXAMPLES]
from configurations import (COMMON, GATED, HEADS, HIDDEN, IDS,  # noqa: E402
                            LAYERS, SEQ, VOCAB, causal)
from families import FAMILIES  # noqa: E402
from mixtures import MIXTURES  # noqa: E402
from nanogpt.model import GPT  # noqa: E402


@dataclasses.dataclass
class Input:
    """A named input of a model: its shape without the batch, and its kind.

    kind: "tokens" (ids below `bound`), "mask" (1, then 0 for padding),
    "positions" (0, 1, ...), "values" (normally distributed floats).
    """

    name: str
    shape: tuple
    kind: str = "tokens"
    bound: int = VOCAB


@dataclasses.dataclass
class Model:
    """How a model is built and fed.

    loss: the value of pcc's --loss. classes: the number of classes of the
    scores. targets: the shape of the labels without the batch. optional:
    further inputs that an export may have. data_seed: the seed of its data if
    it is not trained on text. is_mixture: whether it has layers of experts.
    """

    build: object
    inputs: tuple = (Input("input_ids", (SEQ,)),)
    loss: str = "causal-lm"
    classes: int = VOCAB
    targets: tuple = (SEQ,)
    optional: tuple = (
        Input("attention_mask", (SEQ,), "mask"),
        Input("position_ids", (SEQ,), "positions"),
    )
    data_seed: int = 1
    is_mixture: bool = False


def returning_scores(model, names, full_mask):
    """Changes `model`, a model of transformers, to take the tensors `names` in
    this order and to return only its scores; modules keep their names."""
    kind = type(model)

    class Scores(kind):
        def forward(self, first, second=None, third=None):
            tensors = [t for t in (first, second, third) if t is not None]
            arguments = dict(zip(names, tensors))
            if full_mask:
                arguments["use_cache"] = False
                # Without a mask transformers derives packed sequences from
                # the positions, with operators that ONNX lacks.
                arguments.setdefault("attention_mask", torch.ones_like(first))
            return kind.forward(self, **arguments).logits

    Scores.__name__ = kind.__name__
    model.__class__ = Scores
    return model


def gpt2(attention="sdpa"):
    return hf.GPT2LMHeadModel(
        hf.GPT2Config(
            vocab_size=VOCAB,
            n_embd=HIDDEN,
            n_layer=LAYERS,
            n_head=HEADS,
            n_positions=SEQ,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            attn_implementation=attention,
            **IDS,
        )
    )


def nanogpt():
    return GPT(vocab=VOCAB, context=SEQ, width=HIDDEN, heads=HEADS,
               layers=LAYERS)


def bert(kind, **options):
    config = hf.BertConfig(
        **COMMON,
        intermediate_size=64,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        # A padding row has no gradient, which not every file records.
        pad_token_id=None,
        **options,
    )
    return getattr(hf, "BertFor" + kind)(config)


def vit():
    config = hf.ViTConfig(
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=64,
        image_size=16,
        patch_size=4,
        num_labels=10,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return hf.ViTForImageClassification(config)


def t5(width, **options):
    config = hf.T5Config(
        vocab_size=VOCAB,
        d_model=width,
        d_kv=8,
        d_ff=64,
        num_layers=LAYERS,
        num_heads=HEADS,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=16,
        dropout_rate=0.0,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
        **options,
    )
    return hf.T5ForConditionalGeneration(config)


BERT_INPUTS = (
    Input("input_ids", (SEQ,)),
    Input("attention_mask", (SEQ,), "mask"),
    Input("token_type_ids", (SEQ,), bound=2),
)

T5_INPUTS = (
    Input("input_ids", (SEQ,)),
    Input("attention_mask", (SEQ,), "mask"),
    Input("decoder_input_ids", (SEQ,)),
)

MODELS = {
    "gpt2": Model(gpt2),
    "gpt2-eager": Model(lambda: gpt2("eager")),
    "nanogpt": Model(nanogpt, (Input("idx", (SEQ,)),), optional=()),
    "llama": Model(causal("Llama", GATED)),
    "mistral": Model(causal("Mistral", GATED, sliding_window=8)),
    "qwen2": Model(causal("Qwen2", GATED, tie_word_embeddings=True)),
    "gemma": Model(causal("Gemma", GATED, head_dim=8)),
    "gpt-neox": Model(
        causal("GPTNeoX", COMMON, intermediate_size=64, rotary_pct=0.5,
               attention_dropout=0.0, hidden_dropout=0.0)
    ),
    "opt": Model(
        causal("OPT", COMMON, ffn_dim=64, word_embed_proj_dim=HIDDEN,
               dropout=0.0, attention_dropout=0.0, pad_token_id=1)
    ),
    "bert-mlm": Model(
        lambda: bert("MaskedLM"), BERT_INPUTS, "cross-entropy", optional=()
    ),
    "bert-classifier": Model(
        lambda: bert("SequenceClassification", num_labels=3),
        BERT_INPUTS,
        "cross-entropy",
        3,
        (),
        (),
    ),
    "vit": Model(
        vit,
        (Input("pixel_values", (3, 16, 16), "values"),),
        "cross-entropy",
        10,
        (),
        (),
    ),
    # A tied head is scaled by 1 / sqrt(width), which exporters round to the
    # precision of the weights; 1/4 is exact in every precision. With data seed
    # 1, an activation before a ReLU is within half-precision rounding of zero.
    "t5": Model(lambda: t5(16), T5_INPUTS, "cross-entropy", optional=(),
                data_seed=3),
    "t5-gated": Model(
        # Version 1.1: gated GELU, an untied head.
        lambda: t5(
            HIDDEN, feed_forward_proj="gated-gelu", tie_word_embeddings=False
        ),
        T5_INPUTS,
        "cross-entropy",
        optional=(),
    ),
}


# The models that are exported by every kind.
EVERY_KIND = tuple(MODELS)
MODELS.update((name, Model(build)) for name, build in FAMILIES.items())
MODELS.update((name, Model(build, is_mixture=True))
              for name, build in MIXTURES.items())


def build(name, inputs=(), seed=0, dtype=torch.float32, experts="eager"):
    """Builds the model `name` with its inputs and the named optional `inputs`;
    returns it with the list of its inputs. experts: transformers'
    implementation of experts."""
    spec = MODELS[name]
    all_inputs = list(spec.inputs)
    all_inputs += [i for i in spec.optional if i.name in inputs]
    torch.manual_seed(seed)
    model = spec.build()
    if spec.is_mixture:
        model.set_experts_implementation(experts)
    with torch.no_grad():
        # Fresh biases are zero, and the dynamo exporter removes a bias of
        # zeros, so it could not be trained. Norm weights stay all ones, which
        # exporters merge.
        for parameter_name, parameter in model.named_parameters():
            if parameter_name.endswith("bias"):
                parameter.normal_(std=0.02)
        # What a router adds to the scores by which it chooses experts.
        for buffer_name, buffer in model.named_buffers():
            if buffer_name.endswith("correction_bias"):
                buffer.normal_(std=0.02)
    # Rounds the weights to the file's precision.
    model = model.to(dtype)
    if name == "nanogpt":
        return model, all_inputs
    names = [i.name for i in all_inputs]
    return returning_scores(model, names, spec.loss == "causal-lm"), all_inputs


def sample(inputs, count, seed=1):
    """Tensors for `inputs`, `count` samples each."""
    generator = torch.Generator().manual_seed(seed)
    result = []
    for i in inputs:
        shape = (count, *i.shape)
        if i.kind == "values":
            result.append(torch.randn(shape, generator=generator))
        elif i.kind == "positions":
            result.append(torch.arange(i.shape[0]).expand(shape).contiguous())
        elif i.kind == "mask":
            # Between half and all of the positions are valid.
            least = i.shape[0] // 2
            length = torch.randint(
                least, i.shape[0] + 1, (count, 1), generator=generator
            )
            result.append((torch.arange(i.shape[0]) < length).long())
        else:
            result.append(
                torch.randint(0, i.bound, shape, generator=generator)
            )
    return result
