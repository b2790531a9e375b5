"""verify(): whether a plan trains as one rank does."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

from . import executables, flags as flags_of
from .errors import failure, pass_on_warnings
from .processes import capture
from .programs import to_stderr

REFUSED = {
    "report": "Verification.report has it",
    "help": "the command pcc verify --help prints it",
}


@dataclass(frozen=True)
class Quantity:
    """A compared quantity, such as the losses or the gradients."""

    name: str
    #: The tensor, or the step, with the largest difference.
    worst: Any
    #: The largest relative difference; None if it is not finite.
    difference: float | None
    #: The difference of two programs of one rank that differ by rounding.
    rounding: float | None
    #: The largest difference that is accepted.
    bound: float | None
    ok: bool


@dataclass(frozen=True)
class Verification:
    """The result of `pcc verify`. It is true if the plan trains as one rank does."""

    ok: bool
    quantities: tuple[Quantity, ...]
    #: The tensors that differ most, as the report has them.
    worst: list[Any]
    #: What `pcc verify --report=json` prints.
    report: dict[str, Any]

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [f"{'ok    ' if one.ok else 'FAILED'} {one.name}: "
                 f"{one.difference} at {one.worst}, rounding {one.rounding}, "
                 f"bound {one.bound}" for one in self.quantities]
        return "\n".join([*lines, "ok" if self.ok else "not ok"])


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
    done = capture(command, show=to_stderr if verbose else None)
    try:
        report = json.loads("\n".join(done.lines))
        result = Verification(
            bool(report["ok"]),
            tuple(_quantity(entry) for entry in report["quantities"]),
            list(report.get("worst", [])), report)
    except (ValueError, KeyError, TypeError):
        raise failure(done.errors, done.code, command) from None
    if done.code not in (0, 1):
        raise failure(done.errors, done.code, command)
    if not verbose:
        pass_on_warnings(done.errors, stacklevel=2)
    return result


def _quantity(entry: dict[str, Any]) -> Quantity:
    return Quantity(entry["name"], entry.get("worst"), entry.get("difference"),
                    entry.get("rounding"), entry.get("bound"), bool(entry["ok"]))
