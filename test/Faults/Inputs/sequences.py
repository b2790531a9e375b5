"""Faults in the text of programs with context parallelism, windows, sinks,
documents and heads in chunks. Most are edits of a text at phase spmd; some
change a text at phase rt.

FAULTS lists them as planted.py does. A check may refuse a fault; a comparison
must find the others.
"""

import re

from mixtures import LAYER, at, over
from planted import Fault, replaced

FORWARD = r"nn\.attention "
BACKWARD = r"nn\.attention_grad "
TO_HEADS = r"dist\.all_to_all %\w+ from 1 to 2"
TO_SEQUENCE = r"dist\.all_to_all %\w+ from 2 to 1"
ATTENTION = r"self_attn"

# cp and dp have 2 ranks each, so that a collective can run over the wrong one.
# Ranks of "sinks" have whole sequences of some heads, those of "gathered" all
# keys. "learned" has a table of positions; rotations depend on distances alone.
PLANS = {
    "sinks": ("models/gpt-oss-dynamo.onnx",
              "--seq 32 --documents 10,32 --cp 2 --dp 2 --zero 2 "
              "--head-chunks 2 --global-batch-size 4"),
    "gathered": ("models/mistral-dynamo.onnx",
                 "--seq 32 --documents 10,32 --cp 2 --cp-comm-type allgather "
                 "--dp 2 --zero 2 --head-chunks 2 --global-batch-size 4"),
    "learned": ("models/gpt2-dynamo.onnx",
                "--seq 32 --documents 10,32 --cp 2 --dp 2 --global-batch-size 4"),
    "balanced": ("models/gpt2-dynamo.onnx",
                 "--seq 32 --cp 2 --cp-comm-type allgather "
                 "--cp-balance headtail --dp 2 --global-batch-size 4"),
}


def without_starts(line):
    """An edit of an attention: it has no documents."""
    line = re.sub(r" starts %\w+", "", line)
    return re.sub(r", tensor<\d+x\d+xi64>\) -> ", ") -> ", line)


def late_starts(line):
    """An edit of an attention: documents begin a token late."""
    name = re.search(r" starts (%\w+)", line)[1]
    kind = re.search(r"(tensor<\d+x\d+xi64>)\) -> ", line)[1]
    places = '{dist.shardings = [#dist.sharding<@mesh, [{"dp"}, {}]>]}'
    if "x16xi64" in kind:
        places = places.replace("{}]", '{"cp"}]')
    return (f"    %one = nn.constant dense<1> : {kind} {places}\n"
            f"    %fault = nn.sum {name}, %one {places} : {kind}\n"
            + line.replace(f" starts {name} ", " starts %fault "))


def whole_view(line):
    """An edit of a view of a chunk: it is the first chunk's."""
    return re.sub(r" offset \d+", "", line)


def in_order_of_data(name):
    """Edits a text: an input has the order of the data."""
    def plant(source):
        changed = re.sub(rf'nn\.name = "{name}", nn\.order = \S+ = \d+, dims = '
                         r"\[\d\]>, ", f'nn.name = "{name}", ', source)
        assert changed != source
        return changed
    return plant


def spmd(name, names, edit, plan="sinks"):
    return Fault(name, plan, names, edit, "spmd")


FAULTS = [
    # all_to_all.
    spmd("an all_to_all with its dims exchanged", LAYER.format(0),
         at(TO_HEADS, 0, replaced("from 1 to 2", "from 2 to 1"))),
    spmd("an all_to_all of results with its dims exchanged", LAYER.format(0),
         at(TO_SEQUENCE, 0, replaced("from 2 to 1", "from 1 to 2"))),
    spmd("queries exchanged over dp", LAYER.format(0),
         at(TO_HEADS, 0, over("cp", "dp"))),
    spmd("values exchanged over dp", LAYER.format(0),
         at(TO_HEADS, 2, over("cp", "dp"))),
    spmd("results exchanged over dp", LAYER.format(1),
         at(TO_SEQUENCE, 1, over("cp", "dp"))),
    spmd("cotangents of results exchanged over dp", LAYER.format(1),
         at(TO_HEADS, 0, over("cp", "dp"), after=r"nn\.cross_entropy_grad")),
    spmd("gradients of keys exchanged over dp", LAYER.format(1),
         at(TO_SEQUENCE + r' over \["cp"\].*-> tensor<2x16x2x8', 0,
            over("cp", "dp"), after=BACKWARD)),
    # Windows and sinks.
    spmd("a window larger by one", LAYER.format(0),
         at(FORWARD, 0, replaced("window = 8", "window = 9"))),
    spmd("a window smaller by one in the gradient", LAYER.format(0),
         at(BACKWARD, 1, replaced("window = 8", "window = 7"))),
    spmd("a window left out of the gradient", LAYER.format(0),
         at(BACKWARD, 1, replaced(", window = 8 : i64", ""))),
    spmd("a window in another layer", LAYER.format(1),
         at(FORWARD, 1, replaced("nn.stage = 0 : i64}",
                                 "nn.stage = 0 : i64, window = 8 : i64}"))),
    spmd("sinks of the heads of another rank", LAYER.format(1),
         at(r"dist\.shard_slice .*tensor<4xf32> -> tensor<2xf32>", 1,
            over("cp", "dp"))),
    # Documents.
    spmd("documents left out", LAYER.format(0), at(FORWARD, 0, without_starts)),
    spmd("documents left out of the gradient", LAYER.format(1),
         at(BACKWARD, 0, without_starts)),
    spmd("documents that begin a token late", LAYER.format(1),
         at(FORWARD, 1, late_starts)),
    spmd("documents that begin a token late in the gradient", LAYER.format(0),
         at(BACKWARD, 1, late_starts)),
    spmd("documents that begin a token late, of gathered keys", LAYER.format(0),
         at(FORWARD, 0, late_starts), "gathered"),
    spmd("positions that are not reset", r"wpe",
         at(r"nn\.sub .* : tensor<2x16xi64>", 0, replaced("nn.sub", "nn.max")),
         "learned"),
    spmd("starts of the positions of another rank", LAYER.format(0),
         at(r"dist\.shard_slice .*tensor<2x32xi64>", 0, over("cp", "dp"))),
    spmd("positions of another rank", LAYER.format(0),
         at(r"dist\.shard_slice .*tensor<32xi64> ->", 0, over("cp", "dp")),
         "gathered"),
    spmd("documents that another token ends", "losses",
         at(r"nn\.document_ends", 0,
            replaced("array<i64: 10, 32>", "array<i64: 10, 33>"))),
    # Gathered keys.
    spmd("keys gathered over dp", LAYER.format(0),
         at(r"dist\.all_gather .*tensor<2x32x2x8xf32>", 0, over("cp", "dp")),
         "gathered"),
    spmd("gradients of keys reduced over dp", LAYER.format(1),
         at(r"dist\.reduce_scatter .*tensor<2x16x2x8xf32>", 0,
            over("cp", "dp"), after=BACKWARD), "gathered"),
    # Head-tail order.
    spmd("tokens in the order of the data", "losses",
         in_order_of_data("input_ids"), "balanced"),
    spmd("targets in the order of the data", "losses",
         in_order_of_data("targets"), "balanced"),
    spmd("positions in the order of the data", r"wpe",
         in_order_of_data("positions"), "balanced"),
    # Heads in chunks.
    Fault("a chunk's tokens twice", "gathered", "norm",
          at(r"rt\.view %\w+ offset \d+ .*to memref<1x16x32xf32>", 0,
             whole_view)),
    Fault("a chunk's targets twice", "gathered", "losses",
          at(r"rt\.view %\w+ offset \d+ .*to memref<1x16xi64>", 0,
             whole_view)),
    Fault("a chunk's gradient of the table left out", "gathered", "lm_head",
          at(r"rt\.gemm .*trans_a = true.*beta = 1\.0.*memref<32x128xf32>", 0,
             lambda line: "", after=r"cross_entropy")),
]
