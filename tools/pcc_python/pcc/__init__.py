"""Compiles transformers into training programs, and runs them, from Python.

    import pcc

    program = pcc.compile("model.onnx", tp=2, dp=2, global_batch_size=16)
    for step in program.train(data="tokens.bin", steps=1000, lr=6e-4):
        print(step.step, step.loss)

It starts the executables `pcc` and the programs that they compile, with the same
flags and files, so all that docs/Driver.md and docs/Runtime.md say holds here. It
needs no other package. docs/Python.md describes it.

    compiling.py     compile()
    programs.py      Program: train(), forward()
    runs.py          Run, the steps of a training program
    verification.py  verify()
    exporting.py     export(), which needs PyTorch
    flags.py         keyword arguments to flags, by the executable's --help
    executables.py   where the executables are
    processes.py     processes that end when Python does
    errors.py        Error, by the text of diagnostics
"""

from .compiling import compile
from .errors import DiagnosticWarning, Error
from .exporting import export
from .programs import Program
from .runs import Run, Step
from .verification import Difference, Quantity, Verification, verify

__all__ = ["DiagnosticWarning", "Difference", "Error", "Program", "Quantity",
           "Run", "Step", "Verification", "compile", "export", "verify"]
