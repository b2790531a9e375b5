"""runtime_worker.py MODEL: runs a file in ONNX Runtime, for runtime.py.

A file may crash ONNX Runtime, which then ends only this process. Messages are
.npz archives, each preceded by its length in 8 bytes. The first message tells
whether the session was created; each message of inputs is then answered by one.
"""

import io
import os
import re
import struct
import sys

import numpy as np


def receive(stream):
    """The arrays of a message by name; None at the end."""
    length = stream.read(8)
    if len(length) < 8:
        return None
    data = stream.read(struct.unpack("<q", length)[0])
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays)


def send(stream, **arrays):
    data = io.BytesIO()
    np.savez(data, **arrays)
    stream.write(struct.pack("<q", len(data.getvalue())) + data.getvalue())
    stream.flush()


def send_error(stream, error):
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip()
    line = text.splitlines()[0][:300] if text else ""
    send(stream, kind=type(error).__name__, error=line)


def main(path):
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Keeps libraries from printing into the answers.
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        send_error(answers, error)
        return
    send(answers, inputs=np.array([i.name for i in session.get_inputs()], "U"))
    while (request := receive(requests)) is not None:
        names = request.pop("names")
        inputs = {str(n): request[f"input{i}"] for i, n in enumerate(names)}
        try:
            output = session.run(None, inputs)[0]
        except Exception as error:
            send_error(answers, error)
        else:
            send(answers, output=output)


if __name__ == "__main__":
    main(sys.argv[1])
