"""For scripts that use parts of another, and for tests of them."""

import importlib.machinery
import importlib.util
import os
import sys


def script(name):
    """A script of this folder as a module; what it does as a program it does
    when it is loaded, unless it asks for its __name__."""
    sys.dont_write_bytecode = True
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
