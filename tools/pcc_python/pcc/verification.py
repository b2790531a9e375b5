"""verify(): whether a plan trains as one rank does."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Any

from . import executables, flags as flags_of
from .errors import failure, pass_on_warnings
from .processes import capture, parse_json
from .programs import to_stderr

REFUSED = {
    "report": "Verification.report has it",
    "help": "the command pcc verify --help prints it",
}


def _short(number: float | None) -> str:
    return "not finite" if number is None else f"{number:.3g}"


@dataclass(frozen=True)
class Difference:
    """How much a tensor, or a number of a step, differs from one rank's."""

    #: Its name, such as "step 2" or a parameter's.
    of: str
    #: The relative difference; None, as below, if it is not finite.
    difference: float | None
    #: The difference of two programs of one rank that differ by rounding.
    rounding: float | None
    #: The largest difference that is accepted.
    bound: float | None
    ok: bool

    def __str__(self) -> str:
        return (f"{_short(self.difference)} ({self.of}; rounding "
                f"{_short(self.rounding)}, bound {_short(self.bound)})")


@dataclass(frozen=True)
class Quantity:
    """A compared quantity, such as the losses or the gradients."""

    name: str
    #: The largest difference.
    worst: Difference

    @property
    def ok(self) -> bool:
        """Whether all differences are within the bound."""
        return self.worst.ok


@dataclass(frozen=True)
class Verification:
    """The result of `pcc verify`. It is true if the plan trains as one rank does."""

    ok: bool
    quantities: tuple[Quantity, ...]
    #: The largest differences of the first quantity that is not within its bound.
    worst: tuple[Difference, ...]
    #: What `pcc verify --report=json` prints.
    report: dict[str, Any]

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [f"{'ok    ' if one.ok else 'DIFFER'} {one.name}: {one.worst}"
                 for one in self.quantities]
        return "\n".join([*lines, *(f"       {one}" for one in self.worst)])


def verify(model: str | os.PathLike[str], *, verbose: bool = False,
           **flags: flags_of.Value) -> Verification:
    """Trains a model for a few steps with a plan and on one rank, and compares.

    model: as for pcc.compile. Keyword arguments are the flags of `pcc verify`: the
    plan, as tp=2, and steps, data, plan; see docs/Driver.md. A plan that trains
    differently is a result that is false; pcc.Error says that nothing could be
    compared."""
    pcc = executables.find()
    arguments = flags_of.arguments(
        flags, flags_of.of_pcc(pcc, "verify"), "pcc verify --help", REFUSED,
        lambda: flags_of.of_pcc(pcc, "verify", hidden=True))
    command = [pcc, "verify", os.fspath(model), *arguments, "--report=json"]
    done = capture(command, show=to_stderr if verbose else None,
                   ending=signal.SIGTERM)
    if done.code not in (0, 1) or not done.lines:
        raise failure(done.errors, done.code, command)
    if not verbose:
        pass_on_warnings(done.errors, stacklevel=2)
    return _verification(parse_json(done.lines, command))


def _verification(report: dict[str, Any]) -> Verification:
    return Verification(
        report["ok"],
        tuple(Quantity(entry["name"], Difference(**entry["worst"]))
              for entry in report["quantities"]),
        tuple(Difference(**entry) for entry in report.get("tensors", ())), report)
