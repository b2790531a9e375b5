"""A few of many combinations, such that every two choices meet."""

import itertools


def pairs_of(row):
    """The choices of a row, two by two."""
    return list(itertools.combinations(sorted(row._asdict().items()), 2))


def cover(rows, count=0):
    """Of all rows that may be, in an order that follows from theirs: first
    some in which every pair of choices that any row has occurs, as few as a
    greedy choice finds; then more in the same way, until there are `count`.
    """
    rows = list(rows)
    pairs = {row: pairs_of(row) for row in rows}
    everything = set(itertools.chain.from_iterable(pairs.values()))
    chosen = []
    while rows:
        missing = set(everything)
        while missing and rows:
            new = {row: sum(pair in missing for pair in pairs[row])
                   for row in rows}
            best = max(rows, key=new.get)
            if not new[best]:
                break  # what is missing is in rows chosen before alone
            chosen.append(best)
            rows.remove(best)
            missing -= set(pairs[best])
        if len(chosen) >= count:
            break
    return chosen
