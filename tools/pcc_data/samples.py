"""Rendered conversations to inputs and labels."""

import collections

from .encoders import packed
from .messages import shortened

IGNORED = -100

# arrays: bytes of ids, labels and mask; the other numbers are counts.
Sample = collections.namedtuple("Sample", "arrays tokens learned is_cut")


class Left(Exception):
    """A rendering gives no sample, for this reason; `detail` follows the place
    of the first one."""

    def __init__(self, reason, detail=""):
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def without_reply(conversation):
    """Returns the Left of a conversation in which no text is a reply."""
    roles = list(dict.fromkeys(
        message["role"] for message in conversation.messages))
    if "assistant" in roles:
        return Left("no text in a reply")
    names = ", ".join(map(shortened, roles[:6])) + (
        ", ..." if len(roles) > 6 else "")
    return Left("no message of role 'assistant'",
                f", which has {'roles' if len(roles) > 1 else 'role'} {names}")


class Samples:
    """Makes samples of `length` tokens.

    With `is_shifted`, the label of a position is the next token, so that a
    sample covers length + 1 tokens; otherwise it is the position's own token,
    and the model's loss shifts."""

    def __init__(self, tokenizer, length, pad, is_shifted, drops_long):
        self.tokenizer, self.length, self.pad = tokenizer, length, pad
        self.is_shifted, self.drops_long = is_shifted, drops_long

    def sample(self, rendering):
        ids = self.tokenizer.encode(rendering.text)
        is_learned = self.learned(rendering, ids)
        length, covered = self.length, self.length + self.is_shifted
        is_cut = len(ids) > covered
        if is_cut and self.drops_long:
            raise Left("longer than --seq")
        labels = [i if learn else IGNORED
                  for i, learn in zip(ids, is_learned)][self.is_shifted:]
        labels, ids = labels[:length], ids[:length]
        learned = len(labels) - labels.count(IGNORED)
        # A loss that shifts inside never reads the first label.
        if not self.is_shifted and labels and labels[0] != IGNORED:
            learned -= 1
        if learned == 0:
            raise Left("no reply within --seq" if is_cut else
                       "no token to learn")
        arrays = ((ids, self.pad), (labels, IGNORED), ([1] * len(ids), 0))
        return Sample([packed(values, "i") +
                       packed([pad], "i") * (length - len(values))
                       for values, pad in arrays], len(ids), learned, is_cut)

    def learned(self, rendering, ids):
        """Returns for each token whether it is of a reply. Both ends of a reply
        must be ends of tokens: the text before them has the same tokens alone
        as in the whole."""
        is_learned = [False] * len(ids)
        for begin, end in rendering.spans:
            first, last = (self.tokens_before(rendering.text, at, ids)
                           for at in (begin, end))
            is_learned[first:last] = [True] * (last - first)
        return is_learned

    def tokens_before(self, text, at, ids):
        if at == len(text):
            return len(ids)
        before = self.tokenizer.encode(text[:at])
        if ids[:len(before)] != before:
            raise Left("a token that is only partly of a reply")
        return len(before)
