"""Functions of PyTorch that exporters refuse or write wrongly, in their parts.

Label smoothing: TorchScript knows none, dynamo leaves it out without a word.
RMS norms: TorchScript knows none.
"""

import torch
import torch.nn.functional as F


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


def rewrite(func, args, kwargs):
    """The function to call instead of `func`."""
    if func in (F.rms_norm, torch.rms_norm):
        return rms_norm
    if func is F.cross_entropy:
        keys = ("input", "target", "weight", "size_average", "ignore_index",
                "reduce", "reduction", "label_smoothing")
        given = dict(zip(keys, args), **kwargs)
        if given.get("label_smoothing", 0) and not (
                given["target"].is_floating_point()):
            return smoothed_cross_entropy
    return func
