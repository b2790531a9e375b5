"""Exports PyTorch modules to ONNX files with all facts that training needs.

    from pcc_export import export
    export(module, {"input_ids": ids}, "model.onnx", loss="causal-lm")

PyTorch's exporters drop facts that only training needs: which parameters are
frozen, which values are detached, which tables have a padding row, which
tensors are buffers. This package exports with the flags that keep most of
them, and writes the rest into the file's metadata. Before it succeeds, it
compares the file with the module: its outputs in ONNX Runtime, its gradients
in `pcc-run` with autograd's.

    driver.py          export(): attempt, check, move into place
    subject.py         a module with its inputs: how it is called and resized
    recorder.py        operations that ONNX cannot express: detach, no_grad, ...
    rewrites.py        functions that exporters refuse or write wrongly
    facts.py           parameters, ties, buffers, padding rows
    context.py         the longest sequence that the tables support
    exporters.py       PyTorch's exporters, in the order in which they are tried
    graph.py           edits the file: names, marks, dropout
    matching.py        which initializer contains which parameter
    metadata.py        the metadata for pcc
    forward_check.py   outputs against ONNX Runtime
    runtime.py         ONNX Runtime in a process of its own (runtime_worker.py)
    work_folder.py     a folder that is always removed (folder_guard.py)
    gradient_check.py  gradients against pcc
    huggingface.py     models of transformers by task
    cli.py             tools/pcc-export
"""

from .driver import export
from .messages import Refused

__all__ = ["export", "Refused"]
