# Whether a single number in a file is a parameter: this follows from the
# exporter, which nodes and names show, and from its own name. If it is unknown,
# a warning names the number.
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %root

import os
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(sys.argv[1], "test/Inputs"))
from wire import put  # noqa: E402

FLOAT = 1


def message(*parts):
    return b"".join(put(*part) for part in parts)


def tensor(name, array):
    return message(*((1, n) for n in array.shape), (2, FLOAT), (8, name),
                   (9, array.astype("f4").tobytes()))


def info(name, dims):
    shape = b"".join(put(1, put(1, d)) for d in dims)
    return message((1, name), (2, put(1, put(1, FLOAT) + put(2, shape))))


def node(op, inputs, output, name, *attributes):
    return put(1, message(*((1, n) for n in inputs), (2, output), (3, name),
                          (4, op), *((5, a) for a in attributes)))


def write(producer, number="t", prefix="/", domains=()):
    """mean((x @ fc.weight) / number)."""
    results = [prefix + n + ("_output_0" if prefix == "/" else "")
               for n in ("MatMul", "Div")]
    graph = b"".join((
        node("MatMul", ["x", "fc.weight"], results[0], prefix + "MatMul"),
        node("Div", [results[0], number], results[1], prefix + "Div"),
        node("ReduceMean", [results[1]], "loss", prefix + "ReduceMean",
             message((1, "keepdims"), (3, 0), (20, 2))))) + message(
        (2, "main_graph"), (5, tensor("fc.weight", np.ones((4, 3)))),
        (5, tensor(number, np.array(1.7))), (11, info("x", [2, 4])),
        (12, info("loss", [])))
    with open("model.onnx", "wb") as file:
        file.write(message((1, 8), (2, producer), (7, graph),
                           *((8, put(1, d) + put(2, 1)) for d in domains),
                           (8, put(2, 17))))


def check(trained, said, *flags):
    """`said`: texts in the warning about the number; None: there is no
    warning."""
    done = subprocess.run(["pcc", "model.onnx", "--list-params", *flags],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)
    assert done.returncode == 0, done.stdout
    parameters = subprocess.run(
        ["pcc", "model.onnx", "--emit=nn", "-q", "-o", "-", *flags],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert (parameters.stdout.count("nn.param ") == 2) == trained, (
        parameters.stdout)
    warnings = parameters.stderr
    assert ("warning" in warnings) == (said is not None), warnings
    for text in said or ():
        assert text in warnings, warnings


TRAINED = "trained, though the file does not prove that they are parameters: "
KEPT = "warning: not trained, because they look like buffers: "
NUMBER = "(one number that is not named by a module)"


def main():
    # TorchScript writes no Constant node for this module.
    write("pytorch")
    check(True, [TRAINED + "'t'", "--freeze REGEX", "--train REGEX"])
    check(True, None, "--train", "^t$")
    # ONNX Runtime keeps the producer and the names of modules, and merges equal
    # constants under results of nodes or new names.
    ours = ["com.microsoft"]
    write("pytorch", domains=ours)
    check(True, [TRAINED + "'t'"])
    write("pytorch", "/Constant_output_0", domains=ours)
    check(False, [KEPT + "'/Constant_output_0' " + NUMBER, "--train REGEX"])
    check(True, None, "--train", "Constant")
    write("pytorch", "ortshared_1_0_1_0_token_2", domains=ours)
    check(False, [KEPT + "'ortshared_1_0_1_0_token_2' (one number without the "
                  "name of a parameter)"])
    # dynamo without its metadata: results are named after operators.
    write("pytorch", "mul_7", prefix="node_")
    check(False, [KEPT + "'mul_7' (one number without the name of a "
                  "parameter)"])
    # Another tool's file: only names with a dot count as parameters' names.
    write("other")
    check(False, [KEPT + "'t' (one number without the name of a parameter)"])
    check(False, None, "--freeze", "^t$")
    write("other", "head.weight")
    check(True, None)


main()
