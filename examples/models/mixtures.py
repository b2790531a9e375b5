"""Mixtures of experts, tiny and random as in models.py.

Exported with experts_implementation="batched_mm", and recorded with the eager
implementation:

    .venv/bin/python examples/models/export.py -o DIR --families moe
    scripts/models --exports DIR --families moe

Which experts a token chooses depends on the order of its scores. Two programs
that round differently may choose differently where two scores are almost equal.
So record.py refuses a model if, in its steps, the last score that is chosen and
the next one are closer than 1e-6 of the former.
"""

import contextlib

import torch

import kinds
from configurations import GATED, causal

# Experts of half an MLP's width.
EXPERTS = dict(GATED, moe_intermediate_size=24, num_experts_per_tok=2)

MIXTURES = {
    "mixtral": causal("Mixtral", GATED, num_experts_per_tok=2,
                      num_local_experts=4),
    "qwen2-moe": causal("Qwen2Moe", EXPERTS, num_experts=4,
                        shared_expert_intermediate_size=40,
                        norm_topk_prob=True),
    "qwen3-moe": causal("Qwen3Moe", EXPERTS, head_dim=8, num_experts=8,
                        norm_topk_prob=True),
    "gpt-oss": causal("GptOss", GATED, head_dim=8, num_local_experts=4,
                      num_experts_per_tok=2, sliding_window=8),
    # The first layer is dense. Experts are chosen from one of two groups.
    "deepseek-v3": causal("DeepseekV3", EXPERTS, num_key_value_heads=4,
                          n_routed_experts=8, n_shared_experts=1, n_group=2,
                          topk_group=1, first_k_dense_replace=1,
                          q_lora_rank=16, kv_lora_rank=16, qk_rope_head_dim=4,
                          qk_nope_head_dim=8, v_head_dim=8),
    "glm4-moe": causal("Glm4Moe", EXPERTS, head_dim=8, n_routed_experts=8,
                       n_shared_experts=1, n_group=1, topk_group=1,
                       first_k_dense_replace=1),
    "olmoe": causal("Olmoe", GATED, num_experts=4, num_experts_per_tok=2),
    "granite-moe": causal("GraniteMoe", GATED, num_local_experts=4,
                          num_experts_per_tok=2),
    "ernie4.5-moe": causal("Ernie4_5_Moe", EXPERTS, moe_num_experts=4,
                           moe_k=2, moe_num_shared_experts=1,
                           moe_layer_start_index=1),
}
assert tuple(MIXTURES) == kinds.MIXTURES

LEAST_GAP = 1e-6


class CloseScores(Exception):
    """A choice of experts depends on rounding."""


def gap(scores, k, dim):
    """The least difference of the k-th and the next score, relative to the
    former."""
    if k == scores.shape[dim]:
        return 1
    ordered = torch.sort(scores.detach(), dim=dim, descending=True).values
    last, after = (ordered.select(dim, i) for i in (k - 1, k))
    return ((last - after) / last.abs().clamp(min=1e-30)).min().item()


@contextlib.contextmanager
def checked_choices():
    """Raises CloseScores where torch.topk chooses between such scores."""
    by_torch, by_tensor = torch.topk, torch.Tensor.topk

    def topk(scores, k, dim=-1, **options):
        least = gap(scores, k, dim)
        if least < LEAST_GAP:
            raise CloseScores(f"scores differ by {least:.1e}: use another seed")
        return by_torch(scores, k, dim=dim, **options)

    torch.topk = torch.Tensor.topk = topk
    try:
        yield
    finally:
        torch.topk, torch.Tensor.topk = by_torch, by_tensor
