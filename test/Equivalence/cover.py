# RUN: %python %s %root
"""The plans that scripts/equivalence compares contain every possible pair of
choices; no plan occurs twice, and all are possible."""

import itertools
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], "test", "Equivalence", "Inputs",
                                "plans"))
import plans
from cover import pairs_of

possible = [plan for plan in itertools.starmap(
    plans.Plan, itertools.product(*plans.CHOICES)) if plans.is_possible(plan)]
wanted = {pair for plan in possible for pair in pairs_of(plan)}
few, many = plans.plans(), plans.plans(100)
for chosen in few, many:
    assert len(set(chosen)) == len(chosen) and set(chosen) <= set(possible)
    assert wanted == {pair for plan in chosen for pair in pairs_of(plan)}
assert len(few) < 40 and 100 <= len(many) and many[:len(few)] == few
# They contain unusual cases.
assert any(plan.microbatches < plan.pp for plan in few)
assert any(plan.family == "llama" and plan.pp == 2 for plan in few)
assert any(plan.dp == 3 for plan in few)
# Fewer plans cannot contain all pairs of these two choices.
assert len(few) >= len(plans.CHOICES.pp) * len(plans.CHOICES.microbatches)
