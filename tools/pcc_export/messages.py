"""Errors and their text."""

import contextlib
import io
import logging
import os
import re
import sys
import traceback
import warnings

import torch

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep


class Refused(Exception):
    """The module cannot be written so that it trains as in PyTorch."""

    def __init__(self, message, notes=()):
        self.message, self.notes = message, list(notes)
        lines = [message, *(f"note: {n}" for n in notes)]
        super().__init__("\n".join(l.replace("\n", "\n  ") for l in lines))


class AttemptFailed(Exception):
    """One exporter could not write the module; another may."""


def place():
    """`file:line` of the innermost frame outside PyTorch and this package."""
    for frame in reversed(traceback.extract_stack()):
        path = os.path.abspath(frame.filename)
        if not path.startswith((HERE, TORCH)) and os.path.exists(path):
            return f"{frame.filename}:{frame.lineno}"
    return "unknown place"


def first_line(error):
    """The first line of the root cause of a chain of exceptions."""
    while error.__cause__:
        error = error.__cause__
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip()
    line = text.splitlines()[0][:300] if text else ""
    return f"{type(error).__name__}: {line}"


@contextlib.contextmanager
def quiet():
    """Suppresses PyTorch's warnings, logs and output, some of it from C++: the
    checks find the problems. Standard output is discarded meanwhile."""
    level = logging.root.manager.disable
    logging.disable(logging.ERROR)
    sys.stdout.flush()
    stdout, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        with warnings.catch_warnings(), \
                contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(stdout, 1)
        os.close(stdout)
        os.close(nowhere)
        logging.disable(level)
