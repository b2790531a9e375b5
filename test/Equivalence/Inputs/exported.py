"""exported.py ROOT FOLDER MODEL...: trains each export of examples/models with
--export-onnx, and interprets the written model. It must have the loss that the
source's program has with the checkpoint's weights, and read the checkpoint
itself, with the same names and shapes. MODEL+external is the export with its
weights moved to a separate file."""

import json
import os
import subprocess
import sys

root, work = sys.argv[1:3]
sys.path.insert(0, os.path.join(root, "test/Backend"))
from onnx_wire import fields, get, put

FLAGS = ["--seq", "32", "--micro-batch-size", "2", "--global-batch-size", "4",
         "-q"]
DATA = ["--data", os.path.join(root, "examples/data/gpl-3.bin")]
STEPS = 2


def call(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")


def first_loss(*program):
    log = work + "/log.jsonl"
    if os.path.exists(log):
        os.remove(log)
    call(*program, *DATA, "--steps", "1", "--log-json", log)
    with open(log) as file:
        return json.loads(file.readline())["loss"]


def put_any(number, kind, value):
    return (put(number, value) if kind in (0, 2)
            else bytes([number << 3 | kind]) + value)


def externalize(path, to):
    """Moves all initializers' bytes into a separate file."""
    name = os.path.basename(to) + ".weights"
    data = bytearray()

    def moved(tensor):
        raw = get(tensor, 9)
        if raw is None:
            return tensor
        entries = {"location": name, "offset": str(len(data)),
                   "length": str(len(raw))}
        data.extend(raw)
        rest = b"".join(put_any(*f) for f in fields(tensor) if f[0] != 9)
        return rest + b"".join(put(13, put(1, k) + put(2, v))
                               for k, v in entries.items()) + put(14, 1)

    def graph(message):
        return b"".join(put_any(n, k, moved(v) if n == 5 else v)
                        for n, k, v in fields(message))

    with open(path, "rb") as file:
        model = file.read()
    with open(to, "wb") as file:
        file.write(b"".join(put_any(n, k, graph(v) if n == 7 else v)
                            for n, k, v in fields(model)))
    with open(f"{os.path.dirname(to)}/{name}", "wb") as file:
        file.write(data)


for name in sys.argv[3:]:
    model, external, _ = name.partition("+external")
    source = f"{root}/examples/models/{model}.onnx"
    if external:
        externalize(source, f"{work}/{model}.onnx")
        source = f"{work}/{model}.onnx"
    saved, target = f"{work}/{name}.saved", f"{work}/{name}.out/trained.onnx"
    program = work + "/program"
    call("pcc", source, *FLAGS, "--pp", "2", "-o", program)
    fresh = first_loss(program)
    call(program, *DATA, "--steps", str(STEPS), "--lr", "1e-2", "--save", saved,
         "--export-onnx", target)
    checkpoint = f"{saved}/step-{STEPS:08}/model.safetensors"
    trained = first_loss(program, "--init", checkpoint)
    call("pcc", target, *FLAGS, "--emit=pipeline", "-o", work + "/again.mlir")
    again = first_loss("pcc-run", work + "/again.mlir")
    loaded = first_loss("pcc-run", work + "/again.mlir", "--init", checkpoint)
    assert trained < fresh - 0.1, (name, fresh, trained)
    for loss in (again, loaded):
        assert abs(loss - trained) <= 1e-6 * trained, (name, trained, loss)
    print(f"{name}: {trained:.6f}")
