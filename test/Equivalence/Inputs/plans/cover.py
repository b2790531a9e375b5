"""Selects a few of many combinations such that every pair of choices occurs."""

import itertools


def pairs_of(row):
    """The choices of a row, two by two."""
    return list(itertools.combinations(sorted(row._asdict().items()), 2))


def cover(rows, count=0):
    """Of all rows that may be, in an order that follows from theirs: first
    some in which every pair of choices that any row has occurs, as few as a
    greedy choice finds; then more in the same way, until there are `count`.
    """
    bits, pairs = {}, {}  # a pair's bit; of a row, those of its pairs
    for row in rows:
        pairs[row] = sum(1 << bits.setdefault(pair, len(bits))
                         for pair in pairs_of(row))
    chosen = []
    while pairs:
        missing = (1 << len(bits)) - 1
        while missing and pairs:
            best = max(pairs, key=lambda row: (pairs[row] & missing).bit_count())
            new = pairs[best] & missing
            if not new:
                break  # what is missing is in rows chosen before alone
            chosen.append(best)
            del pairs[best]
            missing &= ~new
        if len(chosen) >= count:
            break
    return chosen
