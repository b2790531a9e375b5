"""Finds the executables that belong to this package."""

from __future__ import annotations

import os
import shutil
from typing import Iterator

from .errors import Error

HERE = os.path.dirname(os.path.abspath(__file__))
# From the package's folder: lib/pcc/python/pcc of `cmake --install`, and
# tools/pcc_python/pcc of a source tree.
BESIDE = ("../../../../bin", "../../../build/bin")
#: The package on PyPI's terms: `pcc` is another project's.
DISTRIBUTION = "pcc-train"


def is_executable(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def scripts_of_wheel() -> Iterator[str]:
    """The folder that pip installed the executables into, if it installed this
    package."""
    # It takes as long as the rest of this package.
    import importlib.metadata

    try:
        wheel = importlib.metadata.distribution(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return
    own = os.path.realpath(str(wheel.locate_file("pcc/__init__.py")))
    if own != os.path.realpath(os.path.join(HERE, "__init__.py")):
        return
    for file in wheel.files or ():
        if file.name == "pcc" and file.parent.name != "lib":
            yield os.path.dirname(os.path.abspath(str(wheel.locate_file(file))))


def find(name: str = "pcc") -> str:
    """The path of an executable: `$PCC` or, for another tool, next to it; that
    of the package's own installation or source tree; or that on PATH."""
    given = os.environ.get("PCC")
    if given:
        path = given if name == "pcc" else os.path.join(
            os.path.dirname(given), name)
        if is_executable(path):
            return os.path.abspath(path)
        raise Error(f"$PCC is '{given}', and '{path}' is not an executable",
                    ["unset PCC, or have it name the compiler"])
    folders = [*scripts_of_wheel(),
               *(os.path.normpath(os.path.join(HERE, up)) for up in BESIDE)]
    for folder in folders:
        path = os.path.join(folder, name)
        if is_executable(path):
            return path
    path_of = shutil.which(name)
    if path_of:
        return os.path.abspath(path_of)
    raise Error(
        f"there is no executable '{name}' in {', '.join(folders)} or on PATH",
        [f"pip install FILE, with the FILE of the wheel {DISTRIBUTION}, installs "
         "it; in a source tree scripts/build builds it",
         "the environment variable PCC may name the compiler"])
