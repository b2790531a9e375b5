"""The setup that lit does, for tests that are also commands."""

import atexit
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def prepare(*preloads):
    """Without lit: enters a new folder with the toy's data and with libraries
    built from these sources of this file's folder, and finds the toy programs
    of build/ (ninja -C build check-pcc builds them)."""
    if shutil.which("toy-files"):
        return
    programs = f"{ROOT}/build/test/Runtime/bin"
    os.environ["PATH"] = programs + os.pathsep + os.environ["PATH"]
    folder = tempfile.mkdtemp(prefix="pcc-test-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chdir(folder)
    subprocess.run(["toy-files", "."], check=True)
    for name in preloads:
        subprocess.run(["clang-22", "-shared", "-fPIC", "-O1", f"{HERE}/{name}.c",
                        "-o", f"{name}.so", "-ldl"], check=True)
