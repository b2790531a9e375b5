"""Further families of language models, tiny and random as in models.py.

The tests train some of them; the others train with

    .venv/bin/python examples/models/export.py -o DIR \
        --models gemma2,qwen3 --kinds train-17,eval-17,dynamo
    scripts/models --exports DIR
"""

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

FAMILIES = {
    "bloom": causal("Bloom", vocab_size=VOCAB, hidden_size=HIDDEN,
                    n_layer=LAYERS, n_head=HEADS, **NO_DROPOUT),
    "codegen": causal("CodeGen", LIKE_GPT2, n_ctx=SEQ, rotary_dim=4),
    "cohere": causal("Cohere", GATED),
    "falcon": causal("Falcon", COMMON, NO_DROPOUT, num_kv_heads=1,
                     multi_query=True, parallel_attn=True, bias=False),
    "gemma2": causal("Gemma2", WIDE_HEADS, WINDOW, query_pre_attn_scalar=8),
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
    "mpt": causal("Mpt", vocab_size=VOCAB, d_model=HIDDEN, n_layers=LAYERS,
                  n_heads=HEADS, max_seq_len=SEQ),
    "nemotron": causal("Nemotron", GROUPED, intermediate_size=64),
    "olmo": causal("Olmo", GATED),
    "olmo2": causal("Olmo2", GATED),
    "persimmon": causal("Persimmon", COMMON, NO_DROPOUT, intermediate_size=64),
    "phi": causal("Phi", COMMON, intermediate_size=64, resid_pdrop=0.0,
                  embd_pdrop=0.0, attention_dropout=0.0,
                  partial_rotary_factor=0.5),
    "phi3": causal("Phi3", GATED, resid_pdrop=0.0, embd_pdrop=0.0,
                   attention_dropout=0.0, pad_token_id=0),
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
