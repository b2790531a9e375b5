"""Conversations to folders of arrays."""

import collections
import os

from . import corpus, inputs, pieces
from .arrays import Arrays
from .conversations import parse
from .encoders import Tokenizer
from .messages import Refused, count_text
from .outputs import OutputFolder
from .pool import ordered
from .replies import Replies
from .samples import Left, Samples, without_reply
from .template import Template

# Per chunk: the bytes of each part's arrays, numbers of samples, counts, the
# first conversation that was left out for each reason, and bytes of the inputs.
Made = collections.namedtuple("Made", "arrays samples counts first input_bytes")


class Convert:
    """Converts a chunk of lines to samples, in any process."""

    def __init__(self, replies, samples):
        self.replies, self.samples = replies, samples

    def __call__(self, chunk):
        arrays = [[[], [], []], [[], [], []]]
        numbers, counts, first, size = [0, 0], collections.Counter(), {}, 0
        for piece in chunk:
            size += len(piece.data)
            counts["conversations"] += 1
            conversation = parse(piece)
            renderings = self.replies.renderings(conversation)
            for rendering in renderings or [None]:
                try:
                    if not rendering or not rendering.spans:
                        raise without_reply(conversation)
                    sample = self.samples.sample(rendering)
                except Left as left:
                    counts["left", left.reason] += 1
                    first.setdefault(left.reason,
                                     conversation.where + left.detail)
                    continue
                numbers[piece.part] += 1
                for target, data in zip(arrays[piece.part], sample.arrays):
                    target.append(data)
                counts["tokens"] += sample.tokens
                counts["learned"] += sample.learned
                counts["cut"] += sample.is_cut
        return Made([[b"".join(data) for data in part] for part in arrays],
                    numbers, counts, first, size)


def pad_of(tokenizer):
    """Returns the id that fills samples: no label and no earlier position
    depends on it."""
    tokens = tokenizer.special.tokens
    for name in "pad_token", "eos_token":
        if name in tokens and tokenizer.id_of(tokens[name]) is not None:
            return tokenizer.id_of(tokens[name])
    return 0


def paths_of(options):
    """Returns the paths of the folders: one, or with --val two."""
    paths = [options.output.rstrip("/") or "/"]
    if options.val:
        paths.append((options.val_output or paths[0] + ".val").rstrip("/") or
                     "/")
        one, two = (os.path.realpath(path) + "/" for path in paths)
        if one == two:
            raise Refused(f"'{paths[0]}' is named for both parts")
        if one.startswith(two) or two.startswith(one):
            raise Refused(f"of the folders '{paths[0]}' and '{paths[1]}' one is "
                          "in the other", "--val-output names another folder")
    return paths


def file_of(name):
    """Returns the name of the array of an input, as programs read it."""
    for letter in "/\\:":
        name = name.replace(letter, "_")
    return name + ".npy"


def run(options, progress):
    """Writes the folders; returns the lines of the report."""
    written = [path + end for path in paths_of(options)
               for end in ("", ".part")]
    sources = inputs.find(options.inputs, "jsonl", written)
    inputs.check_formats(sources, True)
    progress.total = inputs.total(sources)
    tokenizer = Tokenizer(options.tokenizer, eot="none", parse_special=True)
    template = Template(tokenizer, options.chat_template)
    replies = Replies(template, tokenizer.added_pattern, options.per_reply)
    samples = Samples(tokenizer, options.seq, pad_of(tokenizer),
                      not options.unshifted, options.drop_long)
    corpus.count_first(options, sources, None, True)
    part_of = options.val.part_of if options.val else lambda index: 0
    names = [file_of(options.input_name), "labels.npy"]
    if options.attention_mask:
        names.append("attention_mask.npy")
    if len(set(names)) < len(names):
        raise Refused(f"--input-name {options.input_name}: another array has "
                      "this name")

    folders, writers = [], []
    try:
        for path in paths_of(options):
            folders.append(OutputFolder(path, {*names, "attention_mask.npy"}))
        writers = [Arrays(folder, names, options.seq) for folder in folders]
        every = pieces.pieces(sources, None, tokenizer.keeps_tokens, part_of)
        totals, first = collections.Counter(), {}
        # A sample takes memory, however short its line is.
        chunks = pieces.chunks(every, 64 + options.seq)
        for made in ordered(Convert(replies, samples), chunks,
                            options.processes):
            for writer, arrays, number in zip(writers, made.arrays,
                                              made.samples):
                writer.write(arrays, number)
            totals += made.counts
            for reason, where in made.first.items():
                first.setdefault(reason, where)
            progress.add(made.input_bytes)
        check_parts(writers, totals, first, options)
        for writer in writers:
            writer.finish()
        for writer in writers:
            writer.commit()
    finally:
        for writer in writers or folders:
            writer.discard()
        progress.hide()
    return report(options, sources, tokenizer, template, writers, totals, first)


def left_out(totals, first):
    """Returns lines about conversations that gave no sample."""
    return [f"left out:  {totals['left', reason]:,} with {reason}, such as "
            f"{where}" if not reason.startswith("longer") else
            f"left out:  {totals['left', reason]:,} {reason}, such as {where}"
            for reason, where in sorted(first.items())]


def check_parts(writers, totals, first, options):
    """Refuses an empty part."""
    if all(writer.samples for writer in writers):
        return
    if not totals["conversations"]:
        raise Refused("no conversations: all inputs are empty")
    notes = left_out(totals, first)
    if not any(writer.samples for writer in writers):
        raise Refused("no samples: all of "
                      f"{count_text(totals['conversations'], 'conversation')} "
                      "are left out", *notes)
    which = "no samples" if not writers[1].samples else "all samples"
    raise Refused(
        f"--val {options.val.text} of "
        f"{count_text(totals['conversations'], 'conversation')} holds out "
        f"{which}", *notes)


def report(options, sources, tokenizer, template, writers, totals, first):
    samples = sum(writer.samples for writer in writers)
    tokens, size = totals["tokens"], samples * options.seq
    how = ("marks of the template" if template.has_marks else
           "renderings of the messages before them")
    lines = [
        f"samples:   {samples:,} of {options.seq:,} tokens, from "
        f"{count_text(totals['conversations'], 'conversation')} in "
        f"{count_text(len(sources), 'file')}",
        f"tokens:    {tokens:,} of {tokenizer.name}, vocabulary "
        f"{tokenizer.vocabulary:,}; {size - tokens:,} "
        f"({(size - tokens) / size:.0%}) are padding",
        f"learned:   {totals['learned']:,} tokens ({totals['learned'] / tokens:.0%})"
        f" of replies, located by {how}",
        *left_out(totals, first)]
    if totals["cut"]:
        lines.append(f"cut off:   {totals['cut']:,} after {options.seq:,} "
                     "tokens (--drop-long leaves them out)")
    if template.uses_date:
        lines.append(f"date:      the template may print it: {template.date} "
                     "(SOURCE_DATE_EPOCH sets another)")
    labels = ("labels are not shifted: for a model whose own loss shifts them"
              if options.unshifted else "labels are the next tokens")
    for writer, label in zip(writers, ("wrote:    ", "held out: ")):
        lines.append(f"{label} {writer.folder.path}: "
                     f"{count_text(writer.samples, 'sample')}, " +
                     ", ".join(os.path.basename(file.name)
                               for file in writer.files) + f"; {labels}")
    held = f" --val-data {writers[1].folder.path}" if len(writers) > 1 else ""
    lines.append(f"next:      pcc MODEL.onnx --seq {options.seq} -o train && "
                 f"./train --data {writers[0].folder.path}{held}")
    return lines
