"""Megatron, llm.c and nanoGPT files.

    Megatron  NAME.bin: the tokens, uint16 or int32; NAME.idx: "MMIDIDX\\0\\0",
              u64 version 1, u8 type, u64 sequences, u64 entries of the last
              table, int32 lengths, int64 byte offsets, int64 first sequence of
              each document and their end; a document is a sequence
    llm.c     256 int32 (magic, version, number of tokens), then uint16 or
              uint32 tokens
    nanoGPT   uint16 tokens

All numbers are little-endian."""

import os
import struct

from .encoders import packed
from .messages import Refused, count_text
from .outputs import OutputFile

MOST = 2**31 - 1
WIDE = "--format llm.c or --format megatron writes wider ones"


class TokenFile:
    """Base: one file, whose tokens have `width` bytes and array type `code`."""

    def __init__(self, path, vocabulary, most_narrow=1 << 16):
        self.path = path
        self.is_wide = vocabulary > most_narrow
        self.width, self.code = (4, "I") if self.is_wide else (2, "H")
        self.documents = self.tokens = 0
        self.file = OutputFile(path)
        self.files = [self.file]

    def write(self, data):
        self.file.file.write(data)
        self.tokens += len(data) // self.width

    def end_document(self, length):
        self.documents += 1

    def finish(self):
        for file in self.files:
            file.finish()

    def commit(self):
        self.file.commit()

    def discard(self):
        for file in self.files:
            file.discard()

    def paths(self):
        return [self.path]


class NanoGpt(TokenFile):
    kind = "nanogpt"

    def __init__(self, path, vocabulary):
        if vocabulary > 1 << 16:
            raise Refused(f"--format nanogpt has uint16 tokens, and the "
                          f"vocabulary has {vocabulary:,}", WIDE)
        super().__init__(path, vocabulary)


class LlmC(TokenFile):
    kind = "llm.c"

    def __init__(self, path, vocabulary):
        super().__init__(path, vocabulary)
        self.file.file.write(bytes(1024))

    def write(self, data):
        super().write(data)
        if self.tokens > MOST:
            raise Refused(f"'{self.path}' would have more than {MOST:,} "
                          "tokens, the most that llm.c's header can count",
                          "--format megatron has no such limit")

    def finish(self):
        self.file.file.seek(0)
        magic, version = (20240801, 7) if self.is_wide else (20240520, 1)
        self.file.file.write(struct.pack("<3i", magic, version, self.tokens))
        super().finish()


class Megatron(TokenFile):
    kind = "megatron"
    HEADER = 34
    # Lengths that are converted at once.
    BLOCK = 1 << 16

    def __init__(self, path, vocabulary):
        # Megatron's own choice of the type.
        super().__init__(path, vocabulary, most_narrow=65499)
        self.code = "i" if self.is_wide else "H"
        try:
            self.index = OutputFile(index_of(path))
        except (OSError, Refused):
            self.file.discard()
            raise
        self.files.append(self.index)
        self.lengths = []
        self.index.file.write(bytes(self.HEADER))

    def end_document(self, length):
        super().end_document(length)
        if length > MOST:
            raise Refused(f"a document has {length:,} tokens; Megatron's index "
                          f"can count {MOST:,}",
                          "--separator LINE divides text files into documents")
        self.lengths.append(length)
        if len(self.lengths) == self.BLOCK:
            self.flush()

    def flush(self):
        self.index.file.write(packed(self.lengths, "i"))
        self.lengths.clear()

    def finish(self):
        self.flush()
        file, count = self.index.file, self.documents
        at = 0
        for first in range(0, count, self.BLOCK):
            block = min(self.BLOCK, count - first)
            file.seek(self.HEADER + 4 * first)
            offsets = []
            for length in struct.unpack(f"<{block}i", file.read(4 * block)):
                offsets.append(at)
                at += length * self.width
            file.seek(self.HEADER + 4 * count + 8 * first)
            file.write(packed(offsets, "q"))
        for first in range(0, count + 1, self.BLOCK):
            file.write(packed(range(first, min(first + self.BLOCK, count + 1)),
                              "q"))
        file.seek(0)
        file.write(b"MMIDIDX\0\0" + struct.pack(
            "<QBQQ", 1, 4 if self.is_wide else 8, count, count + 1))
        super().finish()

    def commit(self):
        # At no time are there a new and an old file together.
        if os.path.exists(self.path):
            os.unlink(self.path)
        self.index.commit()
        self.file.commit()

    def paths(self):
        return [self.path, self.index.path]


def index_of(path):
    return path.removesuffix(".bin") + ".idx"


WRITERS = {"megatron": Megatron, "llm.c": LlmC, "nanogpt": NanoGpt}


def path_of(path, kind):
    """Returns the path of the tokens; Megatron's end in .bin. Refuses paths that
    programs would read as something else."""
    if not os.path.basename(path):
        raise Refused(f"'{path}' is the name of a folder, not of a file")
    if kind == "megatron":
        tokens = path.removesuffix(".idx").removesuffix(".bin") + ".bin"
        for name in path, tokens, index_of(tokens):
            if os.path.exists(name) and not os.path.isfile(name) and \
                    not os.path.isdir(name):
                raise Refused(f"'{name}' is not a regular file, and --format "
                              "megatron writes two files",
                              "--format llm.c writes one")
        return tokens
    if path.endswith(".idx"):
        raise Refused(f"'{path}' would be taken for the index of a Megatron "
                      "data set", "choose another name")
    if path.endswith(".bin") and os.path.exists(index_of(path)):
        raise Refused(
            f"'{index_of(path)}' exists: programs would take '{path}' for the "
            "Megatron data that it describes",
            f"rm '{index_of(path)}', or choose another name")
    return path


def describe(writer):
    return (f"{', '.join(writer.paths())}: "
            f"{count_text(writer.documents, 'document')}, "
            f"{count_text(writer.tokens, 'token')}")
