"""ONNX Runtime in a separate process, so a crash does not end the export."""

import importlib.util
import os
import signal
import subprocess
import sys

import numpy as np

from . import runtime_worker

if importlib.util.find_spec("onnxruntime") is None:
    raise ImportError("pcc_export compares files in ONNX Runtime: "
                      "pip install onnxruntime")


class Failed(Exception):
    """ONNX Runtime reports an error. kind: the name of its exception."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Died(Exception):
    """The process ended; the text tells how."""


def end_of(code):
    """How a process ended, by its return code: "with SIGSEGV"."""
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"with {signal.Signals(-code).name}"
    except ValueError:
        return f"with signal {-code}"


class Session:
    """A file in ONNX Runtime, until close(). inputs: the inputs' names."""

    def __init__(self, path):
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(
            p for p in sys.path if p))
        self.process = subprocess.Popen(
            [sys.executable, runtime_worker.__file__, path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env=environment)
        try:
            self.inputs = {str(n) for n in self.answer()["inputs"]}
        except BaseException:
            self.close()
            raise

    def run(self, inputs):
        """Runs the file on arrays by name; returns the first output."""
        arrays = {f"input{i}": a for i, a in enumerate(inputs.values())}
        try:
            runtime_worker.send(self.process.stdin,
                                names=np.array(list(inputs), "U"), **arrays)
        except BrokenPipeError:
            pass  # The answer is missing, too.
        return self.answer()["output"]

    def answer(self):
        answer = runtime_worker.receive(self.process.stdout)
        if answer is None:
            raise Died(f"it ended {end_of(self.process.wait())}")
        if "error" in answer:
            raise Failed(str(answer["kind"]), str(answer["error"]))
        return answer

    def close(self):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
