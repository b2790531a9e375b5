"""export(): from a PyTorch module to an ONNX file."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from . import executables
from .errors import Error

HERE = os.path.dirname(os.path.abspath(__file__))


def export(module: Any, inputs: Any, path: str | os.PathLike[str],
           **options: Any) -> str:
    """Writes a PyTorch module to an ONNX file that pcc trains as PyTorch does, and
    returns its path.

    It is pcc_export.export, with the arguments that docs/Export.md describes, and
    needs PyTorch. A module that no file can express raises pcc.Error."""
    exporter = _exporter()
    if options.get("check_gradients", True):
        options.setdefault("pcc", _compiler())
    try:
        exporter.export(module, inputs, os.fspath(path), **options)
    except exporter.Refused as error:
        raise Error(error.message, error.notes) from error
    return os.fspath(path)


def _exporter() -> Any:
    """The package pcc_export, which is installed next to this one."""
    folders = [os.path.join(HERE, ".."), os.path.join(HERE, "../..")]
    try:
        folders.append(os.path.join(os.path.dirname(executables.find()),
                                    "../lib/pcc/python"))
    except Error:
        pass
    for folder in map(os.path.normpath, folders):
        if (os.path.isdir(os.path.join(folder, "pcc_export"))
                and folder not in sys.path):
            sys.path.append(folder)
    try:
        return importlib.import_module("pcc_export")
    except ImportError as error:
        raise Error(f"pcc.export() cannot import its packages: {error}",
                    ["pip install 'FILE[export]', with the FILE of pcc's wheel, "
                     "installs them; in a source tree benchmarks/setup creates a "
                     "venv with them"]) from error


def _compiler() -> str | None:
    """The compiler, if it has the interpreter with which gradients are compared."""
    try:
        pcc = executables.find()
    except Error:
        return None
    run = os.path.join(os.path.dirname(pcc), "pcc-run")
    return pcc if executables.is_executable(run) else None
