"""How many bytes a stage needs in which everything has one place.

What is alive at once, as lives.py counts it, could move between two uses; what a
program names by an address cannot. A slot of a row has one place each time that
it is filled, a slot of a value in all turns of a loop, a temporary in all calls
that have one slot of a frame. Two of these whose lives meet, at whatever moment,
lie apart; so whatever meets each other pair by pair needs the sum of its bytes:

    moment     0  1  2  3
    a          [--]           a meets b, b meets c, c meets a: 3 places,
    b             [--]        though no more than two are alive at once
    c          [     [--]     (c twice: in a loop)

The largest such sum is hard to find. Any of them is a bound, so this looks where
much is alive at once, and from there on for what meets all of it.
"""

import lives

# From how many moments, and with how many of the largest things, it sets out.
MOMENTS, LARGE = 40, 40


class Meetings:
    """Which things of a stage are alive together, in any of its entries. Things
    have numbers, the largest first; sets of them are bits of integers."""

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
        """A group of which each meets each, and what meets all of it, the
        largest first."""
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
                # With one more, and without what does not meet that.
                others = [self.extended(now & self.met[number] | 1 << number)
                          for number in range(min(LARGE, len(self.sizes)))
                          if not now >> number & 1]
                group = max([self.extended(now), *others],
                            key=lambda other: (self.bytes_of(other), other))
            best = max(best, size)
        return self.kept + best


def least(stage):
    """Bytes below which no arena of this program is."""
    return Meetings(stage).most()
