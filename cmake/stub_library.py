#!/usr/bin/env python3
"""Writes stubs of shared libraries: what a linker reads of them, without code.

    stub_library.py FOLDER LIBRARY...

The stub of a library is named by its soname, which is printed. It has the names, sizes, types and
versions of the symbols that the library defines. A program that is linked with
stubs is the same on every machine: it needs the versions of the libraries that the
stubs were made of. Only 64-bit little-endian ELF files are supported."""

import os
import struct
import sys

SYMTAB, STRTAB, DYNAMIC, DYNSYM, VERDEF, VERSYM = (
    2, 3, 6, 11, 0x6FFFFFFD, 0x6FFFFFFF)
DT_NULL, DT_SONAME = 0, 14
ABSOLUTE = 0xFFF1
HEADER, SECTION, SYMBOL = "<16sHHIQQQIHHHHHH", "<IIQQQQIIQQ", "<IBBHQQ"


class Failure(Exception):
    """An error to report in one line."""


class Library:
    """The sections of a shared library that a linker reads."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise Failure(f"'{path}' is no 64-bit little-endian ELF file")
        header = struct.unpack_from(HEADER, self.data)
        self.machine, offset, count = header[2], header[6], header[12]
        self.sections = {}
        for i in range(count):
            section = struct.unpack_from(SECTION, self.data, offset + 64 * i)
            self.sections.setdefault(section[1], section)
        if DYNSYM not in self.sections:
            raise Failure(f"'{path}' exports no symbols")
        dynsym = struct.unpack_from(
            SECTION, self.data, offset + 64 * self.sections[DYNSYM][6])
        self.names = self.data[dynsym[4]:dynsym[4] + dynsym[5]]
        self.soname = next((value for tag, value in self.entries(DYNAMIC, "<QQ")
                            if tag == DT_SONAME), None)
        if self.soname is None:
            raise Failure(f"'{path}' has no soname")

    def bytes_of(self, kind):
        section = self.sections.get(kind)
        return self.data[section[4]:section[4] + section[5]] if section else b""

    def entries(self, kind, layout):
        return struct.iter_unpack(layout, self.bytes_of(kind))

    def name(self, offset):
        return self.names[offset:self.names.index(b"\0", offset)].decode()

    def defined(self):
        """The defined symbols with their versions: pairs of bytes."""
        symbols = list(self.entries(DYNSYM, SYMBOL))
        versions = self.bytes_of(VERSYM) or b"\1\0" * len(symbols)
        for i, (name, info, other, section, value, size) in enumerate(symbols):
            if section:
                yield (struct.pack(SYMBOL, name, info, other, ABSOLUTE, value,
                                   size), versions[2 * i:2 * i + 2])


def stub(library):
    """Returns the bytes of a library's stub."""
    symbols, versions = bytes(24), bytes(2)
    for symbol, version in library.defined():
        symbols += symbol
        versions += version
    verdef = library.sections.get(VERDEF)
    dynamic = struct.pack("<QQQQ", DT_SONAME, library.soname, DT_NULL, 0)
    names = b"\0.dynsym\0.dynstr\0.dynamic\0.gnu.version\0.gnu.version_d\0" \
            b".shstrtab\0"
    # Type, name, contents, link, info, size of an entry. Section 2 is .dynstr.
    sections = [(DYNSYM, b".dynsym", symbols, 2, 1, 24),
                (STRTAB, b".dynstr", library.names, 0, 0, 0),
                (DYNAMIC, b".dynamic", dynamic, 2, 0, 16),
                (STRTAB, b".shstrtab", names, 0, 0, 0)]
    if verdef:
        sections += [(VERSYM, b".gnu.version", versions, 1, 0, 2),
                     (VERDEF, b".gnu.version_d", library.bytes_of(VERDEF), 2,
                      verdef[7], 0)]
    contents, headers = b"", bytes(64)
    for kind, name, data, link, info, entry in sections:
        contents += bytes(-len(contents) % 8)
        headers += struct.pack(SECTION, names.index(b"\0" + name + b"\0") + 1,
                               kind, 2, 0, 64 + len(contents), len(data), link,
                               info, 8, entry)
        contents += data
    contents += bytes(-len(contents) % 8)
    return struct.pack(
        HEADER, library.data[:16], 3, library.machine, 1, 0, 0,
        64 + len(contents), 0, 64, 0, 0, 64, len(sections) + 1, 4,
    ) + contents + headers


def main(folder, *paths):
    os.makedirs(folder, exist_ok=True)
    for path in paths:
        library = Library(path)
        name = library.name(library.soname)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(stub(library))
        print(name)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (Failure, OSError) as error:
        sys.exit(f"stub_library.py: error: {error}")
