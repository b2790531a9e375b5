"""Program: a compiled program."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from typing import Any, Mapping

from . import flags as flags_of
from .errors import Error, failure, pass_on_warnings
from .processes import Finished, capture
from .runs import Run

ALONE = "Program.log has what the program says about itself"
REFUSED_TO_TRAIN = {
    "help": ALONE, "info": ALONE, "version": ALONE,
    "log-json": "the loop gets these lines; json.dumps(step) is one",
}


class Program:
    """A program that pcc compiled: `pcc.compile` returns it, and `Program(path)`
    opens one that exists."""

    #: The path of the program.
    path: str

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)
        # The current folder may change.
        self._file = os.path.abspath(self.path)
        self._summary: dict[str, Any] | None = None
        self._messages: list[str] = []
        self._check()

    def _check(self) -> None:
        notes = ["pcc.compile() compiles one from a model"]
        if not os.path.exists(self._file):
            raise Error(f"there is no program '{self.path}'", notes)
        if not os.path.isfile(self._file):
            kind = ("a folder" if os.path.isdir(self._file) else
                    "a pipe or a device")
            raise Error(f"'{self.path}' is {kind}, not a program of pcc", notes)
        try:
            with open(self._file, "rb") as file:
                begin = file.read(4)
        except OSError as error:
            raise Error(f"cannot read '{self.path}': {error.strerror}") from error
        if begin != b"\x7fELF":
            raise Error(f"'{self.path}' is not a program of pcc", notes)
        if not os.access(self._file, os.X_OK):
            raise Error(f"'{self.path}' may not be executed",
                        ["chmod +x allows it; if the file system is mounted with "
                         "noexec, output=FILE names another place"])

    def __repr__(self) -> str:
        about = ""
        if self._summary:
            mesh = " x ".join(f"{axis} {size}" for axis, size in
                              self._summary["mesh"].items() if size > 1)
            about = (f": {self._summary['model']}, "
                     f"{self._summary['parameters']:,} parameters, "
                     f"{mesh or '1 rank'}, {self._summary['precision']}")
        return f"<pcc.Program '{self.path}'{about}>"

    @property
    def summary(self) -> dict[str, Any]:
        """What `pcc --report=json` prints: parameters, mesh, batch, memory and
        communication of each stage."""
        if self._summary is None:
            raise Error(f"'{self.path}' was not compiled by this object, and a "
                        "program does not contain its JSON summary",
                        ["pcc.compile() has it", ALONE])
        return self._summary

    @property
    def log(self) -> str:
        """The messages of the compile, then what `--info` prints: the summary for
        people."""
        self._check()
        flags_of.of_program(self._file)
        about = self._checked(capture([self._file, "--info"]), "--info")
        return "\n".join([*self._messages, *about.lines]).strip() + "\n"

    def _checked(self, done: Finished, *arguments: str) -> Finished:
        if done.code:
            raise failure(done.errors, done.code, [self._file, *arguments])
        return done

    def _arguments(self, given: Mapping[str, flags_of.Value],
                   refused: Mapping[str, str]) -> list[str]:
        self._check()
        table = flags_of.of_program(self._file)
        return flags_of.arguments(given, table, f"{self.path} --help", refused)

    def train(self, *, verbose: bool = False,
              env: Mapping[str, str] | None = None,
              **flags: flags_of.Value) -> Run:
        """Starts the program with these flags, such as data="tokens.bin",
        steps=1000; see docs/Driver.md. Returns the run; a loop over it gets each
        step as it is done.

        verbose: prints the program's lines, too. env: environment variables in
        addition to Python's, such as {"OMP_NUM_THREADS": "2"}."""
        arguments = self._arguments(flags, REFUSED_TO_TRAIN)
        save = flags.get("save")
        folder = os.path.abspath(str(save)) if save is not None else None
        return Run(self, [self._file, *arguments], folder, verbose, env)

    def forward(self, inputs: str | os.PathLike[str] | Mapping[str, Any], *,
                env: Mapping[str, str] | None = None,
                **flags: flags_of.Value) -> dict[str, Any]:
        """Computes the outputs of a program that was compiled with forward=True.

        inputs: arrays by name, or a folder of `<input>.npy`. Returns NumPy's arrays
        by the outputs' names, with '_' in place of '/', '\\\\' and ':', as in the names
        of files. outputs=DIR keeps the files."""
        numpy = _numpy()
        refused = {**REFUSED_TO_TRAIN, "data": "the argument inputs is the data"}
        with tempfile.TemporaryDirectory(prefix="pcc-") as folder:
            if isinstance(inputs, Mapping):
                for name, array in inputs.items():
                    numpy.save(os.path.join(folder, _file_of(name)),
                               numpy.asarray(array))
                inputs = folder
            target = str(flags.get("outputs") or os.path.join(folder, "outputs"))
            arguments = self._arguments(
                {"outputs": target, **flags}, refused)
            arguments.append(f"--data={os.fspath(inputs)}")
            done = self._checked(capture([self._file, *arguments], env),
                                 *arguments)
            pass_on_warnings(done.errors, stacklevel=2)
            return {name[:-len(".npy")]: numpy.load(os.path.join(target, name))
                    for name in sorted(os.listdir(target))
                    if name.endswith(".npy")}


def _numpy() -> Any:
    try:
        return importlib.import_module("numpy")
    except ImportError as error:
        raise Error(f"Program.forward() needs NumPy: {error}",
                    ["pip install numpy"]) from error


def _file_of(name: str) -> str:
    for letter in "/\\:":
        name = name.replace(letter, "_")
    return name + ".npy"


def to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
