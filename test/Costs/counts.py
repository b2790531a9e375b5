# RUN: %python %s %root %build
"""Programs of plans by tensor, pipeline and data parallelism send what the
formulas say, and what a program sends too much or too little is seen."""

import os
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT, BUILD = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "scripts"))
from loading import script

costs = script("costs")
todo = [plan for plan in costs.chosen(0, "gpt,cp=1,sp=False") if plan.pp > 1]
assert len(todo) > 5
with tempfile.TemporaryDirectory() as folder:
    for plan in todo:
        total, lines = costs.differences(
            plan, costs.compile_plan(plan, BUILD, folder))
        assert total > 0 and not lines, (plan, lines)
    plan = next(plan for plan in todo if plan.tp > 1)
    text = costs.compile_plan(plan, BUILD, folder).splitlines()


def seen(lines, what):
    _, found = costs.differences(plan, "\n".join(lines))
    assert len(found) == 1 and what in found[0], found


reduce_at = next(at for at, line in enumerate(text)
                 if "rt.all_reduce" in line and '"tp"' in line)
seen(text[:reduce_at] + text[reduce_at + 1:], "all_reduce over tensor")
seen(text[:reduce_at] + [text[reduce_at]] + text[reduce_at:],
     "all_reduce over tensor")
send_at = next(at for at, line in enumerate(text) if "rt.send" in line)
seen(text[:send_at] + text[send_at + 1:], "send over pipeline")
