"""Further families of language models, tiny and random as in models.py.

The tests train some of them; the others train with

    .venv/bin/python examples/models/export.py -o DIR \
        --models gemma2,qwen3 --kinds train-17,eval-17,dynamo
    scripts/models --exports DIR
"""

import torch
from transformers.models.llama4 import modeling_llama4

from configurations import (COMMON, GATED, HEADS, HIDDEN, LAYERS, SEQ, VOCAB,
                            causal)

LIKE_GPT2 = dict(
    vocab_size=VOCAB, n_embd=HIDDEN, n_layer=LAYERS, n_head=HEADS,
    n_positions=SEQ, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
)
GROUPED = dict(COMMON, num_key_value_heads=2)
WIDE_HEADS = dict(GATED, head_dim=8)
WINDOW = dict(sliding_window=8)
NO_DROPOUT = dict(hidden_dropout=0.0, attention_dropout=0.0)


def eager(build):
    """A builder of the same model with attention by matmuls and a softmax."""

    def built():
        model = build()
        model.set_attn_implementation("eager")
        return model

    return built


def without_complex(build):
    """A builder of the same LLaMA 4 with rotary embeddings in real numbers.
    No exporter can write complex ones."""

    def frequencies(self, x, position_ids):
        angles = position_ids[:, :, None].float() * self.inv_freq[None, None]
        turn = torch.stack([angles.cos(), angles.sin()], -1)
        return turn * self.attention_scaling

    def rotate(x, turn):
        a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
        cos, sin = turn[:, :, None].unbind(-1)
        turned = torch.stack([a * cos - b * sin, a * sin + b * cos], -1)
        return turned.flatten(3).type_as(x)

    def built():
        modeling_llama4.Llama4TextRotaryEmbedding.forward = frequencies
        modeling_llama4.apply_rotary_emb = lambda q, k, turn: (
            rotate(q, turn), rotate(k, turn))
        return build()

    return built


FAMILIES = {
    "bloom": causal("Bloom", vocab_size=VOCAB, hidden_size=HIDDEN,
                    n_layer=LAYERS, n_head=HEADS, **NO_DROPOUT),
    "codegen": causal("CodeGen", LIKE_GPT2, n_ctx=SEQ, rotary_dim=4),
    "cohere": causal("Cohere", GATED),
    # Three layers with a window for each without.
    "cohere2": causal("Cohere2", GATED, WINDOW, num_hidden_layers=4),
    "falcon": causal("Falcon", COMMON, NO_DROPOUT, num_kv_heads=1,
                     multi_query=True, parallel_attn=True, bias=False),
    "gemma2": causal("Gemma2", WIDE_HEADS, WINDOW, query_pre_attn_scalar=8),
    # With the soft cap of scores, which fused attention leaves out.
    "gemma2-eager": eager(causal("Gemma2", WIDE_HEADS, WINDOW,
                                 query_pre_attn_scalar=8,
                                 attn_logit_softcapping=0.5)),
    "gemma3": causal("Gemma3", WIDE_HEADS, WINDOW, query_pre_attn_scalar=8,
                     config="Gemma3TextConfig"),
    "glm": causal("Glm", WIDE_HEADS),
    "gpt-bigcode": causal("GPTBigCode", LIKE_GPT2),
    "gpt-neo": causal(
        "GPTNeo", vocab_size=VOCAB, hidden_size=HIDDEN, num_layers=LAYERS,
        num_heads=HEADS, max_position_embeddings=SEQ, window_size=8,
        attention_types=[[["global", "local"], 1]], resid_dropout=0.0,
        embed_dropout=0.0, attention_dropout=0.0,
    ),
    "gptj": causal("GPTJ", LIKE_GPT2, rotary_dim=4),
    "granite": causal("Granite", GATED),
    # Layers with chunks and, without rotary embeddings, without.
    "llama4": without_complex(causal(
        "Llama4", WIDE_HEADS, config="Llama4TextConfig", num_hidden_layers=4,
        attention_chunk_size=8, intermediate_size_mlp=48, moe_layers=[],
        use_qk_norm=True)),
    "mpt": causal("Mpt", vocab_size=VOCAB, d_model=HIDDEN, n_layers=LAYERS,
                  n_heads=HEADS, max_seq_len=SEQ),
    "nemotron": causal("Nemotron", GROUPED, intermediate_size=64),
    "olmo": causal("Olmo", GATED),
    "olmo2": causal("Olmo2", GATED),
    "olmo3": causal("Olmo3", GATED, WINDOW, num_hidden_layers=4),
    "persimmon": causal("Persimmon", COMMON, NO_DROPOUT, intermediate_size=64),
    "phi": causal("Phi", COMMON, intermediate_size=64, resid_pdrop=0.0,
                  embd_pdrop=0.0, attention_dropout=0.0,
                  partial_rotary_factor=0.5),
    "phi3": causal("Phi3", GATED, resid_pdrop=0.0, embd_pdrop=0.0,
                   attention_dropout=0.0, pad_token_id=0),
    "phi3-window": causal("Phi3", GATED, WINDOW, resid_pdrop=0.0,
                          embd_pdrop=0.0, attention_dropout=0.0,
                          pad_token_id=0),
    # The first layer has no window.
    "qwen2-window": causal("Qwen2", GATED, WINDOW, use_sliding_window=True,
                           max_window_layers=1),
    "qwen3": causal("Qwen3", WIDE_HEADS),
    "smollm3": causal("SmolLM3", GATED),
    "stablelm": causal("StableLm", GATED, num_key_value_heads=4),
    "starcoder2": causal("Starcoder2", GROUPED, WINDOW, intermediate_size=64,
                         residual_dropout=0.0, embedding_dropout=0.0,
                         attention_dropout=0.0),
    "xglm": causal("XGLM", vocab_size=VOCAB, d_model=HIDDEN, num_layers=LAYERS,
                   attention_heads=HEADS, ffn_dim=64,
                   max_position_embeddings=SEQ, dropout=0.0,
                   attention_dropout=0.0, layerdrop=0.0, pad_token_id=1),
}
