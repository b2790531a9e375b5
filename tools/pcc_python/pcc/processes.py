"""Processes that end when Python does, however that happens."""

from __future__ import annotations

import fcntl
import json
import os
import queue
import selectors
import signal
import subprocess
import threading
from dataclasses import dataclass, field
from typing import IO, Any, Callable, Mapping, Sequence

from .errors import UNKNOWN, Error

# Has the process wait until it is tied to this one. No function of Python runs
# between fork and exec, which would be unsafe with threads.
WAIT_FOR_TIE = 'read -r go && exec "$@" </dev/null'

# The ends of ties that this process holds. A child that Python forks must not.
_held: set[int] = set()


def _let_go() -> None:
    for end in _held:
        os.close(end)
    _held.clear()


os.register_at_fork(after_in_child=_let_go)


def _pipe() -> list[int]:
    """The reading and the writing end of a pipe. They are none of the standard
    streams, although Python may run without these."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3))
        os.close(end)
    return ends


def _tie(near: int, group: int, number: int) -> None:
    """Has the kernel send a signal to a process group when this process ends.

    `near` is the reading end of a pipe, which the group has open, too. The kernel
    closes this process's other end when it ends. (PR_SET_PDEATHSIG would send the
    signal when the thread ends that started the process.)"""
    fcntl.fcntl(near, fcntl.F_SETOWN, -group)
    fcntl.fcntl(near, fcntl.F_SETSIG, number)
    flags = fcntl.fcntl(near, fcntl.F_GETFL)
    fcntl.fcntl(near, fcntl.F_SETFL, flags | os.O_ASYNC)


@dataclass
class Line:
    """A line that a process wrote to `stream`: "out", "err" or "rows". After the
    last one comes "end", with the exit code (negative: the signal) as text."""

    stream: str
    text: str


class Child:
    """A process whose streams a thread reads, so that it never waits for a reader.

    It has a session of its own, so that Ctrl-C on a terminal reaches only Python.
    `rows`: a flag for the name of a file, to which the process writes lines.
    `ending`: the signal that it gets when Python ends."""

    def __init__(self, command: Sequence[str],
                 env: Mapping[str, str] | None = None,
                 rows: str | None = None,
                 ending: int = signal.SIGKILL) -> None:
        self.command = list(command)
        self.owner = os.getpid()
        self.lines: queue.SimpleQueue[Line] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._reaped = False
        near, self._far = _pipe()
        _held.add(self._far)
        given, self._streams = [near], {}
        self._files: list[IO[bytes]] = []
        if rows:
            source, target = _pipe()
            self._streams[source] = "rows"
            given.append(target)
            self.command.append(f"{rows}=/dev/fd/{target}")
        try:
            self._start(given, env, ending)
        except BaseException as error:
            self._close()
            if isinstance(error, OSError):
                raise Error(f"cannot start {command[0]}: {error}") from error
            raise
        finally:
            for end in given:
                os.close(end)
        reader = threading.Thread(target=self._read, daemon=True,
                                  name=f"pcc: {os.path.basename(command[0])}")
        try:
            reader.start()
        except RuntimeError as error:  # too many threads
            self.signal(signal.SIGKILL, group=True)
            self._read()
            raise Error(f"cannot read from {command[0]}: {error}") from error

    def _start(self, given: list[int], env: Mapping[str, str] | None,
               ending: int) -> None:
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", WAIT_FOR_TIE, "pcc", *self.command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, pass_fds=given, start_new_session=True,
            env={**os.environ, **(env or {})})
        gate, out, err = (self._process.stdin, self._process.stdout,
                          self._process.stderr)
        assert gate and out and err
        self._files = [out, err]
        self._streams.update({out.fileno(): "out", err.fileno(): "err"})
        _tie(given[0], self._process.pid, ending)
        try:
            gate.write(b"\n")
            gate.close()
        except BrokenPipeError:  # it was killed
            pass

    def _read(self) -> None:
        """Passes on all lines, then the end."""
        parts = dict.fromkeys(self._streams, b"")
        with selectors.DefaultSelector() as selector:
            for source in parts:
                selector.register(source, selectors.EVENT_READ)
            while selector.get_map():
                for key, _ in selector.select():
                    data = os.read(key.fd, 1 << 16)
                    *whole, parts[key.fd] = (parts[key.fd] + data).split(b"\n")
                    if not data:
                        selector.unregister(key.fd)
                        whole += [parts[key.fd]] if parts[key.fd] else []
                    for line in whole:
                        self.lines.put(Line(self._streams[key.fd],
                                            line.decode(errors="replace")))
        # It is reaped under the lock, so that no signal reaches another process.
        reaped = True
        try:
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            reaped = False
        with self._lock:
            code = self._process.wait()
            self._reaped = True
        if not reaped:
            code = UNKNOWN
        self._close()
        self.lines.put(Line("end", str(code)))

    def _close(self) -> None:
        _held.discard(self._far)
        os.close(self._far)
        for source, stream in self._streams.items():
            if stream == "rows":
                os.close(source)
        for file in self._files:
            file.close()

    def signal(self, number: int, group: bool = False) -> None:
        """Sends a signal to the process, or to its group, unless it has ended."""
        with self._lock:
            if not self._reaped:
                (os.killpg if group else os.kill)(self._process.pid, number)


@dataclass
class Finished:
    """A process that has ended: its exit code and lines."""

    code: int
    lines: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def capture(command: Sequence[str], env: Mapping[str, str] | None = None,
            show: Callable[[str], None] | None = None,
            ending: int = signal.SIGKILL) -> Finished:
    """Runs a command to its end; `show` gets the lines of its standard error. An
    exception, such as KeyboardInterrupt, ends the command at once. `ending`: as
    for Child; pcc removes its unfinished files on SIGTERM."""
    child = Child(command, env, ending=ending)
    done = Finished(0)
    try:
        while True:
            line = child.lines.get()
            if line.stream == "end":
                done.code = int(line.text)
                return done
            (done.lines if line.stream == "out" else done.errors).append(
                line.text)
            if line.stream == "err" and show:
                show(line.text)
    except BaseException:
        child.signal(signal.SIGTERM, group=True)
        if child_lingers(child):
            child.signal(signal.SIGKILL, group=True)
        raise


def parse_json(lines: Sequence[str], command: Sequence[str]) -> dict[str, Any]:
    """The JSON object that a command printed."""
    try:
        value = json.loads("\n".join(lines))
        if isinstance(value, dict):
            return value
        why = f"it is a {type(value).__name__}"
    except ValueError as error:
        why = str(error)
    raise Error(f"{command[0]} printed no JSON object: {why}",
                ["this package and the executable may be of different versions"],
                0, command)


def child_lingers(child: Child, seconds: float = 5) -> bool:
    """Whether a process has not ended after this time."""
    try:
        while child.lines.get(timeout=seconds).stream != "end":
            pass
    except queue.Empty:
        return True
    return False
