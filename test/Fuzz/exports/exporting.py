"""Writes a case's module as an ONNX file."""

import contextlib
import io
import logging
import os
import re
import signal
import sys
import warnings

import numpy as np
import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
SECONDS = 240


class NotExported(Exception):
    """An exporter failed, which is no fault of pcc."""


class Refused(Exception):
    """pcc-export refuses a module that it or pcc does not support."""


@contextlib.contextmanager
def quiet(seconds):
    """Suppresses the output of exporters, and limits their time."""
    def give_up(*_):
        raise NotExported(f"took over {seconds} seconds")

    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(seconds)
    # PyTorch prints graphs from C++, too.
    kept = [os.dup(1), os.dup(2)]
    nothing = os.open(os.devnull, os.O_WRONLY)
    sys.stdout.flush()
    for number in (1, 2):
        os.dup2(nothing, number)
    try:
        with contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        signal.alarm(0)
        for number, copy in zip((1, 2), kept):
            os.dup2(copy, number)
            os.close(copy)
        os.close(nothing)
        signal.signal(signal.SIGALRM, before)


def dims(case):
    """The names of each input's dynamic dims."""
    names = {"T": "seq", "S": "source"}
    if case.choices["static"]:
        return {}
    return {n: {0: "batch", **{i + 1: names[d]
                               for i, d in enumerate(s["shape"])
                               if d in names}}
            for n, s in case.module.INPUTS.items()}


def examples(case, arrays):
    """The example inputs of the export: two samples, or a micro batch if the
    file fixes it."""
    count = case.micro_batch() if case.choices["static"] else 2
    return {n: torch.from_numpy(np.ascontiguousarray(a[:count]))
            for n, a in arrays.items()}


def outputs(case):
    if case.module.LOSS is not None:
        return ["scores"]
    if case.choices["outputs"] == "loss-and-scores":
        return ["loss", "scores"]
    return ["loss"]


def by_torchscript(case, model, tensors, path):
    training = case.choices["exporter"] == "train"
    mode = torch.onnx.TrainingMode
    torch.onnx.export(
        model.train(training), tuple(tensors.values()), path,
        input_names=list(tensors), output_names=outputs(case),
        opset_version=case.choices["opset"], dynamo=False,
        training=mode.TRAINING if training else mode.EVAL,
        do_constant_folding=not training, dynamic_axes=dims(case))


def by_dynamo(case, model, tensors, path):
    shapes = tuple(dims(case).values())
    program = torch.onnx.export(
        model.eval(), tuple(tensors.values()), input_names=list(tensors),
        output_names=outputs(case), opset_version=case.choices["opset"],
        dynamo=True, optimize=case.choices["exporter"] == "dynamo",
        dynamic_shapes=shapes or None, verbose=False)
    program.save(path)


def explained(refusal):
    """The exception for a refusal. pcc-export tries several exporters: it is
    NotExported only if each of them failed itself."""
    attempts = re.split(r"\nnote: ", refusal)
    failed = r"[^:]*: ((\w|[.])*(Error|Exception|Unsupported)\b|the file's out)"
    ours = [a for a in attempts[1:] if not re.match(failed, a)]
    if attempts[1:] and not ours:
        return NotExported("pcc-export: " + message(attempts[1]))
    text = " ".join((ours or attempts)[0].split())
    # The name of the exporter does not matter.
    return Refused("pcc-export: " + re.sub("^(TorchScript|dynamo)[^:]*: ", "",
                                           text)[:300])


def by_pcc_export(case, model, tensors, path):
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    try:
        import pcc_export
    except ImportError:
        raise NotExported("there is no tools/pcc_export")
    lines = []
    try:
        with_loss = case.module.LOSS is None
        pcc_export.export(
            model.eval(), tensors, path, dynamic=dims(case),
            returns_loss=with_loss, loss=case.module.LOSS,
            output=0 if with_loss and case.choices["outputs"] != "one"
            else None, pcc=case.pcc, log=lines.append)
    except pcc_export.Refused as refusal:
        raise explained(str(refusal))
    finally:
        with open(case.path("pcc-export.log"), "w") as file:
            file.writelines(str(line) + "\n" for line in lines)


def message(error):
    """An exporter's error in one line."""
    text = re.sub(r"\x1b\[\d+m", "", str(error))
    lines = [l.strip() for l in text.splitlines() if l.strip()]
    if isinstance(error, str):
        return lines[0][:200]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


def export(case, arrays, path):
    """Writes the file, or raises NotExported."""
    how = case.choices["exporter"]
    write = {"pcc-export": by_pcc_export, "train": by_torchscript,
             "eval": by_torchscript}.get(how, by_dynamo)
    try:
        with quiet(SECONDS):
            write(case, case.build(), examples(case, arrays), path)
    except (NotExported, Refused):
        raise
    except Exception as error:  # any error of PyTorch
        raise NotExported(message(error))


def run(path, arrays):
    """The name and value of the file's first output in ONNX Runtime."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"])
        known = {i.name for i in session.get_inputs()}
        values = session.run(None, {n: a for n, a in arrays.items()
                                    if n in known})
        return session.get_outputs()[0].name, values[0]
    except Exception as error:
        raise NotExported(f"ONNX Runtime: {message(error)}")
