"""Exports PyTorch modules to ONNX files with all facts that training needs.

    from pcc_export import export
    export(module, {"input_ids": ids}, "model.onnx", loss="causal-lm")

PyTorch's exporters drop facts that only training needs: frozen parameters,
detached values, padding rows of tables, buffers. This package exports with the
flags that keep most of them and writes the rest into the file's metadata. It
then compares the file with the module: outputs in ONNX Runtime, and gradients
of `pcc-run` with autograd's.

    driver.py          export(): attempts, checks, moves the file to its path
    subject.py         a module with its inputs: calls and resizes them
    recorder.py        records what a file cannot express: detach, no_grad, ...
    rewrites.py        functions that exporters reject or export wrongly
    facts.py           parameters, ties, buffers, padding rows
    context.py         the longest sequence that the tables allow
    exporters.py       PyTorch's exporters, in the order of the attempts
    graph.py           edits the file: names, marks, dropout
    matching.py        matches initializers to parameters
    metadata.py        the metadata that pcc reads
    forward_check.py   outputs against ONNX Runtime
    runtime.py         ONNX Runtime in a separate process (runtime_worker.py)
    work_folder.py     temporary files, removed after a crash (folder_guard.py)
    gradient_check.py  gradients against pcc
    huggingface.py     models of transformers by task
    companions.py      the other files of a model directory
    source.py          what is recorded of an exported model directory
    cli.py             tools/pcc-export
"""

from .driver import export
from .messages import Refused

__all__ = ["export", "Refused"]
