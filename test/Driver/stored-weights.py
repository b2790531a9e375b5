# Weights train from every encoding of a file, and are exported as plain bytes:
# typed fields, packed or not, sparse tensors, Constant nodes.
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s %root

import glob
import json
import os
import struct
import subprocess
import sys

import numpy as np

sys.path.append(os.path.join(sys.argv[1], "test/Inputs"))
from wire import get, get_all, put  # noqa: E402

FLOAT, INT64, F16, F64, BF16 = 1, 7, 10, 11, 16
X = np.array([[1, 0.5, -1, 2], [0.25, -2, 1, 1]], "f4")
# Exact in bf16; half of the elements of the matrix are zeros.
WEIGHTS = {
    "fc.weight": np.array([[0.5, 0, 1], [0, -0.25, 0], [1.5, 0, -1],
                           [0, 0.75, 0]], "f4"),
    "fc.bias": np.array([0.125, -0.5, 0.75], "f4"),
    "fc.scale": np.array([1.5], "f4"),
}


def message(*parts):
    return b"".join(put(*part) for part in parts)


def varints(numbers):
    return b"".join(put(1, int(n))[1:] for n in numbers)


def fixed(number, values, code):
    """A field for each value, not packed."""
    kind = {"f": 5, "d": 1}[code]
    return b"".join(bytes([number << 3 | kind]) + struct.pack("<" + code, v)
                    for v in values)


def bits_of(array, kind):
    if kind == F16:
        return array.astype("f2").view("u2")
    return (array.view("u4") >> 16).astype("u2")


def tensor(name, array, kind, data):
    """A TensorProto; `data`: the fields of its elements."""
    return message(*((1, n) for n in array.shape), (2, kind), (8, name)) + data


def raw(array):
    return put(9, array.tobytes())


def sparse(name, array, has_tuples):
    """A SparseTensorProto with linear or with multidimensional indices."""
    places = np.flatnonzero(array).astype("i8")
    indices = (np.stack(np.unravel_index(places, array.shape), 1)
               if has_tuples else places)
    values = array.ravel()[places]
    return message(
        (1, tensor(name, values, FLOAT, raw(values))),
        (2, tensor("", indices, INT64, raw(indices.astype("i8")))),
        *((3, n) for n in array.shape))


def constant(name, attribute, kind, *value):
    """A Constant node."""
    return message((2, name), (4, "Constant"),
                   (5, message((1, attribute), *value, (20, kind))))


def stored(form, name, array):
    """(fields of the graph, fields before the other nodes)."""
    flat = array.ravel()
    as_initializer = lambda kind, data: put(5, tensor(name, array, kind, data))
    halves = lambda kind, data: (
        put(5, tensor(name + ".low", array, kind, data(bits_of(flat, kind)))),
        put(1, message((1, name + ".low"), (2, name), (4, "Cast"),
                       (5, message((1, "to"), (3, FLOAT), (20, 2))))))
    wide = lambda data: (
        put(5, tensor(name + ".low", array, F64, data(flat.astype("f8")))),
        halves(F16, lambda _: b"")[1])
    packed_ints = lambda bits: put(5, varints(bits))
    single_ints = lambda bits: b"".join(put(5, int(b)) for b in bits)
    return {
        "raw": lambda: (as_initializer(FLOAT, raw(flat)), b""),
        "packed floats": lambda: (
            as_initializer(FLOAT, put(4, flat.tobytes())), b""),
        "single floats": lambda: (
            as_initializer(FLOAT, fixed(4, flat, "f")), b""),
        "floats in two fields": lambda: (
            as_initializer(FLOAT, b"".join(
                put(4, part.tobytes()) for part in (flat[:1], flat[1:])
                if part.size)), b""),
        "f16": lambda: halves(F16, packed_ints),
        "single f16": lambda: halves(F16, single_ints),
        "bf16": lambda: halves(BF16, packed_ints),
        "doubles": lambda: wide(lambda values: put(10, values.tobytes())),
        "single doubles": lambda: wide(lambda values: fixed(10, values, "d")),
        "raw doubles": lambda: wide(raw),
        "sparse": lambda: (put(15, sparse(name, array, False)), b""),
        "sparse by index": lambda: (put(15, sparse(name, array, True)), b""),
        "constant": lambda: (
            b"", put(1, constant(name, "value", 4,
                                 (5, tensor("", array, FLOAT, raw(flat)))))),
        "constant of typed floats": lambda: (
            b"", put(1, constant(name, "value", 4,
                                 (5, tensor("", array, FLOAT,
                                            fixed(4, flat, "f")))))),
        "sparse constant": lambda: (
            b"", put(1, constant(name, "sparse_value", 11,
                                 (22, sparse("", array, False))))),
        "list": lambda: (
            b"", put(1, message((2, name), (4, "Constant"), (5, message(
                (1, "value_floats"), (20, 6)) + fixed(7, flat, "f"))))),
    }[form]()


def node(op, inputs, output, *attributes):
    return put(1, message(*((1, n) for n in inputs), (2, output),
                          (3, "/" + output), (4, op),
                          *((5, a) for a in attributes)))


def write(path, forms):
    """mean(((x @ weight + bias) * scale) ** 2), with weights in these
    encodings."""
    held = before = b""
    for name, array in WEIGHTS.items():
        tensors, nodes = stored(forms[name], name, array)
        held += tensors
        before += nodes
    shape = lambda dims: put(2, b"".join(put(1, put(1, d)) for d in dims))
    info = lambda name, dims: message(
        (1, name), (2, put(1, put(1, FLOAT) + shape(dims))))
    graph = before + b"".join((
        node("MatMul", ["x", "fc.weight"], "product"),
        node("Add", ["product", "fc.bias"], "sum"),
        node("Mul", ["sum", "fc.scale"], "scaled"),
        node("Mul", ["scaled", "scaled"], "squares"),
        node("ReduceMean", ["squares"], "loss",
             message((1, "keepdims"), (3, 0), (20, 2))),
    )) + put(2, "graph") + held + put(11, info("x", X.shape)) + put(
        12, info("loss", []))
    with open(path, "wb") as file:
        file.write(message((1, 8), (7, graph), (8, put(2, 17))))


def run(*command, cwd="."):
    done = subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}"


def train(folder, model, *options):
    """Two steps; the losses."""
    run("pcc", model, "--optimizer", "sgd", "--global-batch-size", "2",
        "--micro-batch-size", "2", "-q", "-o", "train", cwd=folder)
    run("./train", "--data", "../data", "--steps", "2", "--lr", "0.05",
        "--lr-schedule", "constant", "--weight-decay", "0", "--clip-grad", "0",
        "--log-json", "log", *options, cwd=folder)
    with open(os.path.join(folder, "log")) as file:
        rows = [json.loads(line) for line in file]
    return [row["loss"] for row in rows if "loss" in row]


def checkpoint(folder):
    (path,) = glob.glob(os.path.join(folder, "saved/step-*/model.safetensors"))
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(size)), file.read()
    header.pop("__metadata__", None)
    return {n: data[slice(*e["data_offsets"])] for n, e in header.items()}


def values(data, count):
    """Elements of f16, bf16, f32 or f64 by their width; bf16 as its bits."""
    return np.frombuffer(data, {2: "u2", 4: "f4", 8: "f8"}[len(data) // count])


def loss_of(weights):
    y = (X @ weights["fc.weight"] + weights["fc.bias"]) * weights["fc.scale"]
    return np.mean(y * y)


def check(forms, expected=None):
    folder = "-".join(sorted(set(forms.values()))).replace(" ", "_")
    os.mkdir(folder)
    write(os.path.join(folder, "model.onnx"), forms)
    losses = train(folder, "model.onnx", "--save", "saved", "--export-onnx",
                   "trained.onnx")
    assert expected is None or np.allclose(losses, expected, rtol=1e-6), (
        f"{forms}: {losses}, expected {expected}")
    saved = checkpoint(folder)
    assert len(saved) == len(WEIGHTS), f"{forms}: {saved.keys()}"
    with open(os.path.join(folder, "trained.onnx"), "rb") as file:
        graph = get(file.read(), 7)
    # Floats and doubles in a single field have plain bytes already.
    held = {get(t, 8).decode(): get(t, 9, get(t, 4, get(t, 10)))
            for t in get_all(graph, 5)}
    # So do raw bytes of a Constant.
    held.update((get(n, 2).decode(), get(get(get(n, 5), 5), 9))
                for n in get_all(graph, 1) if get(n, 4) == b"Constant")
    assert held == saved, f"{forms}: the file has other elements"
    assert not get_all(graph, 15)
    # Only weights that stayed f32 are compared further.
    weights = {n: values(d, WEIGHTS[n.replace(".low", "")].size)
               for n, d in saved.items()}
    if all(w.dtype == "f4" for w in weights.values()):
        after = {n: w.reshape(WEIGHTS[n].shape) for n, w in weights.items()}
        again = train(folder, "trained.onnx")
        assert np.allclose(again[0], loss_of(after), rtol=1e-5), (
            f"{forms}: {again}, expected {loss_of(after)}")
    return losses


def check_places():
    """A program finds its model wherever it is started, as long as it and the
    model have not moved relative to each other, or the model has not moved."""
    os.makedirs("there/model")
    os.makedirs("elsewhere")
    write("there/model/model.onnx", dict.fromkeys(WEIGHTS, "raw"))
    os.symlink("there", "link")
    run("pcc", "link/model/model.onnx", "--optimizer", "sgd", "-q",
        "--global-batch-size", "2", "--micro-batch-size", "2", "-o",
        "link/train")
    data = ["--data", os.path.abspath("data"), "--steps", "1"]
    start = lambda path: run(os.path.abspath(path), *data, cwd="elsewhere")
    start("there/train")
    start("link/train")
    # Another file of that name in the current folder is not the model.
    os.makedirs("elsewhere/link/model")
    with open("elsewhere/link/model/model.onnx", "w"):
        pass
    start("there/train")
    # Both, then the program alone.
    os.rename("there", "moved")
    start("moved/train")
    os.rename("moved", "there")
    os.rename("there/train", "elsewhere/train")
    os.remove("elsewhere/link/model/model.onnx")
    start("elsewhere/train")
    os.rename("there", "moved")
    done = subprocess.run(["./train", *data], cwd="elsewhere", text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    here = os.getcwd()
    assert done.returncode == 4 and (
        "error: cannot find model file 'link/model/model.onnx', looked for "
        f"'{here}/elsewhere/model/model.onnx', ") in done.stdout, done.stdout
    assert f"'{here}/link/model/model.onnx'" in done.stdout, done.stdout


def main():
    os.makedirs("data")
    np.save("data/x.npy", X)
    alike = lambda form: dict.fromkeys(WEIGHTS, form)
    losses = check(alike("raw"))
    assert np.isclose(losses[0], loss_of(WEIGHTS), rtol=1e-6)
    for form in ("packed floats", "single floats", "floats in two fields",
                 "f16", "single f16", "bf16", "doubles", "single doubles",
                 "raw doubles", "sparse", "sparse by index", "constant",
                 "constant of typed floats", "sparse constant"):
        check(alike(form), losses)
    check({"fc.weight": "sparse", "fc.bias": "list", "fc.scale": "raw"},
          losses)
    check_places()


main()
