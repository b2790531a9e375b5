# The pairs of tiles of attention that context-parallel ranks load on devices, by
# the sectors that they read. In head-tail order all ranks load as many, forward
# and backward: no tile has queries or keys of two pieces.
# RUN: %python %s

import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "Inputs"))
from kernels import check, kernel, lower, sectors, traffic

ALL = bool(os.environ.get("PCC_TEST_ALL"))
D = 64


def order(length, ranks):
    """The positions of tokens by their place: rank i has pieces i and 2 ranks -
    1 - i."""
    size = length // (2 * ranks)
    pieces = [piece for i in range(ranks) for piece in (i, 2 * ranks - 1 - i)]
    return [piece * size + i for piece in pieces for i in range(size)]


assert order(12, 3) == [0, 1, 10, 11, 2, 3, 8, 9, 4, 5, 6, 7]


def reads(length, ranks, rank, element, backward, isBalanced, more="",
          piece=True):
    """The sectors that a rank's kernel reads, as multiples of the minimum."""
    own = length // ranks
    to = order(length, ranks) if isBalanced else list(range(length))
    if isBalanced and piece:
        more += f"{', ' if more else ''}nn.piece = {own // 2} : i64"
    source = kernel((1, own, length, 1, 1, D, D), element, True, 0.0, backward,
                    more=more, narrow=True,
                    positions=(to[rank * own:(rank + 1) * own], to))
    found, _ = traffic(source)
    return found


def pairs(length, ranks, rank, element, isBalanced, piece=True):
    """The pairs of a forward kernel, as tiles of 64 queries and 64 keys. q is
    half of its tensor, and is read once."""
    own = length // ranks
    q, keys = (sectors(1, n, 1, D, element=element) for n in (own, length))
    found = reads(length, ranks, rank, element, False, isBalanced, piece=piece)
    return (found * (2 * q + 2 * keys) - q) / (2 * keys) * (length / 64)


# Odd multiples of 64 are pieces that tiles of 128 queries do not fit.
for length, ranks in ((256, 2), (1024, 2), (384, 3)) + (
        ((1152, 3), (1024, 4)) if ALL else ()):
    for element in ("bf16", "f32") if length < 1024 or ALL else ("bf16",):
        found = [pairs(length, ranks, rank, element, True)
                 for rank in range(ranks)]
        print(f"{length} tokens, {ranks} ranks, {element}: pairs of tiles",
              *(f"{n:.1f}" for n in found))
        assert max(found) <= 1.02 * min(found), found
        backward = [reads(length, ranks, rank, element, True, True)
                    for rank in range(ranks)]
        assert max(backward) <= 1.02 * min(backward), backward
        # In the data's order the last rank reads more, with tiles as large.
        if length // ranks % 256:
            continue
        for isBackward, own in (False, found), (True, backward):
            last = reads(length, ranks, ranks - 1, element, isBackward, False)
            mine = reads(length, ranks, ranks - 1, element, isBackward, True)
            assert last > 1.1 * mine, (isBackward, last, mine)
# Without the length of a piece, a tile of 128 queries has two pieces of 64.
found = [pairs(384, 3, rank, "bf16", True, piece=False) for rank in range(3)]
print("tiles with two pieces:", *(f"{n:.1f}" for n in found))
assert max(found) > 1.02 * min(found), found

# Windows and chunks, whose tiles are found before the loop of a block: the same
# results as a CPU, in the order of ranks.
for more in ("window = 70 : i64", "chunk = 96 : i64",
             "window = 200 : i64, softcap = 0.5 : f64"):
    for rank in (0, 1):
        to = order(512, 2)
        for backward in (False, True):
            check(f"{more} rank {rank}", kernel(
                (1, 256, 512, 2, 1, 32, 32), "f32", True, 0.0, backward,
                more=f"{more}, nn.piece = 128 : i64", sinks=True,
                positions=(to[rank * 256:(rank + 1) * 256], to)))
