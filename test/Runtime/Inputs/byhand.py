"""For tests that are also commands: the setup that lit would do."""

import atexit
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def prepare(*preloads):
    """Where no lit did: enters a new folder with the toy's data and libraries
    of these sources beside this file, and finds the toy programs of build/
    (ninja -C build check-pcc builds them)."""
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
