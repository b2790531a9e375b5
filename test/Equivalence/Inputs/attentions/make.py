#!/usr/bin/env python3
"""Small models with attention as in hand-written modules and in transformers,
which attentions.test shards. Needs PyTorch and transformers (benchmarks/setup);
writes all its files, or the named ones, into its folder.

heads.onnx   a module per head, with biases; the results are concatenated
cross.onnx   one block with self- and cross-attention by
             torch.nn.MultiheadAttention, used twice: its fused projection is
             sliced into a part for queries and one for keys; probabilities are
             returned
bias.onnx    MPNet: a bias by distance that all layers share, positions that
             count tokens other than padding
shift.onnx   XLNet: scores by distance, shifted to their index
gather.onnx  DeBERTa: scores gathered by distance, batch and heads in one dim
parts.onnx   groups of queries with their key and value in one projection, as
             in Falcon: the last two are selected by lists of one index, which
             dynamo writes as GatherND
"""

import logging
import os
import sys
import warnings

import torch
import transformers as hf
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "..", "examples"))
from onnx_files import strip_traces  # noqa: E402

VOCAB, SEQ, WIDTH, HEADS, LAYERS = 24, 8, 16, 2, 2


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        size = WIDTH // HEADS
        self.k = nn.Linear(WIDTH, size)
        self.q = nn.Linear(WIDTH, size)
        self.v = nn.Linear(WIDTH, size)
        self.register_buffer("tril", torch.tril(torch.ones(SEQ, SEQ)))

    def forward(self, x):
        k, q, v = self.k(x), self.q(x), self.v(x)
        w = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        w = w.masked_fill(self.tril == 0, float("-inf"))
        return torch.softmax(w, -1) @ v


class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCAB, WIDTH)
        self.heads = nn.ModuleList(
            nn.ModuleList(Head() for _ in range(HEADS)) for _ in range(LAYERS))
        self.proj = nn.ModuleList(
            nn.Linear(WIDTH, WIDTH) for _ in range(LAYERS))
        self.norm = nn.ModuleList(
            nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.out = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids):
        x = self.table(ids)
        for heads, proj, norm in zip(self.heads, self.proj, self.norm):
            y = norm(x)
            x = x + proj(torch.cat([head(y) for head in heads], -1))
        return self.out(x)


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCAB, WIDTH)
        self.norm = nn.ModuleList(
            nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.fused = nn.ModuleList(
            nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(LAYERS))
        self.proj = nn.ModuleList(
            nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(LAYERS))
        self.out = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids):
        x = self.table(ids)
        for norm, fused, proj in zip(self.norm, self.fused, self.proj):
            # Two groups: [sample, token, group, 2 queries + key + value, d].
            both = fused(norm(x)).view(*x.shape[:2], 2, 4, WIDTH // 4)
            query = both[:, :, :, :-2]
            key, value = (both[:, :, :, [i]].expand_as(query) for i in (-2, -1))
            y = nn.functional.scaled_dot_product_attention(
                *(t.flatten(2, 3).transpose(1, 2)
                  for t in (query, key, value)), is_causal=True)
            x = x + proj(y.transpose(1, 2).flatten(2))
        return self.out(x)


class Cross(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(VOCAB, WIDTH)
        self.memory = nn.Linear(WIDTH, WIDTH)
        self.own = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.cross = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, VOCAB)

    def forward(self, ids):
        x = self.table(ids)
        memory = self.memory(x)
        for _ in range(LAYERS):
            y = self.norm(x)
            x = x + self.own(y, y, y, need_weights=True)[0]
            x = x + self.cross(x, memory, memory, need_weights=False)[0]
            x = x + self.down(torch.relu(self.up(x)))
        return self.out(x)


SIZES = dict(vocab_size=VOCAB, hidden_size=WIDTH, num_hidden_layers=LAYERS,
             num_attention_heads=HEADS, intermediate_size=2 * WIDTH,
             max_position_embeddings=SEQ + 2, hidden_dropout_prob=0.0,
             attention_probs_dropout_prob=0.0)


class Scores(nn.Module):
    """A model of transformers with its scores as only output."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(input_ids=ids).logits


MODELS = {
    "heads": Heads,
    "parts": Parts,
    "cross": Cross,
    "bias": lambda: Scores(hf.MPNetForMaskedLM(
        hf.MPNetConfig(**SIZES, pad_token_id=1))),
    "shift": lambda: Scores(hf.XLNetLMHeadModel(
        hf.XLNetConfig(vocab_size=VOCAB, d_model=WIDTH, n_layer=LAYERS,
                       n_head=HEADS, d_inner=2 * WIDTH, dropout=0.0))),
    "gather": lambda: Scores(hf.DebertaV2ForMaskedLM(
        hf.DebertaV2Config(**SIZES, pos_att_type=["c2p", "p2c"],
                           relative_attention=True, position_buckets=4,
                           max_relative_positions=8, share_att_key=True,
                           norm_rel_ebd="layer_norm", type_vocab_size=0,
                           pooler_hidden_size=WIDTH))),
}


def main(chosen):
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    for name in chosen or MODELS:
        torch.manual_seed(0)
        model = MODELS[name]().train()
        ids = torch.randint(3, VOCAB, (2, SEQ))
        path = os.path.join(HERE, name + ".onnx")
        names = dict(input_names=["ids"], output_names=["scores"])
        if name == "parts":
            torch.onnx.export(
                model, (ids,), path, dynamo=True, external_data=False,
                dynamic_shapes=({0: torch.export.Dim("batch")},), **names)
        else:
            torch.onnx.export(
                model, (ids,), path, dynamo=False, opset_version=17,
                training=torch.onnx.TrainingMode.TRAINING,
                do_constant_folding=False,
                dynamic_axes={"ids": {0: "batch"}}, **names)
        strip_traces(path)


if __name__ == "__main__":
    main(sys.argv[1:])
