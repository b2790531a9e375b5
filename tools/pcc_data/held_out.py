"""The rule for the held-out part: documents at even distances."""

import argparse
import fractions
import re

from .messages import Refused, count_text, shortened

# Such as 100, 0.01, 1e-3 or 1/8, without numbers that take long to compute.
FORM = re.compile(r"[0-9]{1,18}(/[0-9]{1,18})?|"
                  r"[0-9]{0,18}\.?[0-9]{1,18}(e-?[0-9]{1,2})?", re.I)


class HeldOut:
    """--val: a share of the documents, or a number of them."""

    def __init__(self, text):
        try:
            value = fractions.Fraction(text if FORM.fullmatch(text) else "0")
        except ZeroDivisionError:
            value = fractions.Fraction(0)
        self.number = int(value) if text.isdecimal() else None
        if value <= 0 or (self.number is None and value >= 1):
            raise argparse.ArgumentTypeError(
                f"{shortened(text)} is neither a fraction between 0 and 1 nor a "
                "number of documents")
        self.share, self.text = value, text

    def set_total(self, total):
        """For a number of documents: derives the share from their total."""
        if self.number >= total:
            raise Refused(
                f"--val {self.number} of {count_text(total, 'document')} would "
                "leave none to train on")
        self.share = fractions.Fraction(self.number, total)

    def part_of(self, index):
        """Returns 1 if the document of this index is held out, else 0: the last
        of each 1 / share documents."""
        share = self.share
        return int((index + 1) * share.numerator // share.denominator >
                   index * share.numerator // share.denominator)
