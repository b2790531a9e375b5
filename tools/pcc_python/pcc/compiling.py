"""compile(): from a model to a program."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import weakref

from . import executables, flags as flags_of
from .errors import Error, failure, pass_on_warnings
from .processes import capture, parse_json
from .programs import Program, to_stderr

TEXT = "pcc.compile() compiles programs; the command pcc prints texts"
REFUSED = {
    "o": "the argument output names the program",
    "emit": TEXT, "check": TEXT, "list-params": TEXT,
    "report": "Program.summary and Program.log have the summary",
    "q": "nothing is printed unless verbose=True",
    "v": "verbose=True prints the messages of the compile",
    "help": TEXT, "help-list": TEXT, "version": TEXT,
}


def compile(model: str | os.PathLike[str],
            output: str | os.PathLike[str] | None = None, *,
            verbose: bool = False, **flags: flags_of.Value) -> Program:
    """Compiles a model to the program `output`, or else to one that exists as long
    as the object that is returned.

    model: what the command `pcc` takes, such as "model.onnx". Keyword arguments are
    its flags: tp=2 is --tp=2, sequence_parallel=True is --sequence-parallel; see
    docs/Driver.md. verbose: prints the messages of the compile."""
    model = os.fsdecode(model)
    if not model:
        raise Error("no model is given: its name is empty", (), 2)
    pcc = executables.find()
    table = flags_of.of_pcc(pcc)
    arguments = flags_of.arguments(
        flags, table, "pcc --help", REFUSED,
        lambda: flags_of.of_pcc(pcc, hidden=True))
    if "python" in table and "python" not in flags and _exports(model):
        arguments.append(f"--python={sys.executable}")
    if output is not None:
        return _compile(pcc, model, arguments, os.fsdecode(output), verbose)
    # The program finds its model by this path, from any folder.
    source = os.path.abspath(model)
    stem = os.path.splitext(os.path.basename(source))[0] or "program"
    folder = tempfile.mkdtemp(prefix="pcc-")
    try:
        program = _compile(pcc, source, arguments, os.path.join(folder, stem),
                           verbose)
    except BaseException:
        _remove(folder, os.getpid())
        raise
    weakref.finalize(program, _remove, folder, os.getpid())
    return program


def _exports(model: str | os.PathLike[str]) -> bool:
    """Whether the model is a directory that this Python can export."""
    return bool(os.path.isdir(model) and sys.executable and all(
        importlib.util.find_spec(name) for name in ("torch", "transformers")))


def _remove(folder: str, owner: int) -> None:
    # A fork of Python has a copy of the object, but not the folder.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _compile(pcc: str, model: str, arguments: list[str], path: str,
             verbose: bool) -> Program:
    command = [pcc, _as_path(model), *arguments, "--report=json", f"-o={path}"]
    done = capture(command, show=to_stderr if verbose else None,
                   ending=signal.SIGTERM)
    if done.code:
        raise failure(done.errors, done.code, command)
    if not verbose:
        pass_on_warnings(done.errors, stacklevel=3)
    program = Program(path)
    program._summary = parse_json(done.lines, command)
    program._messages = done.errors
    return program


def _as_path(model: str) -> str:
    return os.path.join(os.curdir, model) if model.startswith("-") else model
