"""Reduces a failing case: sets one choice after another back to plain."""

import os
import shutil

import case as cases
import choices as grammar
import judge
import running


def same(result, wanted):
    """Whether two failures are alike: for the same reason; if numbers are
    wrong, both in the forward pass or both after it."""
    if result["class"] != wanted["class"]:
        return False
    if wanted["class"] in ("wrong", "warned"):
        forward, other = ("forward" in r["reason"] or "step 1" in r["reason"]
                          for r in (result, wanted))
        return forward == other
    return running.general(result["reason"]) == running.general(
        wanted["reason"])


def reduce_(seed, folder, forward, say=print):
    """Leaves the smallest case in `folder` and returns its choices."""
    choices = grammar.draw(seed)

    def attempt(candidate):
        if os.path.exists(folder):
            shutil.rmtree(folder)
        return judge.judge(cases.Case(candidate, folder, seed), forward)

    wanted = attempt(choices)
    say(f"{wanted['class']}: {wanted['reason']}")
    # The slowest choices first: ranks, microbatches, exporters.
    names = ["tp", "dp", "pp", "microbatches", "static", "exporter"]
    names += [n for n in grammar.CHOICES if n not in names]
    for name in names:
        plain = grammar.PLAIN[name]
        if choices[name] == plain:
            continue
        candidate = grammar.repaired(dict(choices, **{name: plain}))
        if candidate == choices:
            continue
        try:
            result = attempt(candidate)
        except Exception:  # an invalid combination
            continue
        if same(result, wanted):
            choices, wanted = candidate, result
    result = attempt(choices)
    say(f"{result['class']}: {result['reason']}")
    left = {n: v for n, v in choices.items() if v != grammar.PLAIN[n]}
    say(f"what matters: {left}")
    return choices
