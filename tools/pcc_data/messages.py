"""Errors and numbers in messages."""


class Refused(Exception):
    """An error to report to the user: a message and notes."""

    def __init__(self, message, *notes):
        super().__init__(message, *notes)
        self.message, self.notes = message, notes


class MissingPackage(Refused):
    """A package of PyPI is needed that is not installed."""


def missing_package(name, purpose):
    return MissingPackage(
        f"{purpose} needs the package '{name}'",
        f"pip install '{name}'; pcc's wheel has it as the extra 'data': pip "
        "install 'FILE[data]'")


def count_text(count, one, many=None):
    """Returns "1 file", "1,234 files"."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size_text(count):
    """Returns bytes with a decimal unit, such as "12.3 MB"."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            break
        count /= 1000
    else:
        unit = "TB"
    return f"{count} bytes" if unit == "bytes" else f"{count:.1f} {unit}"


def shortened(text, most=60):
    """Returns the text quoted, cut off in the middle if it is long."""
    if len(text) > most:
        text = text[:most // 2] + " ... " + text[-most // 2:]
    return repr(text)
