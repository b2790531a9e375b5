"""Error: the diagnostic of an executable that failed."""

from __future__ import annotations

import re
import signal
import warnings
from typing import Iterable, Sequence

# "[rank 3] error: ...", "model.onnx: note: ...", "pcc: internal error in ...".
DIAGNOSTIC = re.compile(
    r"^(?:.*?: |\[rank \d+\] )?"
    r"(?:(?P<kind>error|warning|note): (?P<text>.*)|internal error.*)$")


# In place of the exit code of a process that something else reaped.
UNKNOWN = 256


class DiagnosticWarning(UserWarning):
    """A warning that `pcc` or a program printed."""


class Error(Exception):
    """What `pcc` or a program says is wrong.

    str(error) is its text, as it is printed on a terminal."""

    #: The first line of the error, without its place.
    message: str
    #: The notes below the error: the other facts, and the way out.
    notes: list[str]
    #: The exit code, negative for a signal; None if nothing was started.
    code: int | None
    #: The command that failed; empty if nothing was started.
    command: list[str]

    def __init__(self, message: str, notes: Iterable[str] = (),
                 code: int | None = None, command: Sequence[str] = (),
                 text: str = "") -> None:
        # All arguments, so that the error can be pickled.
        super().__init__(message, list(notes), code, list(command), text)
        self.message, self.notes = message, list(notes)
        self.code, self.command, self._text = code, list(command), text

    def __str__(self) -> str:
        return self._text or "\n".join(
            [self.message, *(f"note: {note}" for note in self.notes)])


def parse(line: str) -> tuple[str, str]:
    """"error", "warning" or "note", and its text; "" for other lines."""
    found = DIAGNOSTIC.match(line)
    if not found:
        return "", line
    return found["kind"] or "error", found["text"] or line


def failure(lines: Sequence[str], code: int, command: Sequence[str]) -> Error:
    """The error of a command that ended with this code and these lines on
    standard error."""
    parsed = [parse(line) for line in lines]
    first = next((i for i, (kind, _) in enumerate(parsed) if kind == "error"), 0)
    # Command lines that LLVM's parser refuses have no such prefix.
    message = parsed[first][1] if lines else ""
    notes = [text for kind, text in parsed[first:] if kind == "note"]
    lines = lines[first:]
    if not message.strip():
        message = f"{command[0]} {ended(code)}"
        lines = [message]
    elif code < 0:
        notes.append(f"{command[0]} {ended(code)}")
        lines = [*lines, f"note: {notes[-1]}"]
    return Error(message, notes, code, command, "\n".join(lines))


def ended(code: int) -> str:
    if code == UNKNOWN:
        return ("ended, and its exit code is unknown: SIGCHLD is ignored, or "
                "another part of this Python waited for it")
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "unknown"
    return f"was killed by signal {-code} ({name})"


def pass_on_warnings(lines: Sequence[str], stacklevel: int) -> None:
    """Turns the warnings among lines of standard error into Python's, each with
    its notes."""
    text: list[str] = []
    for line in [*lines, ""]:
        kind, _ = parse(line)
        if text and kind != "note":
            warnings.warn("\n".join(text), DiagnosticWarning,
                          stacklevel=stacklevel + 1)
            text = []
        if kind == "warning" or text and kind == "note":
            text.append(line)
