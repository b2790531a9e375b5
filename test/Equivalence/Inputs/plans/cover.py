"""Selects a few of many combinations such that every pair of choices occurs."""

import itertools


def pairs_of(row):
    """All pairs of a row's choices."""
    return list(itertools.combinations(sorted(row._asdict().items()), 2))


def cover(rows, count=0):
    """Selects from all possible rows, in an order that depends only on theirs.
    First rows in which every pair of choices of any row occurs, as few as a
    greedy choice finds; then more in the same way, until there are `count`.
    """
    bits, pairs = {}, {}  # the bit of a pair; the bits of a row's pairs
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
                break  # only chosen rows have the missing pairs
            chosen.append(best)
            del pairs[best]
            missing &= ~new
        if len(chosen) >= count:
            break
    return chosen
