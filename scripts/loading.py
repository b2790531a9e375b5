"""Loads scripts as modules, for other scripts and for tests."""

import importlib.machinery
import importlib.util
import os
import sys


def script(name):
    """Returns a script of this folder as a module. Loading executes its
    top-level code, except under a test of __name__."""
    sys.dont_write_bytecode = True
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
