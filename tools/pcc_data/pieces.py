"""Documents of the inputs, long ones in pieces.

A piece is the work that one call encodes: the line of a JSON file, or text. The
text of a long document is cut into pieces of about a megabyte, where a cut does
not change the tokens."""

import collections
import re

from . import inputs

# Bytes.
PIECE = 1 << 20
CHUNK = 1 << 20
WINDOW = 512
MOST_TRIES = 64

# path and line: of the first byte, for messages. begins, ends: whether the
# piece has its document's first and last byte. index: of the document in all
# inputs. part: 0, or 1 if the document is held out.
Piece = collections.namedtuple(
    "Piece", "path line data is_json begins ends index part")


def find_cut(buffer, begin, keeps_tokens):
    """Returns a position from `begin` on, after a newline, where the text may be
    cut; None if there is none. keeps_tokens(left, right) says whether the tokens
    at a cut between the two are those of the whole."""
    begin = max(begin, WINDOW)
    candidates = re.compile(rb"\n(?=\S)").finditer(
        buffer, begin, max(len(buffer) - WINDOW, begin))
    for _, match in zip(range(MOST_TRIES), candidates):
        at = match.end()
        if keeps_tokens(bytes(buffer[at - WINDOW:at]),
                        bytes(buffer[at:at + WINDOW])):
            return at
    return None


def split_text(blocks, separator, keeps_tokens):
    """Returns line, bytes, begins, ends of each piece of a file's documents. With
    a separator, blocks are lines, and a line that equals it ends a document."""
    buffer, line, begins, wanted = bytearray(), 1, True, 2 * PIECE
    for block in blocks:
        if separator is not None and block.rstrip(b"\r\n") == separator:
            if buffer or not begins:
                yield line, bytes(buffer), begins, True
            line += buffer.count(b"\n") + 1
            buffer, begins, wanted = bytearray(), True, 2 * PIECE
            continue
        buffer += block
        if len(buffer) >= wanted:
            at = find_cut(buffer, wanted - 3 * PIECE // 2, keeps_tokens)
            if at:
                yield line, bytes(buffer[:at]), begins, False
                line += buffer.count(b"\n", 0, at)
                del buffer[:at]
                begins = False
            wanted = len(buffer) + PIECE
    if buffer or not begins or separator is None:
        yield line, bytes(buffer), begins, True


def pieces(sources, separator, keeps_tokens, part_of=lambda index: 0,
           is_checked=True):
    """Returns all pieces, in order."""
    index = -1
    for source in sources:
        with inputs.open_source(source, is_checked) as file:
            if source.is_json:
                for line, data in enumerate(file, 1):
                    if not data.strip():
                        continue
                    index += 1
                    yield Piece(source.path, line, data, True, True, True,
                                index, part_of(index))
                continue
            blocks = (iter(lambda: file.read(PIECE), b"")
                      if separator is None else file)
            for line, data, begins, ends in split_text(blocks, separator,
                                                       keeps_tokens):
                index += begins
                yield Piece(source.path, line, data, False, begins, ends,
                            index, part_of(index))


def count_documents(sources, separator, is_checked):
    """Returns the number of documents; reads all inputs."""
    return sum(piece.begins for piece in
               pieces(sources, separator, lambda left, right: True,
                      is_checked=is_checked))


def chunks(every, least=64):
    """Returns lists of successive pieces with about a megabyte each: a call's
    work. A piece counts `least` bytes more than it has."""
    chunk, size = [], 0
    for piece in every:
        chunk.append(piece)
        size += len(piece.data) + least
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
