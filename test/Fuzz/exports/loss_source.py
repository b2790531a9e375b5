"""The loss of a module: inside it, or --loss."""

# Lines from `scores` and `labels` to `loss`; {rows}: scores as rows of
# classes, {flat}: labels as a list.
INSIDE = {
    "ce": ["loss = F.cross_entropy({rows}, {flat})"],
    "ce-sum": ["loss = F.cross_entropy({rows}, {flat}, reduction='sum')"],
    "ce-weighted": ["loss = F.cross_entropy({rows}, {flat}, "
                    "weight=self.class_weights)"],
    "smoothed": ["loss = F.cross_entropy({rows}, {flat}, "
                 "label_smoothing=0.1)"],
    # TorchScript has no operator for label smoothing.
    "smoothed-by-hand": [
        "logp = F.log_softmax({rows}, dim=-1)",
        "flat = {flat}", "seen = (flat != -100).to(logp.dtype)",
        "each = -0.9 * logp.gather(1, flat.clamp(min=0)[:, None])[:, 0] "
        "- 0.1 * logp.mean(-1)",
        "loss = (each * seen).sum() / seen.sum()"],
    "z-loss": ["rows = {rows}",
               "loss = F.cross_entropy(rows, {flat}) + 1e-2 * "
               "torch.logsumexp(rows, dim=-1).pow(2).mean()"],
    "two-terms": ["loss = F.cross_entropy({rows}, {flat})",
                  "loss = loss + 0.1 * x.pow(2).mean()"],
    "two-heads": ["loss = F.cross_entropy({rows}, {flat})",
                  "loss = loss + 0.3 * F.mse_loss(self.second(x), numbers)"],
    "masked-mean": ["each = F.cross_entropy({rows}, {flat}, "
                    "reduction='none')",
                    "m = attention_mask.reshape(-1).to(each.dtype)",
                    "loss = (each * m).sum() / m.sum()"],
    "sample-weights": ["each = F.cross_entropy(scores.transpose(1, -1), "
                       "labels, reduction='none')",
                       "each = each.reshape(each.shape[0], -1).mean(-1)",
                       "loss = (each * weights).sum() / weights.sum()"],
    "focal": ["logp = F.log_softmax({rows}, dim=-1)",
              "logp = logp.gather(1, {flat}[:, None]).squeeze(1)",
              "loss = -((1 - logp.exp()) ** 2 * logp).mean()"],
    "kl": ["teacher = F.softmax(teacher, dim=-1)",
           "logp = F.log_softmax(scores, dim=-1)",
           "loss = (teacher * (torch.log(teacher) - logp)).sum(-1).mean()"],
    "bce": ["loss = F.binary_cross_entropy_with_logits(scores, labels)"],
    "nll": ["loss = F.nll_loss(F.log_softmax({rows}, dim=-1), {flat}, "
            "ignore_index=-100)"],
    "shifted": ["rows = scores[:, :-1].reshape(-1, V)",
                "loss = F.cross_entropy(rows, labels[:, 1:].reshape(-1))"],
    "mse": ["loss = F.mse_loss(scores, labels)"],
    "mse-sum": ["loss = ((scores - labels) ** 2).sum()"],
    "mse-weights": ["each = (scores - labels).pow(2).mean(-1)",
                    "loss = (weights * each).mean()"],
    "huber": ["loss = F.smooth_l1_loss(scores, labels)"],
    "huber-by-hand": [
        "off = (scores - labels).abs()",
        "loss = torch.where(off < 1, 0.5 * off * off, off - 0.5).mean()"],
    "bce-numbers": ["loss = F.binary_cross_entropy_with_logits(scores, "
                    "torch.sigmoid(labels))"],
}


def add(c, module):
    """Ends `module` with its result; returns {"name": for --loss, "targets":
    of the labels that the compiler's loss takes}."""
    head, kind = c["head"], c["loss"]
    by_position = head in ("lm", "tokens")
    classes = {"lm": 50, "tokens": 5, "classes": 5}.get(head)
    number = {"number": 1, "numbers": 3}.get(head)
    # Images fix the number of positions.
    length = c["seq"] if c["kind"] == "vision" else "T"
    shape = (length,) if by_position else ()
    if number:
        labels = dict(kind="values", shape=(number,))
    else:
        labels = dict(kind="labels", shape=shape, bound=classes,
                      ignore=kind in ("outside", "ce", "nll", "ce-sum",
                                      "ce-weighted", "smoothed-by-hand"))
    if kind == "outside":
        module.body.append("return scores")
        text = (head == "lm" and c["kind"] == "decoder"
                and list(module.inputs) == ["input_ids"])
        if text:
            return dict(name="causal-lm", targets=None)
        return dict(name="mse" if number else "cross-entropy",
                    targets=labels)
    if kind == "bce":
        size = shape + ((classes,) if not number else (number,))
        labels = dict(kind="bits", shape=size)
    rows = f"scores.reshape(-1, {'V' if head == 'lm' else 'C'})"
    if kind == "kl":
        module.inputs["teacher"] = dict(kind="values",
                                        shape=shape + (classes,))
    else:
        module.inputs["labels"] = labels
    if kind in ("sample-weights", "mse-weights"):
        module.inputs["weights"] = dict(kind="weights", shape=())
    if kind == "ce-weighted":
        module.init.append("self.register_buffer('class_weights', "
                           f"torch.rand({classes}) + 0.5)")
        module.told["torchscript"].append("class_weights")
    if kind == "two-heads":
        module.inputs["numbers"] = dict(kind="values", shape=shape + (1,))
        module.init.append("self.second = nn.Linear(D, 1)")
    if kind == "sample-weights" and not by_position:
        module.body += [
            "each = F.cross_entropy(scores, labels, reduction='none')"]
        module.body += INSIDE[kind][2:]
    else:
        module.body += [l.format(rows=rows, flat="labels.reshape(-1)")
                        for l in INSIDE[kind]]
    module.body.append("return loss, scores"
                       if c["outputs"] == "loss-and-scores" else "return loss")
    return dict(name=None, targets=None)
