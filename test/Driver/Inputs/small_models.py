"""small_models.py NAME FILE: writes a model by the protobuf wire format.

    classes    x [batch, 4] to the logits of 3 classes
    joined     x [batch, 4] to a loss of the products of all pairs of samples
    wide       ids [batch, 4] to the logits of 70,000 ids
    narrow     the same of 11 ids
    slashes    the same with the input "a/ids:0"
    targets    the same with a second input "targets", whose numbers are added
    labels     the same with the ids called "labels"
"""

import os
import sys

import numpy

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))), "Inputs"))
from wire import put

FLOAT, INT64 = 1, 7


def message(*fields):
    return b"".join(put(*field) for field in fields)


def value(name, kind, dims):
    shape = b"".join(put(1, put(1, d) if isinstance(d, int) else put(2, d))
                     for d in dims)
    return message((1, name), (2, put(1, put(1, kind) + put(2, shape))))


def tensor(name, array):
    kind = {"f": FLOAT, "i": INT64}[array.dtype.kind]
    return message(*((1, d) for d in array.shape), (2, kind), (8, name),
                   (9, array.tobytes()))


def node(op, inputs, output, *attributes):
    return message(*((1, n) for n in inputs), (2, output), (3, "/" + op),
                   (4, op), *((5, a) for a in attributes))


def ints(name, numbers):
    return message((1, name), *((8, n) for n in numbers), (20, 7))


def number(name, value):
    return message((1, name), (3, value), (20, 2))


def save(path, nodes, inputs, outputs, tensors):
    graph = message(*((1, n) for n in nodes), (2, "graph"),
                    *((5, tensor(n, a)) for n, a in tensors.items()),
                    *((11, value(*i)) for i in inputs),
                    *((12, value(*o)) for o in outputs))
    with open(path, "wb") as file:
        file.write(message((1, 8), (7, graph), (8, put(2, 17))))


def random(*shape):
    return numpy.random.default_rng(len(shape)).normal(
        size=shape).astype("f4")


def language_model(path, vocab, name="ids", more=()):
    nodes = [node("Gather", ["table", name], "x")]
    last = "x"
    for other in more:
        nodes += [node("Cast", [other], "c", number("to", FLOAT)),
                  node("Unsqueeze", ["c", "axes"], "u"),
                  node("Add", ["x", "u"], "y")]
        last = "y"
    nodes.append(node("MatMul", [last, "head"], "logits"))
    save(path, nodes,
         [(n, INT64, ["batch", 4]) for n in (name, *more)],
         [("logits", FLOAT, ["batch", 4, vocab])],
         {"table": random(vocab, 2), "head": random(2, vocab),
          "axes": numpy.array([-1], "i8")})


def main(name, path):
    features = [("x", FLOAT, ["batch", 4])]
    if name == "classes":
        save(path, [node("MatMul", ["x", "weight"], "logits")], features,
             [("logits", FLOAT, ["batch", 3])], {"weight": random(4, 3)})
    elif name == "joined":
        save(path,
             [node("MatMul", ["x", "weight"], "y"),
              node("Transpose", ["y"], "t", ints("perm", [1, 0])),
              node("MatMul", ["y", "t"], "all"), node("Exp", ["all"], "e"),
              node("ReduceMean", ["e"], "loss", number("keepdims", 0))],
             features, [("loss", FLOAT, [])],
             {"weight": 0.1 * random(4, 3)})
    elif name == "wide":
        language_model(path, 70000)
    elif name == "narrow":
        language_model(path, 11)
    elif name == "slashes":
        language_model(path, 11, "a/ids:0")
    elif name == "targets":
        language_model(path, 11, "ids", ["targets"])
    elif name == "labels":
        language_model(path, 11, "labels")


if __name__ == "__main__":
    main(*sys.argv[1:])
