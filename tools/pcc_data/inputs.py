"""Input files: search, kinds, formats that are refused."""

import collections
import io
import os
import stat
import struct
import sys

from .messages import Refused

JSON_SUFFIXES = (".jsonl", ".ndjson", ".json")
BOM = b"\xef\xbb\xbf"

# path: the name in messages; size: bytes, None of a stream.
Source = collections.namedtuple("Source", "path is_json size")

UNPACK = "unpack it, or pipe it in: {} '{}' | pcc-data --input-format ... -"
MEGATRON = b"MMIDIDX"
TOKENS = ("--data of a program takes such data; texts are read from other "
          "folders, or by their names")
FORMATS = [
    (b"\x1f\x8b", "is compressed by gzip", UNPACK, "zcat"),
    (b"\x28\xb5\x2f\xfd", "is compressed by zstd", UNPACK, "zstdcat"),
    (b"\xfd7zXZ", "is compressed by xz", UNPACK, "xzcat"),
    (b"BZh", "is compressed by bzip2", UNPACK, "bzcat"),
    (b"PK\x03\x04", "is a zip archive", "unpack it first", ""),
    (b"\x04\x22\x4d\x18", "is compressed by lz4", UNPACK, "lz4cat"),
    (b"%PDF-", "is a PDF file", "pdftotext '{1}' writes its text", ""),
    (b"PAR1", "is a Parquet file", "write its text as JSON lines, as "
     "pandas.read_parquet('{1}').to_json('FILE.jsonl', orient='records', "
     "lines=True) does", ""),
    (b"ARROW1", "is an Arrow file",
     "write its text as JSON lines, as to_json of 'datasets' does", ""),
    (MEGATRON, "is the index of a Megatron data set", TOKENS, ""),
    (struct.pack("<i", 20240520), "has tokens in llm.c's format", TOKENS, ""),
    (struct.pack("<i", 20240801), "has tokens in llm.c's format", TOKENS, ""),
    (b"\x93NUMPY", "is an array of NumPy", TOKENS, ""),
    (b"\xff\xfe", "is UTF-16, not UTF-8", "iconv -f UTF-16 -t UTF-8 '{1}'", ""),
    (b"\xfe\xff", "is UTF-16, not UTF-8", "iconv -f UTF-16 -t UTF-8 '{1}'", ""),
]


def status_of(path):
    """Returns the status of a file, or of what a link leads to."""
    try:
        return os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            raise Refused(f"'{path}' is a link to '{os.readlink(path)}', which "
                          "does not exist") from None
        raise


def files_of(path):
    """Returns a folder's regular files, sorted by path. Links are followed, and
    a folder that several names reach is read once, by a name without links if
    there is one. Hidden files are left out."""
    found, seen, folders, links = [], set(), [path], []
    while folders or links:
        folder = folders.pop() if folders else links.pop(0)
        status = os.stat(folder)
        if (status.st_dev, status.st_ino) in seen:
            continue
        seen.add((status.st_dev, status.st_ino))
        for name in sorted(os.listdir(folder)):
            if name.startswith("."):
                continue
            name = os.path.join(folder, name)
            mode = status_of(name).st_mode
            if stat.S_ISDIR(mode):
                (links if os.path.islink(name) else folders).append(name)
            elif stat.S_ISREG(mode):
                found.append(name)
            else:
                raise Refused(f"'{name}' is neither a file nor a folder",
                              "it is read only if it is named itself")
    return sorted(found)


def find(arguments, input_format, outputs):
    """Returns the sources of the arguments, in their order; a file that several
    names reach once. Outputs of this run, and files in them, are left out of
    folders."""
    written = {os.path.realpath(path) for path in outputs}

    def is_output(name):
        path = os.path.realpath(name)
        return path in written or os.path.dirname(path) in written

    def names_of(argument):
        try:
            is_folder = stat.S_ISDIR(status_of(argument).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            raise Refused(f"'{argument}' does not exist") from None
        if is_output(argument):
            raise Refused(f"'{argument}' is both input and output")
        if is_folder:
            return [name for name in files_of(argument) if not is_output(name)]
        return [argument]

    sources, seen = [], set()
    for argument in arguments:
        if argument == "-":
            if input_format == "auto":
                raise Refused("the format of standard input is unknown",
                              "--input-format is text or jsonl")
            names = ["-"]
        else:
            names = names_of(argument)
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


def check_begin(source, begin):
    """Refuses a file by its first bytes if it is not text."""
    for magic, reason, note, command in FORMATS:
        if begin.startswith(magic):
            raise Refused(f"'{source.path}' {reason}",
                          note.format(command, source.path))
    index = source.path.removesuffix(".bin") + ".idx"
    if source.path.endswith(".bin") and os.path.isfile(index):
        with open(index, "rb") as file:
            if file.read(len(MEGATRON)) == MEGATRON:
                raise Refused(f"'{source.path}' has the tokens of a Megatron "
                              "data set", TOKENS)
    if source.is_json and begin.removeprefix(BOM).lstrip()[:1] == b"[":
        raise Refused(
            f"'{source.path}' is a JSON array, not JSON lines",
            f"jq -c '.[]' '{source.path}' writes an element per line; or "
            "--input-format text, if it is text to train on")
    zero = begin.find(b"\0")
    if zero >= 0:
        line = begin.count(b"\n", 0, zero) + 1
        raise Refused(f"'{source.path}' is not text: line {line} has byte 0",
                      "without --tokenizer, --input-format text --eot none takes "
                      "any bytes")


def check_formats(sources, is_checked):
    """Refuses files that are not text before the work begins."""
    for source in sources:
        if source.size is not None:
            open_source(source, is_checked).close()


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
    check_begin(source, begin)
    if begin.startswith(BOM):
        file.read(len(BOM))
    return file
