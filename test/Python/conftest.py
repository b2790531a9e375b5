"""What the tests of the package share: compiled programs, and processes."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import time
import uuid

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
PACKAGE = os.path.join(ROOT, "tools", "pcc_python")
sys.path.insert(0, PACKAGE)
# For Python in other folders. pytest.test sets PCC to the build that is tested.
os.environ["PYTHONPATH"] = PACKAGE
import pcc  # noqa: E402

MODEL = os.path.join(ROOT, "examples/gpt2/gpt2.onnx")
DATA = os.path.join(ROOT, "examples/data/gpl-3.bin")
ENDLESS = 1_000_000


# These need PyTorch and minutes.
BY_HAND = re.compile(r"pcc\.(verify|export)\(")


@pytest.fixture(scope="session")
def document(tmp_path_factory):
    """The variables of the examples in docs/Python.md, run in order in a folder
    with their files; "shown" is what they print."""
    folder = tmp_path_factory.mktemp("document")
    for source, name in ((MODEL, "model.onnx"), (DATA, "text.bin"),
                         (MODEL.replace(".onnx", ".weights"), "gpt2.weights")):
        shutil.copy(source, folder / name)
    with open(os.path.join(ROOT, "docs", "Python.md")) as file:
        examples = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
    variables = {"number": 0}
    before = os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            for example in examples:
                if BY_HAND.search(example):
                    continue
                # Fewer steps.
                exec(re.sub(r"((?:steps|every)=)\d+", r"\g<1>4", example), variables)
                variables["number"] += 1
    finally:
        os.chdir(before)
    program = variables["program"]
    program.path = str(folder / program.path)
    variables["shown"] = shown.getvalue()
    return variables


@pytest.fixture
def program(document):
    """A program of two ranks."""
    return document["program"]


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    """Each test has a folder of its own."""
    monkeypatch.chdir(tmp_path)


class Marked:
    """Processes with a mark in their environment."""

    def __init__(self):
        self.env = {"PCC_TEST_MARK": uuid.uuid4().hex}
        self._mark = f"PCC_TEST_MARK={self.env['PCC_TEST_MARK']}".encode()

    def processes(self):
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/environ", "rb") as file:
                    if self._mark in file.read().split(b"\0"):
                        found.append(int(name))
            except OSError:
                continue
        return found

    def wait_until_gone(self, seconds=20):
        until(lambda: not self.processes(), seconds)

    def python(self, code, *arguments):
        """Starts Python with this code; its ranks have the mark, too."""
        return subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)], text=True,
            start_new_session=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, **self.env})


@pytest.fixture
def marked():
    marked = Marked()
    yield marked
    # Also after a failure.
    for process in marked.processes():
        try:
            os.kill(process, 9)
        except ProcessLookupError:
            pass


def until(holds, seconds=20):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


def step_of(checkpoint):
    """The step of a checkpoint's folder."""
    return int(os.path.basename(checkpoint).split("-")[1])
