"""The command line of tools/pcc-export."""

import argparse
import logging
import os
import re
import sys
import warnings

from .companions import copy_files
from .driver import export, refuse_target
from .exporters import WRITERS
from .huggingface import TASKS, load, prepare
from .messages import Refused
from .source import describe, unsaved


def positive(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive integer")
    return int(text)


def regex(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a regular expression: {error}") from error


def arguments():
    parser = argparse.ArgumentParser(
        prog="pcc-export",
        description="Writes a model of transformers as an ONNX file that pcc "
                    "trains as PyTorch does, and compares its outputs and "
                    "gradients with the model's.",
        epilog="For other modules: from pcc_export import export. See "
               "docs/Export.md.")
    parser.add_argument("--hf", metavar="DIR", required=True,
                        help="folder that save_pretrained wrote")
    parser.add_argument("--task", required=True, choices=list(TASKS))
    parser.add_argument("-o", metavar="FILE", required=True, dest="path",
                        help="the file; large weights go to FILE.data")
    parser.add_argument("--inputs", metavar="NAME,NAME",
                        help="inputs of the file (default: by task)")
    parser.add_argument("--random-weights", action="store_true",
                        help="random initial weights; a config.json is enough")
    parser.add_argument("--trust-remote-code", action="store_true",
                        help="run the Python code that DIR contains")
    parser.add_argument("--freeze", type=regex, metavar="REGEX",
                        help="parameters that are not trained")
    parser.add_argument("--dtype", default="float32",
                        choices=("float32", "float16", "bfloat16"),
                        help="type of the weights in the file (default: "
                             "float32)")
    parser.add_argument("--context-length", type=positive, metavar="N",
                        help="longest sequence, if the model does not "
                             "state it")
    parser.add_argument("--exporter", choices=list(WRITERS),
                        help="use only this one (default: each in turn)")
    parser.add_argument("--opset", type=positive, default=17, metavar="N",
                        help="opset of the file (default: 17; dynamo and "
                             "transformers: at least 18)")
    parser.add_argument("--copy-files", action="store_true",
                        help="copy configuration, tokenizer and chat templates "
                             "into the file's folder, for checkpoints")
    parser.add_argument("--pcc", metavar="FILE",
                        help="the compiler to compare gradients with "
                             "(default: $PCC, or on PATH)")
    parser.add_argument("--no-gradients", action="store_true",
                        help="skip the comparison of gradients")
    return parser


def main():
    options = arguments().parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        refuse_target(options.path)
        refuse_file_of_model(options.path, options.hf)
        model = load(options.hf, options.task, options.random_weights,
                     options.dtype, options.trust_remote_code)
        freeze(model, options.freeze)
        inputs, call = prepare(model, options.task,
                               options.inputs and options.inputs.split(","))
        export(model, inputs, options.path, call=call, output="logits",
               loss=TASKS[options.task].loss, opset=options.opset,
               exporter=options.exporter, pcc=options.pcc,
               context_length=options.context_length,
               check_gradients=not options.no_gradients,
               source=describe(options.hf, model))
        if options.copy_files:
            copy_files(options.hf, os.path.dirname(options.path) or ".")
        buffers = unsaved(model)
        if buffers:
            print(f"warning: checkpoints will lack {len(buffers)} buffers of "
                  f"'{options.hf}', such as {buffers[0]}: add them before you "
                  "load one", file=sys.stderr)
    except Refused as error:
        text = str(error).replace("\nnote: ", "\npcc-export: note: ")
        print(f"pcc-export: error: {text}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"pcc-export: error: '{error.filename or options.path}': "
              f"{error.strerror or error}", file=sys.stderr)
        return 1
    return 0


def refuse_file_of_model(path, folder):
    """Refuses to overwrite a file of the model, such as its weights."""
    if (os.path.exists(path) and not path.endswith(".onnx") and
            os.path.dirname(os.path.realpath(path)) == os.path.realpath(folder)):
        raise Refused(f"'{path}' is a file of the model in '{folder}'",
                      ["-o names another file, such as model.onnx"])


def freeze(model, regex):
    if not regex:
        return
    chosen = [p for name, p in model.named_parameters() if regex.search(name)]
    if not chosen:
        raise Refused(f"--freeze '{regex.pattern}' matches no parameter")
    for p in chosen:
        p.requires_grad_(False)
