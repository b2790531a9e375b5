"""Input files: search, kinds, formats that are refused."""

import collections
import io
import os
import stat
import sys

from .messages import Refused

JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
BOM = b"\xef\xbb\xbf"

# path: the name in messages; size: bytes, None of a stream.
Source = collections.namedtuple("Source", "path is_json size")

UNPACK = "unpack it, or pipe it in: {} '{}' | pcc-data --input-format ... -"
FORMATS = [
    (b"\x1f\x8b", "is compressed by gzip", UNPACK, "zcat"),
    (b"\x28\xb5\x2f\xfd", "is compressed by zstd", UNPACK, "zstdcat"),
    (b"\xfd7zXZ", "is compressed by xz", UNPACK, "xzcat"),
    (b"BZh", "is compressed by bzip2", UNPACK, "bzcat"),
    (b"PK\x03\x04", "is a zip archive", "unpack it first", ""),
    (b"PAR1", "is a Parquet file", "write its text as JSON lines, as "
     "pandas.read_parquet('{1}').to_json('FILE.jsonl', orient='records', "
     "lines=True) does", ""),
    (b"ARROW1", "is an Arrow file",
     "write its text as JSON lines, as to_json of 'datasets' does", ""),
    (b"MMIDIDX", "is the index of a Megatron data set",
     "its tokens need no conversion: --data of a program takes them", ""),
    (b"\xff\xfe", "is UTF-16, not UTF-8", "iconv -f UTF-16 -t UTF-8 '{1}'", ""),
    (b"\xfe\xff", "is UTF-16, not UTF-8", "iconv -f UTF-16 -t UTF-8 '{1}'", ""),
]


def files_of(path):
    """Returns a folder's regular files, sorted by path. Hidden ones are left
    out."""
    found = []

    def fail(error):
        raise error

    for folder, below, names in os.walk(path, onerror=fail):
        below[:] = [name for name in below if not name.startswith(".")]
        found += [os.path.join(folder, name) for name in names
                  if not name.startswith(".")]
    return sorted(name for name in found if os.path.isfile(name))


def find(arguments, input_format, outputs):
    """Returns the sources of the arguments, in their order; a file that several
    names reach once. Outputs of this run, and files in them, are left out of
    folders."""
    written = {os.path.realpath(path) for path in outputs}

    def is_output(name):
        path = os.path.realpath(name)
        return path in written or os.path.dirname(path) in written

    sources, seen = [], set()
    for argument in arguments:
        if argument == "-":
            if input_format == "auto":
                raise Refused("the format of standard input is unknown",
                              "--input-format is text or jsonl")
            names = ["-"]
        elif os.path.isdir(argument):
            names = [name for name in files_of(argument)
                     if not is_output(name)]
        elif os.path.exists(argument):
            if is_output(argument):
                raise Refused(f"'{argument}' is both input and output")
            names = [argument]
        else:
            raise Refused(f"'{argument}' does not exist")
        for name in names:
            real = name if name == "-" else os.path.realpath(name)
            if real in seen:
                continue
            seen.add(real)
            is_json = (input_format == "jsonl" or input_format == "auto" and
                       name.endswith(JSON_SUFFIXES))
            sources.append(Source(name, is_json, size_of(name)))
    if not sources:
        raise Refused("no files in " +
                      ", ".join(f"'{name}'" for name in arguments),
                      "hidden files, whose names begin with a dot, are left out")
    return sources


def size_of(name):
    if name == "-":
        return None
    status = os.stat(name)
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def total(sources):
    """Returns the bytes of all sources; None if one is a stream."""
    sizes = [source.size for source in sources]
    return None if None in sizes else sum(sizes)


def open_source(source, is_checked):
    """Returns a buffered binary file, after its byte order mark. Checked ones
    are refused if their first bytes are of a format that is not text."""
    if source.path == "-":
        if sys.stdin is None:
            raise Refused("standard input is closed")
        file = io.BufferedReader(sys.stdin.buffer.raw, 1 << 20)
    else:
        file = io.BufferedReader(io.FileIO(source.path), 1 << 20)
    if not is_checked:
        return file
    begin = file.peek(64)
    for magic, reason, note, command in FORMATS:
        if begin.startswith(magic):
            raise Refused(f"'{source.path}' {reason}",
                          note.format(command, source.path))
    if source.is_json and begin.removeprefix(BOM).lstrip()[:1] == b"[":
        raise Refused(
            f"'{source.path}' is a JSON array, not JSON lines",
            f"jq -c '.[]' '{source.path}' writes an element per line; or "
            "--input-format text, if it is text to train on")
    if begin.startswith(BOM):
        file.read(len(BOM))
    return file
