# RUN: %python %s %root/scripts
"""scripts/mutants finds each possible mutation of a line once, and none in
strings, comments or partial statements."""

import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from loading import script

mutants = script("mutants")

CASES = {
    "  if (a < b && c)": {
        ("operator", "  if (a <= b && c)"),
        ("operator", "  if (a < b || c)"),
        ("condition", "  if (!(a < b && c))"),
    },
    "  if (auto op = find(x))": set(),
    "  return isOpen(x);": {("condition", "  return !(isOpen(x));")},
    "  sum += 2 * n; // not 3 + 4": {
        ("operator", "  sum -= 2 * n; // not 3 + 4"),
        ("operator", "  sum += 2 + n; // not 3 + 4"),
        ("constant", "  sum += 3 * n; // not 3 + 4"),
        ("deletion", "  (void)0;"),
    },
    "  list.push_back(x);": {("deletion", "  (void)0;")},
    "  int64_t rank = type.getRank();": set(),
    '  emitError() << "a == b and 1 < 2";': set(),
    "  SmallVector<int64_t, 4> dims;": set(),
    "  bool isDone = false;": {("constant", "  bool isDone = true;")},
}
for line, expected in CASES.items():
    found = [(kind, new.rstrip("\n"))
             for kind, new in mutants.mutations("  before();\n", line + "\n")]
    assert len(found) == len(set(found)), found
    assert set(found) == expected, f"{line}: {sorted(found)}"
# The second line of a statement has no mutation.
assert not list(mutants.mutations("  auto x =\n", "      list.pop_back();\n"))

everything = mutants.find_mutants()
assert len(everything) > 5000 and everything == mutants.find_mutants()
some = mutants.find_mutants("passes/Sharding")
assert some == [m for m in everything if m[0].startswith("passes/Sharding")]
assert 0 < len(some) < len(everything)
