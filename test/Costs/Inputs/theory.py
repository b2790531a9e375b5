"""What a plan must send: the published counts of each kind of parallelism, for
the models of test/Inputs/models/make.py (GPT: biases, learned positions;
LLaMA: neither, fewer key and value heads than query heads).

b rows of a microbatch on a rank, s positions on a rank, h hidden, t tensor-
parallel, d data-parallel (dp x cp), c context-parallel ranks, m microbatches; a
layer is an attention and an MLP, which stages may cut apart; 4 bytes an
element, but for activations of 16 bits. Bytes are what one rank sends with a ring, see messages.py.
"""

import collections
import math
import re

from plans import WIDTH

INNER, HEADS, KV_HEADS = 2 * WIDTH, 4, 2
ELEMENT = 4


def padded(classes, ranks):
    return -(-classes // ranks) * ranks


# Of elements: where a member of a bucket begins, and of each data rank's part.
UNIT = 32

# What a stage has: attentions, MLPs, whether it begins and ends the model, and
# of its buckets the elements of all members, of each row, and of the rows whose
# parameters have 16-bit copies.
Part = collections.namedtuple(
    "Part", "attentions mlps first last members rows narrow")


def aligned(elements, unit):
    return -(-elements // unit) * unit


def local_parameters(plan, part, positions, classes):
    """Elements of a rank's parameters, and of those that the ranks which share
    a key and value head hold alike."""
    t, h, kv = plan.tp, WIDTH, 0
    table = padded(classes, t) // t * h
    if plan.family == "gpt":
        attention = 2 * h + (h * 3 * h + 3 * h) // t + h * h // t + h
        mlp = 2 * h + (h * INNER + INNER) // t + INNER * h // t + h
        end = 2 * h
    else:
        kv = 2 * h * KV_HEADS * (h // HEADS) // min(t, KV_HEADS)
        attention, mlp = h + 2 * h * h // t + kv, h + 3 * h * INNER // t
        end = h
    total = part.attentions * attention + part.mlps * mlp
    if part.first:
        total += table + (positions * h if plan.family == "gpt" else 0)
    if part.last:
        total += end + (0 if plan.tied and part.first else table)
    return total, part.attentions * kv


def replicated_parameters(plan, part, positions):
    """Elements whose gradients are parts of a sum over tp where the sequence is
    split over it: norms, biases after a row-parallel product, positions; those
    that decay and those that do not."""
    h, sublayers = WIDTH, part.attentions + part.mlps
    if plan.family == "gpt":
        return (part.first * positions * h,
                sublayers * 3 * h + part.last * 2 * h)
    return 0, sublayers * h + part.last * h


def all_reduce(size, ranks):
    return 2 * size * (ranks - 1) / ranks


def scatter(size, ranks):
    """A reduce_scatter or an all_gather."""
    return size * (ranks - 1) / ranks


def expected(plan, part, batch, seq, positions, classes):
    """(kind, role of the axes) -> [messages, bytes] of a rank of a stage and
    step. Over data axes there is one for each bucket."""
    m, t, c, d = plan.microbatches, plan.tp, plan.cp, plan.dp * plan.cp
    b, s = batch // plan.microbatches // plan.dp, seq // plan.cp
    activation = ELEMENT if plan.precision == "f32" else 2
    size = b * s * WIDTH * activation
    sublayers = part.attentions + part.mlps
    # Of how many ranks each has a part of what is reduced over data axes.
    kept = d if plan.zero else 1
    total = collections.defaultdict(lambda: [0, 0.0])

    def add(kind, role, count, bytes_each):
        total[kind, role][0] += count
        total[kind, role][1] += count * bytes_each

    if t > 1 and part.last:
        # Cross entropy: the largest logit; then the sum and the target's logit.
        add("all_reduce", "tensor", m, all_reduce(b * s * ELEMENT, t))
        add("all_reduce", "tensor", m, all_reduce(2 * b * s * ELEMENT, t))
    if plan.sp:
        add("all_gather", "tensor", m * (3 * sublayers + part.first +
                                         2 * part.last), scatter(size, t))
        add("reduce_scatter", "tensor", m * (2 * sublayers + part.first +
                                             part.last), scatter(size, t))
        for elements in replicated_parameters(plan, part, positions):
            if elements:
                add("all_reduce", "tensor", 1, all_reduce(
                    aligned(elements, UNIT * d) // kept * ELEMENT, t))
    elif t > 1:
        add("all_reduce", "tensor", m * (2 * sublayers + part.first +
                                         part.last), all_reduce(size, t))
    parameters, kv = local_parameters(plan, part, positions, classes)
    if plan.family == "llama" and t > KV_HEADS and kv:
        add("all_reduce", "kv replicas", 1, all_reduce(
            aligned(kv, UNIT * d) // kept * ELEMENT, t // KV_HEADS))
    if c > 1:
        heads = HEADS if plan.family == "gpt" else KV_HEADS
        width = b * seq * max(heads // t, 1) * (WIDTH // HEADS) * activation
        add("all_gather", "sequence", m * part.attentions * 4,
            scatter(width, c))
        add("reduce_scatter", "sequence", m * part.attentions * 2,
            scatter(width, c))
    assert parameters == part.members, (plan, parameters, part)
    size_of_rows = sum(part.rows) * ELEMENT
    if d > 1 and plan.zero:
        add("reduce_scatter", "data",
            len(part.rows) * (m if plan.zero >= 2 else 1),
            scatter(size_of_rows, d) / len(part.rows))
        if plan.zero < 3:
            add("all_gather", "data", len(part.rows), scatter(
                size_of_rows - 2 * part.narrow, d) / len(part.rows))
    elif d > 1:
        add("all_reduce", "data", len(part.rows),
            all_reduce(size_of_rows, d) / len(part.rows))
    add("send", "pipeline", m * ((not part.last) + (not part.first)),
        size // (t if plan.sp else 1))
    if plan.tied and plan.pp > 1 and (part.first or part.last):
        add("send", "pipeline", 1, aligned(
            padded(classes, t) // t * WIDTH, UNIT * d) // kept * ELEMENT)
    return {key: value for key, value in total.items() if value[0] != 0}


def at_most(plan, part):
    """What there may be besides, with zero 3: a row is gathered for a forward
    and a backward task of each microbatch, unless it is still there; and
    replicated parameters of each segment have rows of their own."""
    d, t, times = plan.dp * plan.cp, plan.tp, 2 * plan.microbatches
    if d == 1 or plan.zero < 3:
        return {}
    # Of 16 bits where the model has them.
    size = sum(part.rows) * (ELEMENT if plan.precision == "f32" else 2)
    rows = len(part.rows)
    besides = {("all_gather", "data"): (times * rows,
                                        times * scatter(size, d))}
    if plan.sp:
        besides["all_reduce", "tensor"] = (
            rows, rows * all_reduce(UNIT * ELEMENT, t))
    return besides


ROLES = {("tp",): "tensor", ("tp_kv", "tp_rep"): "tensor",
         ("tp_rep",): "kv replicas", ("pp",): "pipeline", ("dp",): "data",
         ("cp",): "data", ("dp", "cp"): "data"}


def by_role(sent):
    """Counted messages under the roles of their axes, without scalars."""
    total = collections.defaultdict(lambda: [0, 0.0])
    for (kind, axes), sizes in sent.items():
        if kind == "scalars":
            continue
        role = ROLES[axes]
        # Keys and values are sent along cp, too.
        if kind in ("all_gather", "reduce_scatter") and axes == ("cp",):
            role = "sequence"
        kind = kind.removeprefix("row ")
        total[kind, role][0] += len(sizes)
        total[kind, role][1] += sum(sizes)
    return dict(total)


def rows_of(text):
    """(elements of all gradients, elements of each of their rows, whether its
    parameters have copies): how long the
    rows are follows from what lies in them, if they are no longer than that and
    the least padding make them."""
    members = collections.defaultdict(list)
    total = 0
    for dims, row in re.findall(r"memref<((?:\d+x)*)\w+> gradient in @(\S+)",
                                text):
        elements = math.prod(map(int, dims.split("x")[:-1]))
        total += elements
        members[row].append(aligned(elements, UNIT))
    narrow = set(re.findall(r"> copy in @(\S+)\.copy ", text))
    return (total, [sum(sizes) for sizes in members.values()],
            [row.removesuffix(".grad") in narrow for row in members])


def part_of(text, stage, stages, ranks):
    """What a stage has, by the parameters that its text declares, where `ranks`
    share what is kept of each."""
    total, rows, narrow = rows_of(text)
    rows = [aligned(row, UNIT * ranks) for row in rows]
    names = re.findall(r'rt\.buffer @"?([\w.]+)"? : memref<[^>]*> param', text)

    def count(pattern):
        return len([name for name in names if re.search(pattern, name)])
    return Part(count(r"c_attn\.weight|q_proj\.weight"),
                count(r"c_fc\.weight|gate_proj\.weight"),
                stage == 0, stage == stages - 1, total,
                rows, sum(row for row, has in zip(rows, narrow) if has))
