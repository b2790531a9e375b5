"""Turns keyword arguments into flags.

The executable's --help says which flags there are and which of them take a value,
so this package knows every flag that its executable has."""

from __future__ import annotations

import difflib
import functools
import os
import re
from typing import Callable, Iterable, Mapping, NamedTuple, Union

from .errors import Error, failure
from .processes import capture

#: The value of a keyword argument.
Value = Union[None, bool, int, float, str, "os.PathLike[str]",
              Iterable[object], Mapping[str, object]]

# "  --stage-cut=<NODE,NODE>  - ..." of pcc, "  --trace-steps A:B  the ..." of
# programs: the flag, its value if it takes one, the value's name, and its text.
OF_PCC = re.compile(r"^ +(--?[\w-]+)(\[?=<(.*?)>\]?)? +- (.*)", re.M)
OF_PROGRAM = re.compile(r"^ +(--[\w-]+)( ([A-Z][A-Z:,]*))? +(\S.*)", re.M)


class Flag(NamedTuple):
    """A flag: its spelling, such as `--tp`, whether it takes a value, whether
    several values are several flags instead of a list with commas, and whether
    its values are on and off."""

    spelling: str
    takes_value: bool
    repeats: bool
    is_switch: bool = False


#: Flags by name, without hyphens in front.
Table = Mapping[str, Flag]


def _table(text: str, pattern: re.Pattern[str]) -> Table:
    # pcc's placeholders of lists have commas. Programs repeat no flag.
    return {found[1].lstrip("-"): Flag(
                found[1], bool(found[2]),
                pattern is OF_PCC and "," not in (found[3] or ""),
                found[4].endswith("on, off"))
            for found in pattern.finditer(text)}


@functools.lru_cache(maxsize=32)
def _read(command: tuple[str, ...], pattern: re.Pattern[str],
          state: tuple[int, int]) -> Table:
    """`state`: the executable's time and size, so that a new one is asked."""
    done = capture(command)
    if done.code:
        raise failure(done.errors, done.code, command)
    return _table("\n".join(done.lines), pattern)


def _of(command: list[str], pattern: re.Pattern[str]) -> Table:
    file = os.stat(command[0])
    return _read(tuple(command), pattern, (file.st_mtime_ns, file.st_size))


def of_pcc(pcc: str, *subcommand: str, hidden: bool = False) -> Table:
    """The flags of the compiler, or of a subcommand; hidden ones, among them
    other names of flags, only if asked for."""
    shown = _of([pcc, *subcommand, "--help"], OF_PCC)
    if "tp" not in shown:
        raise Error(f"'{pcc}' is another program of the same name: it has no "
                    "flag --tp",
                    ["the environment variable PCC may name the compiler"])
    return (_of([pcc, *subcommand, "--help-hidden"], OF_PCC) if hidden
            else shown)


def of_program(path: str) -> Table:
    """The flags of a compiled program."""
    table = _of([path, "--help"], OF_PROGRAM)
    if "steps" not in table:
        raise Error(f"'{path}' is no program of pcc: it has no flag --steps",
                    ["pcc.compile() compiles one from a model"])
    return table


def _is_bool(value: object) -> bool:
    """Whether it is True or False, or NumPy's."""
    return isinstance(value, bool) or (
        type(value).__module__ == "numpy" and
        type(value).__name__ in ("bool", "bool_"))


def _text(flag: Flag, name: str, value: object) -> str:
    if isinstance(value, bytes):
        raise TypeError(f"{name}={value!r}: bytes are no value of a flag")
    if _is_bool(value):
        if not flag.is_switch:
            raise Error(f"{name}={value!r}: {flag.spelling} takes another value "
                        "than True or False",
                        [f"{name}=None leaves the flag out"], 2)
        return "on" if value else "off"
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    # Of float and of numpy's numbers it is the shortest text that is exact.
    text = str(value)
    if "\0" in text:
        raise Error(f"{name}={text!r}: no flag takes a zero byte", (), 2)
    return text


def _with_value(flag: Flag, name: str, value: Value) -> list[str]:
    """The arguments of a flag that takes a value."""
    if isinstance(value, Mapping):
        value = [f"{key}={_text(flag, name, item)}"
                 for key, item in value.items()]
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        items = [_text(flag, name, item) for item in value]
        if not items or flag.repeats:
            return [f"{flag.spelling}={item}" for item in items]
        value = ",".join(items)
    return [f"{flag.spelling}={_text(flag, name, value)}"]


def _opposite(name: str) -> str:
    return name[3:] if name.startswith("no-") else "no-" + name


def arguments(given: Mapping[str, Value], table: Table, command: str,
              refused: Mapping[str, str],
              hidden: Callable[[], Table] = dict) -> list[str]:
    """The flags for keyword arguments. `refused`: names of flags, with the way
    out; `hidden` returns flags that are not named as near matches."""
    result = []
    for name, value in given.items():
        # An underscore at the end distinguishes a flag from a parameter of the
        # function, or from a keyword of Python.
        key = name.rstrip("_").replace("_", "-")
        if value is None:
            continue
        if key in refused:
            raise Error(f"{name}={value!r}: {refused[key]}", (), 2)
        flag, negative = table.get(key), table.get(_opposite(key))
        if not flag and (not negative or negative.takes_value):
            flag = hidden().get(key)
            if not flag:
                raise _unknown(name, value, key, table, refused, command)
            # The help of another name does not say what it takes.
            flag = flag._replace(takes_value=not _is_bool(value))
        if flag and flag.takes_value:
            result += _with_value(flag, name, value)
        elif not _is_bool(value):
            raise Error(f"{name}={value!r}: --{key} takes no value",
                        [f"{name}=True and {name}=False are accepted"], 2)
        elif flag and value:
            result.append(flag.spelling)
        elif negative and not value and not key.startswith("no-"):
            result.append(negative.spelling)
    return result


def _unknown(name: str, value: Value, key: str, table: Table,
             refused: Mapping[str, str], command: str) -> Error:
    names = [flag for flag in table if flag not in refused and len(flag) > 1]
    near = difflib.get_close_matches(key, names, 3, 0.6) or [
        flag for flag in names if key.split("-")[0] in flag.split("-")][:3]
    notes = [f"{command} lists all flags"]
    if near:
        known = [flag.replace("-", "_") for flag in near]
        notes.insert(0, "names like it are " + ", ".join(known))
    return Error(f"{name}={value!r}: there is no flag --{key}", notes, 2)
