"""Text to token files."""

import collections
import os

from . import inputs, pieces, token_files
from .encoders import Bytes, Tokenizer, packed
from .messages import Refused, count_text, size_text
from .pool import ordered
from .reading import check_text, names_of, quoted, value_of

# Per piece: part, number of ids, begins, ends. Per chunk: the tokens of each
# part, bytes of the inputs and of their text, pieces with special tokens' names.
Encoded = collections.namedtuple(
    "Encoded", "pieces tokens input_bytes text_bytes marked")


class Encode:
    """Encodes a chunk of pieces, in any process."""

    def __init__(self, tokenizer, field, code, finds_marks):
        self.tokenizer, self.field, self.code = tokenizer, field, code
        self.finds_marks = finds_marks

    def __call__(self, chunk):
        prefix, suffix = self.tokenizer.prefix, self.tokenizer.suffix
        tokens, done, size, text_size, marked = [[], []], [], 0, 0, 0
        for piece in chunk:
            size += len(piece.data)
            if piece.is_json:
                text = text_of(piece, self.field)
                text_size += len(text.encode())
            else:
                text = self.tokenizer.text_of(piece)
                text_size += len(piece.data)
            ids = self.tokenizer.encode_piece(text, piece)
            # An empty document is left out. A later piece is never the first.
            if not piece.begins or len(ids):
                out = tokens[piece.part]
                before = len(out)
                if piece.begins:
                    out.extend(prefix)
                out.extend(ids)
                if piece.ends:
                    out.extend(suffix)
                done.append((piece.part, len(out) - before, piece.begins,
                             piece.ends))
            else:
                done.append((piece.part, 0, True, True))
            marked += (self.finds_marks and
                       bool(self.tokenizer.special_pattern.search(text)))
        return Encoded(done, [packed(part, self.code) for part in tokens], size,
                       text_size, marked)


def text_of(piece, field):
    value = value_of(piece)
    where = f"{piece.path}:{piece.line}"
    if field not in value:
        raise Refused(f"{where}: no field '{field}'",
                      f"it has {names_of(value)}; --field NAME selects one")
    text = value[field]
    if not isinstance(text, str):
        raise Refused(f"{where}: field '{field}' is not text but "
                      f"{quoted(text)}")
    check_text(text, where)
    return text


def outputs_of(options):
    """Returns the paths of the token files: one, or with --val two."""
    path = token_files.path_of(options.output, options.format)
    if not options.val:
        return [path]
    held = options.val_output or path.removesuffix(".bin") + ".val.bin"
    held = token_files.path_of(held, options.format)
    if os.path.realpath(held) == os.path.realpath(path):
        raise Refused(f"'{path}' is named for both parts")
    return [path, held]


def run(options, progress):
    """Writes the files; returns the lines of the report."""
    paths = outputs_of(options)
    written = [name for path in paths for file in
               (path, token_files.index_of(path))
               for name in (file, file + ".part")]
    sources = inputs.find(options.inputs, options.input_format, written)
    progress.total = inputs.total(sources)
    tokenizer = (Tokenizer(options.tokenizer, options.eot,
                           options.parse_special)
                 if options.tokenizer else Bytes(options.eot))
    separator = (None if options.separator is None else
                 os.fsencode(options.separator))
    # Without a tokenizer, text may be any bytes, if it is called text.
    is_checked = bool(options.tokenizer) or options.input_format != "text"
    inputs.check_formats(sources, is_checked)
    count_first(options, sources, separator, is_checked)
    part_of = options.val.part_of if options.val else lambda index: 0
    finds_marks = bool(options.tokenizer) and not options.parse_special

    writers = []
    try:
        for path in paths:
            writers.append(token_files.WRITERS[options.format](
                path, tokenizer.vocabulary))
        encode = Encode(tokenizer, options.field, writers[0].code, finds_marks)
        every = pieces.pieces(sources, separator, tokenizer.keeps_tokens,
                              part_of, is_checked)
        totals = write(ordered(encode, pieces.chunks(every), options.processes),
                       writers, progress, len(tokenizer.prefix) +
                       len(tokenizer.suffix))
        check_parts(writers, totals, options)
        for writer in writers:
            writer.finish()
        for writer in writers:
            writer.commit()
    finally:
        for writer in writers:
            writer.discard()
        progress.hide()
    return report(options, sources, tokenizer, writers, totals)


def count_first(options, sources, separator, is_checked):
    """For --val N: counts the documents."""
    if not options.val or options.val.number is None:
        return
    streams = [source.path for source in sources if source.size is None]
    if streams:
        raise Refused(f"--val {options.val.text} first counts the documents, "
                      f"and '{streams[0]}' can be read only once",
                      "--val takes a fraction, such as 0.01, of a stream")
    options.val.set_total(
        pieces.count_documents(sources, separator, is_checked))


def write(results, writers, progress, around):
    """Writes the results; returns counts."""
    totals = collections.Counter()
    lengths = [0, 0]
    for result in results:
        for writer, tokens in zip(writers, result.tokens):
            writer.write(tokens)
        for part, length, begins, ends in result.pieces:
            totals["documents"] += begins
            if begins and ends and not length:
                totals["empty"] += 1
                continue
            lengths[part] += length
            if ends:
                writers[part].end_document(lengths[part])
                totals["around"] += around
                lengths[part] = 0
        totals["bytes"] += result.text_bytes
        totals["marked"] += result.marked
        progress.add(result.input_bytes)
    return totals


def check_parts(writers, totals, options):
    """Refuses an empty part."""
    if not any(writer.documents for writer in writers):
        raise Refused("no documents: all inputs are empty" if
                      totals["documents"] else "no documents")
    if all(writer.documents for writer in writers):
        return
    which = "none" if not writers[1].documents else "all"
    raise Refused(
        f"--val {options.val.text} of "
        f"{count_text(totals['documents'], 'document')} holds out {which}",
        "a text file is one document, unless --separator LINE divides it: "
        "--separator '' makes documents of its paragraphs")


def report(options, sources, tokenizer, writers, totals):
    documents = sum(writer.documents for writer in writers)
    tokens = sum(writer.tokens for writer in writers)
    text_tokens = max(tokens - totals["around"], 1)
    empty = (f"; {count_text(totals['empty'], 'empty one')} left out"
             if totals["empty"] else "")
    lines = [
        f"documents: {documents:,} from {count_text(len(sources), 'file')}, "
        f"{size_text(totals['bytes'])} of text{empty}",
        f"tokens:    {tokens:,} of {tokenizer.name}, "
        f"{totals['bytes'] / text_tokens:.2f} bytes per token; vocabulary "
        f"{tokenizer.vocabulary:,}",
    ]
    marks = []
    if tokenizer.prefix:
        names = ", ".join(tokenizer.model.id_to_token(i)
                          for i in tokenizer.prefix)
        marks.append(f"{names} before")
    marks.append(f"{tokenizer.end_text} after" if tokenizer.end_text else
                 "no token after")
    lines.append(f"each:      {' and '.join(marks)} it")
    if totals["marked"]:
        lines.append(
            f"marks:     {count_text(totals['marked'], 'piece')} of text with "
            "names of special tokens, which are encoded as plain text "
            "(--parse-special: as the tokens)")
    known = tokenizer.config_vocabulary
    if known and known < tokenizer.vocabulary:
        lines.append(f"warning:   config.json has a vocabulary of {known:,}, "
                     f"so the model cannot take ids from {known:,}")
    for writer, label in zip(writers, ("wrote:    ", "held out: ")):
        lines.append(f"{label} {token_files.describe(writer)}")
    held = f" --val-data {writers[1].path}" if len(writers) > 1 else ""
    lines.append("next:      pcc MODEL.onnx -o train && ./train --data "
                 f"{writers[0].path}{held}")
    return lines
