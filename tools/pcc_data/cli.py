"""The command line of tools/pcc-data."""

import argparse
import os
import re
import signal
import sys

from . import chat, corpus
from .held_out import HeldOut
from .messages import MissingPackage, Refused, shortened
from .pool import available
from .progress import Progress

# Options that one kind of data has.
TEXT_ONLY = ("eot", "parse_special", "field", "separator", "format")
CHAT_ONLY = ("seq", "per_reply", "drop_long", "unshifted", "attention_mask",
             "input_name", "chat_template")
# Of pcc's --seq.
MOST_TOKENS = 1_000_000_000
DEFAULTS = {"field": "text", "format": "megatron", "input_name": "input_ids"}


def positive(text):
    value = int(text) if re.fullmatch("[0-9]{1,1000}", text) else 0
    if value == 0:
        raise argparse.ArgumentTypeError(
            f"{shortened(text)} is not a positive integer")
    return value


def length(text):
    value = positive(text)
    if value > MOST_TOKENS:
        raise argparse.ArgumentTypeError(
            f"{shortened(text)} is too large: pcc accepts at most {MOST_TOKENS}")
    return value


def name_of_input(text):
    if not text or text.startswith("."):
        raise argparse.ArgumentTypeError(
            f"{shortened(text)} is not the name of an input")
    return text.removesuffix(".npy")


def line_of_text(text):
    if "\n" in text or "\r" in text:
        raise argparse.ArgumentTypeError(
            f"{shortened(text)} is more than one line")
    return text


def path(text):
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def parser():
    parser = argparse.ArgumentParser(
        prog="pcc-data",
        description="Turns text or conversations into data files of compiled "
                    "programs: --data of a program takes them. See "
                    "docs/Data.md.")
    add = parser.add_argument
    add("inputs", nargs="+", metavar="INPUT",
        help="text files, JSON lines (.jsonl, .ndjson, .json), folders of "
             "them; - is standard input")
    add("-o", dest="output", required=True, metavar="PATH", type=path,
        help="the file to write; with --chat the folder")
    add("--tokenizer", metavar="DIR", type=path,
        help="folder with the tokenizer.json of the model (default: a token "
             "per byte)")
    add("--input-format", choices=("auto", "text", "jsonl"), default="auto",
        help="format of the inputs (default: by their names)")
    add("--val", type=HeldOut, metavar="FRACTION|N",
        help="hold out this share or number of the documents, at even "
             "distances")
    add("--val-output", metavar="PATH", type=path,
        help="the held-out part (default: NAME.val.bin, with --chat NAME.val)")
    add("--processes", type=positive, default=available(), metavar="N",
        help="processes; the result is the same for any number (default: the "
             "number of cores)")
    add("-q", "--quiet", action="store_true",
        help="print errors only")
    text = parser.add_argument_group("text")
    add = text.add_argument
    add("--field", metavar="NAME",
        help="field of JSON lines that has the text (default: text)")
    add("--separator", metavar="LINE", type=line_of_text,
        help="a line of text files that ends a document; '' means blank lines "
             "(default: a file is one document)")
    add("--eot", metavar="TOKEN|none",
        help="token after each document (default: the tokenizer's eos_token; "
             "byte 0 without --tokenizer)")
    add("--parse-special", action="store_const", const=True,
        help="names of special tokens in the text are these tokens (default: "
             "plain text)")
    add("--format", choices=("megatron", "llm.c", "nanogpt"),
        help="format of the files (default: megatron)")
    chats = parser.add_argument_group("conversations")
    add = chats.add_argument
    add("--chat", action="store_true",
        help="inputs are JSON lines of conversations; write arrays")
    add("--seq", type=length, metavar="N", help="tokens per sample")
    add("--per-reply", action="store_const", const=True,
        help="a sample for each reply, after the messages before it (default: "
             "a sample for each conversation)")
    add("--drop-long", action="store_const", const=True,
        help="leave conversations out that exceed --seq (default: cut them "
             "off)")
    add("--chat-template", metavar="FILE", type=path,
        help="a template in place of the tokenizer's")
    add("--unshifted", action="store_const", const=True,
        help="labels for a model that computes and shifts its own loss "
             "(default: the next tokens)")
    add("--attention-mask", action="store_const", const=True,
        help="also write attention_mask.npy")
    add("--input-name", type=name_of_input, metavar="NAME",
        help="the model's input of token ids (default: input_ids)")
    return parser


def check(parser, options):
    """Ends with a usage error if options do not fit together."""
    others = TEXT_ONLY if options.chat else CHAT_ONLY
    for name in others:
        if getattr(options, name) is not None:
            parser.error(f"--{name.replace('_', '-')} " +
                         ("does not go with --chat" if options.chat else
                          "needs --chat"))
    if options.chat and not options.tokenizer:
        parser.error("--chat needs --tokenizer DIR")
    if options.chat and not options.seq:
        parser.error("--chat needs --seq N, the --seq of the program")
    if options.val_output and not options.val:
        parser.error("--val-output needs --val")
    if options.parse_special and not options.tokenizer:
        parser.error("--parse-special needs --tokenizer DIR")
    if options.chat and options.input_format == "text":
        parser.error("--chat takes JSON lines")
    for name, value in DEFAULTS.items():
        if getattr(options, name) is None:
            setattr(options, name, value)


def say(kind, text):
    print(f"pcc-data: {kind}: {text}", file=sys.stderr)


def stop(number, _):
    raise SystemExit(128 + number)


def main(arguments=None):
    """Runs the tool; returns its exit code."""
    if sys.stderr is None:  # it is closed
        sys.stderr = open(os.devnull, "w", encoding="utf-8")
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, stop)
    line = parser()
    options = line.parse_intermixed_args(arguments)
    check(line, options)
    try:
        progress = Progress(options.quiet)
        lines = (chat if options.chat else corpus).run(options, progress)
    except Refused as error:
        say("error", error.message)
        for note in error.notes:
            say("note", note)
        return 2 if isinstance(error, MissingPackage) else 1
    except OSError as error:
        name = f"'{error.filename}': " if error.filename else ""
        say("error", f"{name}{error.strerror or error}")
        return 1
    except MemoryError:
        say("error", "there is not enough memory")
        say("note", "--processes N with a smaller N needs less, as does a "
            "smaller --seq")
        return 1
    if not options.quiet:
        print("\n".join(lines), file=sys.stderr)
    return 0
