"""Runs of training programs, and their steps."""

from __future__ import annotations

import atexit
import json
import math
import os
import re
import signal
import sys
import threading
import weakref
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, Sequence

from .errors import Error, failure, pass_on_warnings
from .processes import Child

if TYPE_CHECKING:
    from .programs import Program


class Step(Dict[str, Any]):
    """A line of `--log-json`: a step, or an evaluation after a step.

    A dict with attributes: `step["loss"]` is null (None) if it is not finite,
    `step.loss` then is nan. What a line does not have is None as an attribute."""

    def _number(self, key: str) -> float | None:
        value = self.get(key)
        return math.nan if value is None and key in self else value

    @property
    def step(self) -> int:
        """The number of the step, from 1."""
        return int(self["step"])

    @property
    def is_evaluation(self) -> bool:
        """Whether it has `val_loss` instead of the numbers of a step."""
        return "val_loss" in self

    @property
    def loss(self) -> float | None:
        """The mean loss of the step's targets."""
        return self._number("loss")

    @property
    def val_loss(self) -> float | None:
        """The loss of `val_data`."""
        return self._number("val_loss")

    @property
    def norm(self) -> float | None:
        """The gradient norm before clipping."""
        return self._number("norm")

    @property
    def lr(self) -> float | None:
        """The learning rate."""
        return self._number("lr")

    @property
    def ms(self) -> float | None:
        """The duration in milliseconds."""
        return self._number("ms")

    @property
    def tok_s(self) -> float | None:
        """Tokens per second, of models with tokens."""
        return self._number("tok_s")

    @property
    def samples_s(self) -> float | None:
        """Samples per second, of other models."""
        return self._number("samples_s")

    @property
    def skipped(self) -> bool:
        """Whether the step updated nothing."""
        return bool(self.get("skipped", False))


class Run(Iterator[Step]):
    """A training program that runs. Iterating yields its steps as they come; the
    program does not wait for the loop.

    The run ends after the current step, with a checkpoint if it saves, when the
    loop is left by `break` or an exception and no variable holds the run, and with
    close(), `with`, and Python. An error is raised as pcc.Error."""

    def __init__(self, program: Program, command: Sequence[str],
                 save: str | None, verbose: bool,
                 env: Mapping[str, str] | None) -> None:
        self._finished = True  # if the next line fails
        self._child = Child(command, env, rows="--log-json")
        #: The program's lines other than those of steps.
        self.log: list[str] = []
        self._errors: list[str] = []
        self._program, self._save, self._verbose = program, save, verbose
        self._finished = False
        _live.add(self)
        _watch_signals()

    def __repr__(self) -> str:
        state = "ended" if self._finished else "runs"
        return f"<pcc.Run of '{self._program.path}', {state}>"

    @property
    def command(self) -> list[str]:
        """The program and its arguments."""
        return self._child.command

    @property
    def is_finished(self) -> bool:
        """Whether the program's end was seen: by a loop, or by close()."""
        return self._finished

    @property
    def checkpoint(self) -> str | None:
        """The folder of the newest checkpoint in `save`."""
        if self._save is None:
            return None
        try:
            with open(os.path.join(self._save, "latest")) as file:
                return os.path.join(self._save, file.read().strip())
        except FileNotFoundError:
            return None

    def __next__(self) -> Step:
        if self._finished:
            raise StopIteration
        if self._child.owner != os.getpid():
            raise Error("the run belongs to the process that this one was forked "
                        "from", ["only that process gets its steps"])
        try:
            step = self._next()
        except Error:
            raise
        except BaseException:
            # Ctrl-C and the like, while it waits for the step.
            self._close_after()
            raise
        if step is None:
            raise StopIteration
        return step

    def _next(self) -> Step | None:
        """The next step. At the end None, or the program's error."""
        while True:
            line = self._child.lines.get()
            if line.stream == "rows":
                return Step(json.loads(line.text))
            if line.stream == "end":
                self._end()
                code = int(line.text)
                if code:
                    raise self._failure(code)
                if not self._verbose:
                    pass_on_warnings(self._errors, stacklevel=3)
                return None
            if line.stream == "err":
                self._errors.append(line.text)
            # Steps are rows, too.
            if line.stream == "err" or not re.match("step +[0-9]", line.text):
                self.log.append(line.text)
            if self._verbose:
                try:
                    print(line.text, flush=True)
                except OSError:
                    self._verbose = False
                    raise

    def _failure(self, code: int) -> Error:
        error = failure(self._errors, code, self.command)
        # Forward-only programs refuse this flag, which the caller did not give.
        flag, _, text = error.message.partition(": ")
        if flag != "--log-json":
            return error
        return Error(text, ["Program.forward() runs a forward-only program"], code,
                     self.command)

    def _end(self) -> None:
        self._finished = True
        _live.discard(self)
        _watch_signals()

    def stop(self) -> None:
        """Asks the program to end after the current step, with a checkpoint if it
        saves. The loop continues to the end."""
        if not self._finished and self._child.owner == os.getpid():
            self._child.signal(signal.SIGTERM)

    def close(self) -> None:
        """Ends the run as stop() does, and waits for the end. Ctrl-C during the wait
        ends it at once."""
        # A fork of Python has a copy of this object, but not the run.
        if self._finished or self._child.owner != os.getpid():
            return
        self.stop()
        try:
            while self._next():
                pass
        except Error as error:
            # It was too young to handle the signal.
            if error.code != -signal.SIGTERM:
                raise
        except BaseException:
            self._child.signal(signal.SIGKILL, group=True)
            while self._child.lines.get().stream != "end":
                pass
            self._end()
            raise

    def _close_after(self) -> None:
        """Ends the run because of an exception, which remains the one that is
        raised."""
        try:
            self.close()
        except Error as error:
            print(error, file=sys.stderr)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None,
                 error: BaseException | None,
                 trace: TracebackType | None) -> None:
        if error is None:
            self.close()
        else:
            self._close_after()

    def __del__(self) -> None:
        self.close()


_live: weakref.WeakSet[Run] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for run in list(_live):
        run._close_after()


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)


def _watch_signals() -> None:
    """While there are runs, SIGTERM and SIGHUP raise SystemExit instead of ending
    Python at once, so that the runs write checkpoints. Handlers of others remain.
    Python allows this in the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        return
    before, after = ((signal.SIG_DFL, _leave) if _live
                     else (_leave, signal.SIG_DFL))
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is before:
            signal.signal(number, after)
