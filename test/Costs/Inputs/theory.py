"""The communication of a plan: the published counts of each kind of
parallelism, for the models of test/Inputs/models/make.py (GPT: biases,
learned positions; LLaMA: neither, fewer key and value heads than query
heads; mixture of experts: a LLaMA with experts in place of the MLPs).

b samples of a microbatch on a rank, s positions on a rank, h hidden, t
tensor-parallel, d data-parallel (dp x cp), c context-parallel ranks, m
microbatches, n ep ranks that split experts, k experts of a token. A layer is an
attention and an MLP, which may be on different stages. If a layer is
recomputed in the backward pass, the result of its attention is reduced twice,
and the inputs of both are gathered once more.
Experts gather tokens, ids and gates forward, tokens, their cotangents, ids and
gates backward, and scatter their results and the cotangents of tokens and gates:
over ep, and with sequence parallelism over tp, (c - 1) T (5 h e + 20 k) bytes in
all for T tokens of a rank, c ranks that gather and e bytes an element. Without
sequence parallelism tp all-reduces the results. Once a step the numbers of tokens
of each layer's experts are all-reduced over the ranks with different tokens or
layers. A function that computes experts routes R = T c min(k, E/n) rows for the
E/n experts of a rank, n the ranks that split them. Its temporaries are at most
R (3 h + 6 f) elements and a tile of rows of h for each of these experts, f the
columns of an expert on a rank.
Elements have 4 bytes, activations of bf16 or fp16 2. Bytes are what one rank
sends with a ring; see messages.py.
"""

import collections
import math
import re

import buckets
from buckets import BUCKET, HEADS, KV_HEADS, UNIT, Part, aligned, padded
from plans import CHOSEN, EXPERTS, INNER, LAYERS, WIDTH

ELEMENT = 4


def all_reduce(size, ranks):
    return 2 * size * (ranks - 1) / ranks


def scatter(size, ranks):
    """A reduce_scatter or an all_gather."""
    return size * (ranks - 1) / ranks


def expected(plan, part, stage, batch, seq, positions, classes, overlap=True,
             bucket=BUCKET):
    """(kind, role of the axes) -> [count, bytes] of the collectives and
    transfers of a rank in a step. Each bucket has its own collectives over data
    axes."""
    m, t, c, d = plan.microbatches, plan.tp, plan.cp, plan.dp * plan.cp
    b, s = batch // plan.microbatches // plan.dp, seq // plan.cp
    activation = ELEMENT if plan.precision == "f32" else 2
    size = b * s * WIDTH * activation
    attentions, mlps = (sum(layers) for layers in zip((0, 0), *part.layers))
    sublayers = attentions + mlps
    isFull = plan.recompute == "full"
    repeated = isFull * sum(map(all, part.layers))
    rows = buckets.rows(plan, part, stage, positions, classes, overlap, bucket)
    # The number of ranks over which the gradient of a tied table is sharded.
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
        add("all_gather", "tensor", m * ((3 + isFull) * sublayers + part.first +
                                         2 * part.last), scatter(size, t))
        add("reduce_scatter", "tensor", m * (
            2 * sublayers + repeated + part.first + part.last), scatter(size, t))
    elif t > 1:
        add("all_reduce", "tensor", m * (
            2 * sublayers + repeated + part.first + part.last),
            all_reduce(size, t))
    if plan.family == "moe":
        for one in expert_traffic(plan, b * s, size):
            add(one[0], one[1], m * mlps * one[2], one[3])
        # Once a step: how often the experts of each layer were chosen.
        counts = LAYERS[plan.family] * EXPERTS * ELEMENT
        ranks = plan.pp * d * (t if plan.sp else 1)
        if ranks > 1:
            add("all_reduce", roles_of(plan)[counting_axes(plan)], 1,
                all_reduce(counts, ranks))
    for row in rows:
        if row.over:
            ranks = t if row.over == "tensor" else t // KV_HEADS
            add("all_reduce", row.over, 1, all_reduce(
                row.elements // (row.ranks if plan.zero else 1) * ELEMENT,
                ranks))
    if c > 1:
        heads = HEADS if plan.family == "gpt" else KV_HEADS
        # A head of a rank's part of the sequence.
        head = b * s * (WIDTH // HEADS) * activation
        if heads % (t * c) == 0:
            # Queries and the result, then keys and values; in the backward pass
            # their cotangents.
            count = m * attentions * 2 * (2 + isFull)
            add("all_to_all", "sequence", count, scatter(HEADS // t * head, c))
            add("all_to_all", "sequence", count, scatter(heads // t * head, c))
        else:
            width = c * max(heads // t, 1) * head
            add("all_gather", "sequence", m * attentions * (4 + 2 * isFull),
                scatter(width, c))
            add("reduce_scatter", "sequence", m * attentions * 2,
                scatter(width, c))
    for row in rows:
        if row.ranks == 1:
            continue
        gradients = row.elements * ELEMENT
        role = "data" if row.ranks == d else "experts' data"
        if plan.zero == 0:
            add("all_reduce", role, 1, all_reduce(gradients, row.ranks))
        else:
            add("reduce_scatter", role, m if plan.zero >= 2 else 1,
                scatter(gradients, row.ranks))
            # bf16 or fp16 if activations are.
            add("all_gather", role, row.gathers if plan.zero == 3 else 1,
                scatter(row.elements * activation, row.ranks))
    add("send", "pipeline", m * ((not part.last) + (not part.first)),
        size // (t if plan.sp else 1))
    if plan.tied and plan.pp > 1 and (part.first or part.last):
        add("send", "pipeline", 1, aligned(
            padded(classes, t) // t * WIDTH, UNIT * d) // kept * ELEMENT)
    return {key: value for key, value in total.items() if value[0] != 0}


def expert_traffic(plan, tokens, size):
    """The collectives of the experts of a layer and microbatch, beyond those
    that an MLP of a LLaMA has: (kind, role, count, bytes of each). `tokens` of a
    rank, without sequence parallelism, of `size` bytes."""
    n, t = plan.ep, plan.tp
    ids = tokens * CHOSEN * ELEMENT  # as many bytes as gates
    found = []
    if n > 1:
        # With sequence parallelism ep gathers the rank's tokens first, then tp
        # all of them; ep scatters first, too.
        part = t if plan.sp else 1
        found += [("all_gather", "expert", 3, scatter(n * size / part, n)),
                  ("all_gather", "expert", 4, scatter(n * ids / part, n)),
                  ("reduce_scatter", "expert", 2, scatter(n * size, n)),
                  ("reduce_scatter", "expert", 1, scatter(n * ids, n))]
    if plan.sp:
        # An MLP gathers its input and its result's cotangent for the rank's
        # tokens only, and its input again where the layer is recomputed.
        again = plan.recompute == "full"
        found += [("all_gather", "tensor", -3 - again, scatter(size, t)),
                  ("all_gather", "tensor", 3, scatter(n * size, t)),
                  ("all_gather", "tensor", 4, scatter(n * ids, t)),
                  ("reduce_scatter", "tensor", 1, scatter(ids, t))]
    elif t > 1:
        found += [("all_reduce", "tensor", 1, all_reduce(ids, t))]
    return found


# The rows of the smallest tile of a grouped GEMM.
TILE = 32


def expert_scratch(plan, batch, seq):
    """The rows of a function that computes experts, and the bytes that its
    temporaries have at most."""
    tokens = batch // (plan.dp * plan.microbatches) * seq // plan.cp
    ranks = plan.ep * (plan.tp if plan.etp == 1 else 1)
    rows = tokens * plan.ep * min(CHOSEN, EXPERTS // ranks)
    columns = INNER // (1 if plan.etp == 1 else plan.tp)
    element = 4 if plan.precision == "f32" else 2
    # Two matrices of f columns, of the gate and of the up projection.
    each = 3 * WIDTH + (2 * 2 + 2) * columns
    return rows, element * (rows * each + TILE * EXPERTS // ranks * WIDTH)


def scratch_of(text):
    """(name, rows, bytes of temporaries) of each function with a grouped GEMM
    in a stage's text: of all temporaries; or, where the function recomputes a
    whole layer, of those with rows."""
    found = []
    for body in re.split(r"\n    rt\.func ", text)[1:]:
        rows = {int(n) for n in
                re.findall(r"rt\.grouped_gemm n\w .*?: memref<(\d+)x", body)}
        if rows:
            name, size = re.match(r"(@\S+?)\(.*?\) frame (\d+)", body).groups()
            whole = "attention" in body or "masked_softmax" in body
            found.append((name, rows,
                          alive(body, rows) if whole else int(size)))
    return found


def alive(body, rows):
    """The most bytes of temporaries with so many rows that are used at once."""
    uses, sizes = {}, {}
    for n, line in enumerate(body.split("\n")):
        made = re.match(r" *(%\w+) = rt\.temporary at \d+ : "
                        r"memref<(\d+)x(?:(\d+)x)?(i|f|bf)(\d+)>$", line)
        if made and int(made[2]) in rows:
            sizes[made[1]] = (int(made[2]) * int(made[3] or 1)
                              * math.ceil(int(made[5]) / 8))
        elif " = rt.temporary" not in line:
            for name in re.findall(r"%\w+", line):
                uses.setdefault(name, []).append(n)
    lives = [(uses[name][0], uses[name][-1], sizes[name]) for name in sizes]
    return max(sum(size for first, last, size in lives if first <= at <= last)
               for at, _, _ in lives)


ROLES = {("tp",): "tensor", ("tp_kv", "tp_rep"): "tensor",
         ("tp_rep",): "kv replicas", ("pp",): "pipeline"}


def counting_axes(plan):
    """The axes whose ranks count the choices of different tokens or layers."""
    tp = ("tp",) if plan.tp <= KV_HEADS else ("tp_kv", "tp_rep")
    return tuple(axis for axis, size in (
        ("pp", plan.pp), ("dp", plan.dp // plan.ep), ("ep", plan.ep),
        ("cp", plan.cp), *((axis, 2) for axis in tp if plan.sp)) if size > 1)


def roles_of(plan):
    """Role by axes."""
    sizes_of = {"dp": plan.dp // plan.ep, "ep": plan.ep, "cp": plan.cp}
    data = tuple(axis for axis, size in sizes_of.items() if size > 1)
    roles = {counting_axes(plan): "loads", **ROLES, data: "data"}
    if plan.ep > 1:
        roles[tuple(axis for axis in data if axis != "ep")] = "experts' data"
    return roles


def by_role(sent, plan):
    """Counted collectives and transfers by their axes' roles, without
    scalars."""
    roles = roles_of(plan)
    total = collections.defaultdict(lambda: [0, 0.0])
    for (kind, axes), sizes in sent.items():
        if kind == "scalars":
            continue
        # Queries, keys and values are sent along cp, tokens along ep.
        if (kind in ("all_gather", "reduce_scatter", "all_to_all")
                and axes == ("cp",)):
            role = "sequence"
        elif kind in ("all_gather", "reduce_scatter") and axes == ("ep",):
            role = "expert"
        else:
            role = roles[axes]
        kind = kind.removeprefix("row ")
        total[kind, role][0] += len(sizes)
        total[kind, role][1] += sum(sizes)
    return dict(total)


def rows_of(text, ranks, of_experts=None):
    """[(elements of all members, elements of the bucket, ranks that have a shard
    of it)] of the gradients that a stage's text declares, if these are `ranks`,
    and `of_experts` of experts. The second number is computed from the members,
    with the least padding."""
    members = collections.defaultdict(list)
    shards = collections.defaultdict(lambda: ranks)
    for name, dims, row in re.findall(
            r'@"?([\w.]+)"? : memref<((?:\d+x)*)\w+> gradient in @(\S+)', text):
        members[row].append(math.prod(map(int, dims.split("x")[:-1])))
        if of_experts and ".experts." in name:
            shards[row] = of_experts
    return [(sum(sizes), aligned(sum(aligned(size, UNIT) for size in sizes),
                                 UNIT * shards[row]), shards[row])
            for row, sizes in members.items()]


def part_of(text, stage, stages):
    """The parts of a model on a stage, by the parameters that its text
    declares."""
    names = re.findall(r'rt\.buffer @"?([\w.]+)"? : memref<[^>]*> param', text)

    def layers(pattern):
        return {int(re.search(r"\.(\d+)\.", "." + name).group(1))
                for name in names if re.search(pattern, name)}
    attentions = layers(r"c_attn\.weight|q_proj\.weight")
    mlps = layers(r"c_fc\.weight|gate_proj\.weight|experts\.gate_up_proj")
    return Part([(layer in attentions, layer in mlps)
                 for layer in sorted(attentions | mlps)],
                stage == 0, stage == stages - 1)
