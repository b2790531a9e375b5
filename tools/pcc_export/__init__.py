"""Writes PyTorch modules as ONNX files that leave a compiler nothing to guess.

    from pcc_export import export
    export(module, {"input_ids": ids}, "model.onnx", loss="causal-lm")

An exporter of PyTorch drops what only training needs: which parameters are
frozen, what is detached, which tables have a padding row, what is a buffer.
This package exports with the flags that keep most, writes the rest into the
file's metadata and compares the file with the module before it says done: its
outputs in ONNX Runtime, its gradients in `pcc-run` with autograd's.

    driver.py          export(): attempt, check, move into place
    subject.py         a module with its inputs: how it is called and resized
    recorder.py        what forward does that no file says: detach, no_grad, ...
    rewrites.py        functions that exporters refuse or write wrongly
    facts.py           parameters, ties, buffers, padding rows
    context.py         the longest sequence that the tables serve
    exporters.py       PyTorch's exporters, in the order in which they are tried
    graph.py           edits the file: names, marks, dropout
    matching.py        which initializer holds which parameter
    metadata.py        what pcc reads
    forward_check.py   outputs against ONNX Runtime
    runtime.py         ONNX Runtime in a process of its own (runtime_worker.py)
    work_folder.py     a folder that nothing outlives (folder_guard.py)
    gradient_check.py  gradients against pcc
    huggingface.py     models of transformers by task
    cli.py             tools/pcc-export
"""

from .driver import export
from .messages import Refused

__all__ = ["export", "Refused"]
