# RUN: %python %s %root %build
"""Programs with tensor, pipeline and data parallelism communicate as the
formulas say, including gathers of zero 3 and all_reduces of replicated
gradients, and gathers of tokens by experts. Too much or too little
communication is detected. A plan is compiled
with one bucket size: the default, one of a few layers, or the smallest; with
PCC_TEST_ALL with all three."""

import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT, BUILD = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from loading import script

costs = script("costs")
ALL = bool(os.environ.get("PCC_TEST_ALL"))
todo = [plan for plan in costs.chosen(0, "gpt,cp=1,sp=False") if plan.pp > 1]
assert len(todo) > 5
# Experts over ep, tp, or both: all plans of them with PCC_TEST_ALL.
experts = costs.chosen(0, "moe")
both = next(plan for plan in experts if plan.ep > 1)._replace(tp=2, sp=True)
todo += [both, both._replace(etp=1, recompute="full"),
         *experts[::1 if ALL else 4]]
drawn = len(todo)
# Parameters sharded over dp and cp, sequences over cp, activations over tp.
whole = costs.plans.Plan(
    family="gpt", tied=False, dropout=False, precision="bf16", tp=2, pp=1, dp=1,
    cp=2, sp=True, zero=3, schedule="1f1b", microbatches=3, recompute="none")
todo += [whole, whole._replace(dp=2, microbatches=1), whole._replace(zero=2),
         whole._replace(tied=True, precision="f32", pp=2, microbatches=4),
         whole._replace(pp=2, schedule="gpipe"),
         whole._replace(family="llama", tp=4, precision="fp16"),
         whole._replace(family="llama", tp=4, tied=True, microbatches=8),
         whole._replace(family="llama", tp=1, pp=2, sp=False, dp=2),
         # Buckets of biases that backward tasks use; stages of half layers.
         whole._replace(recompute="full"), whole._replace(recompute="selective"),
         whole._replace(recompute="full", tp=4, cp=1, sp=False, dp=2),
         whole._replace(recompute="full", pp=3, tp=1, sp=False, microbatches=4),
         # Stages of one layer, on which buckets stay resident.
         whole._replace(tp=1, pp=4, sp=False, schedule="gpipe")]
assert all(costs.plans.is_possible(plan) for plan in todo)
# Small buckets: of a few layers, or of a single segment as with zero 3.
SMALL = 100000, 1
with tempfile.TemporaryDirectory() as folder:
    texts = {}
    for number, plan in enumerate(todo, -drawn):
        if ALL or number < 0 or number % 3 == 0:
            texts[plan] = costs.compile_plan(plan, BUILD, folder)
            total, lines = costs.differences(plan, texts[plan])
            assert total > 0 and not lines, (plan, lines)
        for turn, size in enumerate(SMALL, 1):
            if number < 0 or not ALL and number % 3 != turn:
                continue
            text = costs.compile_plan(plan, BUILD, folder, bucket=size)
            total, lines = costs.differences(plan, text, bucket=size)
            assert total > 0 and not lines, (plan, size, lines)
            if size == 1:
                assert bool(costs.differences(plan, text)[1]) == \
                    (plan.zero < 3), plan
    # Without overlap, buckets of a stage of one layer do not stay resident.
    text = costs.compile_plan(todo[-1], BUILD, folder, overlap="off")
    total, lines = costs.differences(todo[-1], text, overlap="off")
    assert total > 0 and not lines, lines
    assert costs.differences(todo[-1], text)[1]
plan = next(plan for plan in texts
            if plan.family == "gpt" and plan.tp > 1 and plan.pp > 1)
text, cut = texts[plan].splitlines(), texts[whole].splitlines()


def seen(lines, what, plan=plan):
    _, found = costs.differences(plan, "\n".join(lines))
    assert len(found) == 1 and what in found[0], found


reduce_at = next(at for at, line in enumerate(text)
                 if "rt.all_reduce" in line and '"tp"' in line)
seen(text[:reduce_at] + text[reduce_at + 1:], "all_reduce over tensor")
seen(text[:reduce_at] + [text[reduce_at]] + text[reduce_at:],
     "all_reduce over tensor")
send_at = next(at for at, line in enumerate(text) if "rt.send" in line)
seen(text[:send_at] + text[send_at + 1:], "send over pipeline")
gather_at = next(at for at, line in enumerate(cut)
                 if "rt.call @gather." in line)
seen(cut[:gather_at] + cut[gather_at + 1:], "all_gather over data", whole)
seen(cut[:gather_at] + [cut[gather_at]] + cut[gather_at:],
     "all_gather over data", whole)
# The all_reduce of the norms' gradients, on the compute stream.
norms_at = next(at for at, line in enumerate(cut)
                if "rt.all_reduce sum" in line and "memref<1x" in line)
seen(cut[:norms_at] + cut[norms_at + 1:], "all_reduce over tensor", whole)
# A gather of tokens by experts.
text = texts[both].splitlines()
tokens_at = next(at for at, line in enumerate(text)
                 if "rt.all_gather" in line and 'over ["ep"]' in line)
seen(text[:tokens_at] + text[tokens_at + 1:], "all_gather over expert", both)
# Temporaries of experts; their rows.


def functions(text):
    """(first line, text) of each function."""
    heads = [at for at, line in enumerate(text) if "rt.func @" in line]
    return [(at, "".join(text[at:end])) for at, end in zip(heads, heads[1:])]


text, frame_at, split = next(
    (lines, at, plan) for plan in texts if plan.family == "moe"
    for lines in [texts[plan].splitlines()] for at, body in functions(lines)
    if "rt.grouped_gemm" in body and "attention" not in body
    and "masked_softmax" not in body)
longer = re.sub(r" frame (\d+) ", lambda m: f" frame {int(m[1]) * 10} ",
                text[frame_at])
seen(text[:frame_at] + [longer] + text[frame_at + 1:], "temporaries", split)
gemm_at = next(at for at, line in enumerate(text) if "rt.grouped_gemm n" in line)
more = re.sub(r": memref<(\d+)x", lambda m: f": memref<{int(m[1]) + 1}x",
              text[gemm_at], count=1)
seen(text[:gemm_at] + [more] + text[gemm_at + 1:], "rows, expected", split)
