"""A lower bound of a stage's arena if every buffer has a fixed offset.

Live buffers, as lives.py counts them, could move between two uses; a buffer
that a program names by an address cannot. A slot of a bucket has one offset
each time it is filled, a slot of a value in all iterations of a loop, a
temporary in all calls with one slot of a scratch buffer. Two buffers whose live
ranges overlap at any moment must not share bytes. A set of buffers that
pairwise overlap therefore needs the sum of their bytes:

    moment     0  1  2  3
    a          [--]           a, b and c overlap pairwise: 3 offsets,
    b             [--]        though at most two are live at once
    c          [     [--]     (c twice: in a loop)

The largest such sum is a maximum-weight clique, which is hard to find. Any
clique is a bound, so the search starts where many bytes are live and adds
buffers that overlap all of the clique.
"""

import lives

# The numbers of moments to start from, and of the largest buffers to try to
# add.
MOMENTS, LARGE = 40, 40


class Meetings:
    """The buffers of a stage that are live together, in any of its entries.
    Buffers have numbers, the largest first; sets of them are bits of
    integers."""

    def __init__(self, stage):
        self.stage, self.kept = stage, 0
        entries = [lives.Alive(stage, entry) for entry in lives.ENTRIES
                   if entry in stage.functions]
        together, sizes = set(), {}
        for around in entries:
            self.kept = around.total(lives.KEPT)
            for alive, line in around.backwards():
                if line is None:
                    alive = alive | around.filled_before()
                things = {self.place_of(around, thing): thing
                          for thing in alive}
                for place, thing in things.items():
                    if place not in sizes:
                        sizes[place] = around.bytes_of({thing})
                together.add(frozenset(things))
        places = sorted(sizes, key=lambda place: (-sizes[place], str(place)))
        number = {place: at for at, place in enumerate(places)}
        self.sizes = [sizes[place] for place in places]
        self.moments = {sum(1 << number[place] for place in group)
                        for group in together}
        self.met = [0] * len(places)
        for group in self.moments:
            for at in self.members(group):
                self.met[at] |= group

    def place_of(self, around, thing):
        name, slot = thing
        return (self.stage.row_of(name) if isinstance(name, str)
                else around.walk.frames[name - 1], slot)

    @staticmethod
    def members(bits):
        while bits:
            low = bits & -bits
            yield low.bit_length() - 1
            bits ^= low

    def bytes_of(self, bits):
        return sum(self.sizes[number] for number in self.members(bits))

    def extended(self, group):
        """A clique of overlapping buffers, and the buffers that overlap all of
        it, the largest first."""
        common = ~group & (1 << len(self.sizes)) - 1
        for number in self.members(group):
            common &= self.met[number]
        while common:
            low = common & -common
            group |= low
            common &= self.met[low.bit_length() - 1] & ~group
        return group

    def most(self):
        """Bytes of the largest group that was found."""
        groups = sorted(self.moments, reverse=True,
                        key=lambda group: (self.bytes_of(group), group))
        best = 0
        for group in groups[:MOMENTS]:
            now, size = 0, -1
            while self.bytes_of(group) > size:
                now, size = group, self.bytes_of(group)
                # Add one buffer and drop those that do not overlap it.
                others = [self.extended(now & self.met[number] | 1 << number)
                          for number in range(min(LARGE, len(self.sizes)))
                          if not now >> number & 1]
                group = max([self.extended(now), *others],
                            key=lambda other: (self.bytes_of(other), other))
            best = max(best, size)
        return self.kept + best


def least(stage):
    """A lower bound of the bytes of this program's arena."""
    return Meetings(stage).most()
