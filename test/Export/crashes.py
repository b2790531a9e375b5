"""A killed process of pcc-export leaves no folder, and its death is reported.
Needs no PyTorch, and uses a fake ONNX Runtime.

Usage: crashes.py SOURCE FOLDER
"""

import os
import signal
import subprocess
import sys
import types

import numpy as np

root, folder = sys.argv[1:]
# The package without its __init__.py, which needs PyTorch.
package = types.ModuleType("pcc_export")
package.__path__ = [os.path.join(root, "tools", "pcc_export")]
sys.modules["pcc_export"] = package

FAKE = """
import os, signal
import numpy as np

class SessionOptions:
    pass

class NotImplemented(Exception):
    pass

class InferenceSession:
    def __init__(self, path, options, providers):
        print("what a library prints")
        if "refused" in path:
            raise NotImplemented("no such operator\\nin detail")
        if "crash" in path:
            os.kill(os.getpid(), signal.SIGSEGV)

    def get_inputs(self):
        class Input:
            name = "a/b"
        return [Input()]

    def run(self, names, inputs):
        value = inputs["a/b"]
        if value.sum() == 0:
            raise ValueError("nothing to add")
        if value.sum() < 0:
            os.kill(os.getpid(), signal.SIGABRT)
        return [value * 2]
"""


def raises(kind, text, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert str(error) == text, str(error)
    else:
        raise AssertionError(f"{kind.__name__} expected: {text}")


def check_runtime():
    from pcc_export import runtime
    raises(runtime.Died, "it ended with SIGSEGV", runtime.Session, "crash")
    raises(runtime.Failed, "NotImplemented: no such operator",
           runtime.Session, "refused")
    with runtime.Session("good") as session:
        assert session.inputs == {"a/b"}
        for value in (np.ones((2, 3), np.float32), np.arange(4)):
            output = session.run({"a/b": value})
            assert output.dtype == value.dtype
            assert (output == 2 * value).all()
        raises(runtime.Failed, "ValueError: nothing to add", session.run,
               {"a/b": np.zeros(1)})
        raises(runtime.Died, "it ended with SIGABRT", session.run,
               {"a/b": -np.ones(1)})
        raises(runtime.Died, "it ended with SIGABRT", session.run,
               {"a/b": np.ones(1)})


def check_folder():
    from pcc_export.work_folder import WorkFolder
    parent = os.path.join(folder, "work")
    os.makedirs(parent)
    with WorkFolder(parent) as work:
        work.doing("it worked")
        assert os.listdir(parent) == [os.path.basename(work.path)]
        open(os.path.join(work.path, "file"), "w").close()
    assert os.listdir(parent) == []
    for end in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
        # The process that deletes the folder holds the pipe until it is done.
        child = subprocess.run([sys.executable, __file__, root, folder],
                               env=dict(os.environ, DIE=str(int(end))),
                               stderr=subprocess.PIPE, text=True, timeout=60)
        assert child.returncode == -end, child.returncode
        assert child.stderr == (
            "pcc-export: error: the process ended while a module was written\n"
            "pcc-export: note: no file was written\n"), child.stderr
        assert os.listdir(parent) == [], os.listdir(parent)


def check_targets():
    """A device or folder is not replaced by the file."""
    from pcc_export.work_folder import target_error
    pipe = os.path.join(folder, "pipe")
    os.mkfifo(pipe)
    for path, error in (
            (os.path.join(folder, "new", "model.onnx"), ""),
            (__file__, ""), ("", "'' is not the name of a file"),
            (folder + "/", f"'{folder}/' is not the name of a file"),
            (folder, f"'{folder}' is a folder, not a file to write"),
            (pipe, f"'{pipe}' is not a regular file"),
            ("/dev/null", "'/dev/null' is not a regular file"),
            (__file__ + "/new/a.onnx", f"'{__file__}' is not a folder")):
        assert target_error(path) == error, (path, target_error(path))


def check_json():
    from pcc_export.companions import read_json
    path = os.path.join(folder, "config.json")
    for text in "[" * 100_000, "[]", "{", '{"a": ' + "9" * 5000 + "}":
        with open(path, "w") as file:
            file.write(text)
        assert read_json(path) == {}
    assert read_json(folder) == {}


def die():
    from pcc_export.work_folder import WorkFolder
    with WorkFolder(os.path.join(folder, "work")) as work:
        work.doing("a module was written")
        open(os.path.join(work.path, "file"), "w").close()
        os.kill(os.getpid(), int(os.environ["DIE"]))


if "DIE" in os.environ:
    die()
os.makedirs(folder)
with open(os.path.join(folder, "onnxruntime.py"), "w") as file:
    file.write(FAKE)
sys.path.insert(0, folder)
check_runtime()
check_folder()
check_targets()
check_json()
