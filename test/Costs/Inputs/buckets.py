"""The buckets of gradients and parameters of a stage, and how often a step with
zero 3 gathers each, from the plan and the stage's layers alone.

A bucket contains the parameters of one class: with or without weight decay,
sharded over tensor-parallel ranks or replicated, or experts that are split over
expert-parallel ranks, too, and used by the same stages; with zero 3 by the same
segments, too. Experts are shared by 1/ep of the data ranks. A class has several buckets if its
gradients have more bytes than the bucket size: the next segment then starts a
new bucket. A segment is a layer, or a stage's part of one; embedding and head
are segments as well:

    segments    E | layer 0 | layer 1 | layer 2 | H    embedding, head

With zero 3 a bucket is gathered for each task that uses it, unless it is still
resident: it stays from one task to the next user if no collective could have
gathered it in between. A gather overlaps with the task before the user. The
bucket therefore stays if at most one other task of a segment runs between, and
without overlap if none does. With these five segments on one stage

    F.E F.0 F.1 F.2 F.H B.H B.2 B.1 B.0 B.E   F.E F.0 ...   the next microbatch

the head's bucket stays from F.H to B.H, but that of layer 0 does not stay from
B.0 to F.0, because two tasks run between. Forward tasks use all parameters.
Backward tasks use weights of GEMMs and norms, but no biases, no table of
positions, and a table of tokens only as a head. Recomputation also uses biases:
those of norms and, where layers are recomputed, those of GEMMs whose results
the layer uses.
"""

import collections
import functools

from plans import EXPERTS, WIDTH

INNER, HEADS, KV_HEADS = 2 * WIDTH, 4, 2
# In elements: the alignment of a bucket's members and of each data rank's
# shard.
UNIT = 32
# The default bucket size: the bytes of gradients after which a bucket ends with
# its segment. And the bytes of one gradient.
BUCKET, GRADIENT = 25 << 20, 4

# A bucket: the elements of its members, and with padding; the ranks over which
# its gradients are partial besides data ranks ("tensor", "kv replicas" or
# None); the number of its gathers in a step with zero 3; and the data ranks
# that have the same members.
Row = collections.namedtuple("Row", "members elements over gathers ranks")
# A parameter: its elements on a rank; whether it is sharded over tp ("kv": over
# at most as many ranks as key and value heads; "expert": over ep, too), decays,
# and is used backward.
Param = collections.namedtuple("Param", "elements split decays isBackward")
# A stage: for each of its layers, whether it has the attention and the MLP; and
# whether it is the first and the last stage of the model.
Part = collections.namedtuple("Part", "layers first last")


def aligned(elements, unit):
    return -(-elements // unit) * unit


def padded(classes, ranks):
    return -(-classes // ranks) * ranks


def product(elements, split=True):
    return Param(elements, split, True, True)


def norm(plan, isRepeated):
    weight = Param(WIDTH, False, False, True)
    return [weight] + [weight._replace(isBackward=isRepeated)] * (
        plan.family == "gpt")


def bias(elements, split, isRepeated):
    return Param(elements, split, False, isRepeated)


def attention(plan, isBeforeMlp):
    isFull = plan.recompute == "full"
    t, h = plan.tp, WIDTH
    if plan.family == "gpt":
        return norm(plan, plan.recompute != "none") + [
            product(3 * h * h // t), bias(3 * h // t, True, isFull),
            product(h * h // t), bias(h, False, isFull and isBeforeMlp)]
    kv = h * KV_HEADS * (h // HEADS) // min(t, KV_HEADS)
    shared = "kv" if t > KV_HEADS else True
    return norm(plan, False) + [product(h * h // t), product(kv, shared),
                                product(kv, shared), product(h * h // t)]


def mlp(plan):
    t, h = plan.tp, WIDTH
    if plan.family == "gpt":
        return norm(plan, plan.recompute != "none") + [
            product(h * INNER // t),
            bias(INNER // t, True, plan.recompute == "full"),
            product(INNER * h // t), bias(h, False, False)]
    return norm(plan, False) + [product(h * INNER // t)] * 3


def mixture(plan):
    t, h = plan.tp, WIDTH
    split = "expert" if plan.ep > 1 else True
    part = EXPERTS * INNER * h // (plan.ep * t)
    return norm(plan, False) + [product(EXPERTS * h, False),
                                product(2 * part, split), product(part, split)]


def segments_of(plan, part, positions, classes):
    """The parameters of each segment, except a table that is embedding and
    head; and this table, or None."""
    table = Param(padded(classes, plan.tp) // plan.tp * WIDTH, True, True, False)
    segments = []
    if part.first:
        segments.append([table] * (not plan.tied) + [
            Param(positions * WIDTH, False, True, False)] * (
                plan.family == "gpt"))
    for has_attention, has_mlp in part.layers:
        segments.append(attention(plan, has_mlp) * has_attention + (
            mixture if plan.family == "moe" else mlp)(plan) * has_mlp)
    if part.last:
        segments.append(norm(plan, False) + [table._replace(isBackward=True)] * (
            not plan.tied))
    isTied = plan.tied and (part.first or part.last)
    return segments, table if isTied else None


def turns(plan, stage):
    """The stage's actions in their order: (is it backward, microbatch)."""
    def gpipe(turn):
        return turn

    def one_f_one_b(turn):
        isBackward, microbatch = turn
        return (microbatch + (plan.pp - stage) * isBackward, not isBackward)
    # A single stage runs 1F1B with any schedule.
    isGpipe = plan.schedule == "gpipe" and plan.pp > 1
    return sorted(((isBackward, microbatch) for isBackward in (False, True)
                   for microbatch in range(plan.microbatches)),
                  key=gpipe if isGpipe else one_f_one_b)


def gathers(plan, stage, segments, forward, backward, overlap):
    """The number of gathers of a bucket that the forward and backward tasks of
    these segments use, on a stage with `segments` segments."""
    uses, task = [], 0
    for isBackward, _ in turns(plan, stage):
        order = range(segments)
        for segment in reversed(order) if isBackward else order:
            if segment in (backward if isBackward else forward):
                uses.append(task)
            task += 1
    return sum(before is None or use - before > 1 + overlap
               for before, use in zip([None] + uses, uses))


def grouped(params, bucket):
    """The buckets of a class, each a list of (param, segments that use it). A
    segment begins a new bucket if the last has `bucket` bytes of gradients."""
    groups, last = [], None
    for param, used in params:
        isFull = groups and GRADIENT * sum(
            aligned(one.elements, UNIT) for one, _ in groups[-1]) >= bucket
        if not groups or isFull and used[0] != last:
            groups.append([])
        groups[-1].append((param, used))
        last = used[0]
    return groups


def rows(plan, part, stage, positions, classes, overlap=True, bucket=BUCKET):
    """The buckets of a stage; `overlap`: collectives overlap with tasks;
    `bucket`: the bucket size in bytes of gradients."""
    d, count = plan.dp * plan.cp, len(part.layers) + part.first + part.last
    segments, tied = segments_of(plan, part, positions, classes)
    known = collections.defaultdict(list)  # class -> parameters by segments

    def add(param, used, isAlone=False):
        # Without tp each rank has the whole parameter.
        split = param.split if plan.tp > 1 or param.split == "expert" else False
        known[split, param.decays, isAlone, used if plan.zero == 3 else None,
              ].append((param, used))
    if tied:
        add(tied, (0,) * part.first + (count - 1,) * part.last,
            isAlone=plan.pp > 1)
    for number, params in enumerate(segments):
        for param in params:
            add(param, (number,))

    def row(split, all_params):
        used = {at for _, segments in all_params for at in segments}
        backward = {at for param, segments in all_params for at in segments
                    if param.isBackward}
        if tied and all_params[0][0] is tied and part.last:
            backward.add(count - 1)
        over = ("kv replicas" if split == "kv" else
                "tensor" if plan.sp and not split else None)
        sizes = [param.elements for param, _ in all_params]
        ranks = d // plan.ep if split == "expert" else d
        return Row(sum(sizes),
                   aligned(sum(aligned(size, UNIT) for size in sizes),
                           UNIT * ranks),
                   over, gathers(plan, stage, count, used, backward, overlap),
                   ranks)
    return [row(key[0], members) for key, all_params in known.items()
            for members in grouped(all_params, bucket)]
