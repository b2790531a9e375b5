"""PyTorch functions that exporters reject or export wrongly, by primitives.

Label smoothing: TorchScript does not support it, dynamo silently drops it.
RMS norm: TorchScript does not support it.
EmbeddingBag: TorchScript writes a loop, dynamo a file that crashes ONNX
Runtime.
"""

import inspect

import torch
import torch.nn.functional as F

BAG = inspect.signature(F.embedding_bag)


def smoothed_cross_entropy(input, target, weight=None, size_average=None,
                           ignore_index=-100, reduce=None, reduction="mean",
                           label_smoothing=0.0):
    """F.cross_entropy for targets that are classes: (1 - s) times the usual
    loss, and s times the mean over all classes of -log p."""
    dim = 0 if input.dim() == 1 else 1
    classes = input.shape[dim]
    logs = F.log_softmax(input, dim)
    usual = F.nll_loss(logs, target, weight, ignore_index=ignore_index,
                       reduction=reduction)
    if weight is None:
        smooth = -logs.sum(dim)
    else:
        shape = [1] * input.dim()
        shape[dim] = classes
        smooth = -(logs * weight.reshape(shape)).sum(dim)
    counted = target != ignore_index
    smooth = torch.where(counted, smooth, torch.zeros_like(smooth))
    if reduction != "none":
        smooth = smooth.sum()
    if reduction == "mean":
        count = counted.to(smooth.dtype)
        if weight is not None:
            count = count * weight[torch.where(counted, target, 0)]
        smooth = smooth / count.sum()
    return (1 - label_smoothing) * usual + label_smoothing / classes * smooth


def rms_norm(input, normalized_shape, weight=None, eps=None):
    """F.rms_norm: x / sqrt(mean(x^2) + eps), over the last dims."""
    dims = tuple(range(-len(normalized_shape), 0))
    if eps is None:
        eps = torch.finfo(input.dtype).eps
    mean = input.pow(2).mean(dims, keepdim=True)
    result = input * torch.rsqrt(mean + eps)
    return result if weight is None else result * weight


def bag_arguments(args, kwargs):
    """The arguments of F.embedding_bag by name."""
    bound = BAG.bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.arguments


def embedding_bag(*args, **kwargs):
    """F.embedding_bag of ids [bags, ids per bag]: the sum, mean or maximum of
    rows of a table."""
    given = bag_arguments(args, kwargs)
    ids, mode, padding = given["input"], given["mode"], given["padding_idx"]
    rows = F.embedding(ids, given["weight"])
    if padding is None:
        if mode == "max":
            return rows.amax(1)
        if given["per_sample_weights"] is not None:
            rows = rows * given["per_sample_weights"].unsqueeze(-1)
        return rows.mean(1) if mode == "mean" else rows.sum(1)
    if padding < 0:
        padding += given["weight"].shape[0]
    counts = (ids != padding).unsqueeze(-1)
    if mode == "max":
        largest = rows.masked_fill(~counts, float("-inf")).amax(1)
        return torch.where(counts.any(1), largest, torch.zeros_like(largest))
    kept = counts.to(rows.dtype)
    if given["per_sample_weights"] is not None:
        kept = kept * given["per_sample_weights"].unsqueeze(-1)
    total = (rows * kept).sum(1)
    return total / kept.sum(1).clamp(min=1) if mode == "mean" else total


def rewrite(func, args, kwargs):
    """The function to call instead of `func`."""
    if func in (F.rms_norm, torch.rms_norm):
        return rms_norm
    # Bags of 1-D ids begin at offsets: their lengths depend on the data.
    if func is F.embedding_bag and bag_arguments(args, kwargs)[
            "input"].dim() == 2:
        return embedding_bag
    if func is F.cross_entropy:
        keys = ("input", "target", "weight", "size_average", "ignore_index",
                "reduce", "reduction", "label_smoothing")
        given = dict(zip(keys, args), **kwargs)
        if given.get("label_smoothing", 0) and not (
                given["target"].is_floating_point()):
            return smoothed_cross_entropy
    return func
