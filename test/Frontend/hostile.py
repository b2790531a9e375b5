# Hostile files: each is refused with one error, or imported, within bounded
# memory and time.
# RUN: %python %s %root %t

import os
import re
import resource
import shutil
import subprocess
import sys

root, work = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "test/Inputs"))
from onnx_files import (FLOAT, INT64, external, ints, message, model, node,
                        tensor)
from wire import put

MEMORY = 700 << 20  # the compiler itself takes about 200 MiB


def sparse(name, size, start=b""):
    with open(os.path.join(work, name), "wb") as file:
        file.write(start)
        file.truncate(size)


def check(name, data, expected, *flags):
    """`expected`: a text in the only error; None: there is no error."""
    path = os.path.join(work, name + ".onnx")
    with open(path, "wb") as file:
        file.write(data)
    process = subprocess.Popen(
        ["pcc", path, "--emit=import", "-o", path + ".mlir", *flags],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code == (1 if expected else 0), f"{name}: exit {code}\n{text}"
    assert usage.ru_maxrss << 10 < MEMORY, f"{name}: {usage.ru_maxrss} KiB"
    errors = re.findall("^[^ ]*: error:", text, re.MULTILINE)
    assert len(errors) == bool(expected), f"{name}:\n{text}"
    assert all(c >= " " or c == "\n" for c in text), f"{name}:\n{text}"
    assert not expected or expected in text, f"{name}:\n{text}"


shutil.rmtree(work, ignore_errors=True)
os.makedirs(work)
relu = node("Relu", ["x"], ["y"])

check("good", model([relu]), None)
check("cycle", model([node("Add", ["x", "b"], ["a"]),
                      node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])]),
      "the graph has a cycle")
check("self", model([node("Add", ["x", "y"], ["y"])]),
      "the graph has a cycle")
check("twice", model([node("Relu", ["x"], ["y"]), node("Exp", ["x"], ["y"])]),
      "Exp 'y' defines 'y', which is already defined by Relu 'y'")
check("over-input", model([node("Relu", ["x"], ["x"])], outputs=["x"]),
      "Relu 'x' defines 'x', which is already defined by an input")
floats = tensor("w", FLOAT, [1], (9, bytes(4)))
check("over-tensor", model([node("Add", ["x", "w"], ["w"])], outputs=["w"],
                           initializers=[floats]),
      "Add 'w' defines 'w', which is already defined by a tensor of the file")
check("two-tensors", model([node("Add", ["x", "w"], ["y"])],
                           initializers=[floats, floats]),
      "a tensor of the file defines 'w', which is already defined by "
      "a tensor of the file")
STRING = 8
strings = tensor("names", STRING, [2], (6, "a"), (6, "b"))
check("strings", model([relu], initializers=[strings]), None)
check("read-strings", model([node("Add", ["x", "names"], ["y"])],
                            initializers=[strings]),
      "tensor 'names' has an unsupported element type")
nested = message((1, node("Relu", ["x"], ["y"])))
for _ in range(10000):
    nested = message((1, node("If", ["x"], ["y"],
                              message((1, "then_branch"), (6, nested)))))
check("nested", message((1, 8), (7, nested), (8, put(2, 17))),
      "is not an ONNX file")
chain = [node("Relu", [f"v{i}"], [f"v{i + 1}"]) for i in range(10000)]
check("chain", model(chain, [("v0", FLOAT, [2, 4])], outputs=["v10000"]),
      None)
moves = [node("Transpose", [f"v{i}"], [f"v{i + 1}"]) for i in range(10000)]
check("moves", model(moves + [node("Reshape", ["x", "v10000"], ["y"])],
                     [("x", FLOAT, [1, 4]), ("v0", INT64, [1])]),
      "must be known at compile time")

# Names that become names of files and of tensors in checkpoints.
for number, (name, why) in enumerate([
        ("../x", "leads out of the data folder"),
        ("a/../../x", "leads out of the data folder"),
        ("/..", "leads out of the data folder"),
        ("..\\x", "leads out of the data folder"),
        ("x\0y", "has a zero byte"),
        ("x\ny", "has a control character"),
        ("x\x1b[2J", "has a control character"),
        (b"x\xff", "is not UTF-8"),
        ("x" * 252, "makes a file name of 256 bytes"),
        ("", "is empty")]):
    check(f"input-{number}", model([node("Relu", [name], ["y"])],
                                   [(name, FLOAT, [2, 4])]),
          f"cannot be read from <input>.npy: its name {why}")
    check(f"output-{number}", model([node("Relu", ["x"], [name])],
                                    outputs=[name]),
          f"cannot be written to <output>.npy: its name {why}", "--forward")
# Names cannot end a line of output or send control characters to the terminal.
check("terminal", model([node("Loop", ["x"], ["\x1b[2J\nerror: no"])],
                        outputs=["\x1b[2J\nerror: no"]),
      "Loop (1 node: '\\1B[2J\\0Aerror: no')")
check("slashes", model([node("Relu", ["/a/x:0"], ["y"])],
                       [("/a/x:0", FLOAT, [2, 4])]), None)
check("one-file", model([node("Add", ["a/x", "a_x"], ["y"])],
                        [("a/x", FLOAT, [2, 4]), ("a_x", FLOAT, [2, 4])]),
      "inputs 'a/x' and 'a_x' would both be read from 'a_x.npy'")
check("one-output", model([node("Relu", ["x"], ["a:y"]),
                           node("Exp", ["x"], ["a_y"])],
                          outputs=["a:y", "a_y"]),
      "outputs 'a:y' and 'a_y' would both be written to 'a_y.npy'",
      "--forward")
for number, (name, why) in enumerate([
        ("__metadata__", "cannot be saved: its name is the key of the metadata"),
        ("w\0", "cannot be saved: its name has a zero byte"),
        ("w\n", "cannot be saved: its name has a control character"),
        (b"w\xc3", "cannot be saved: its name is not UTF-8"),
        ("loss", "has a name that programs reserve for a function"),
        ("forward", "has a name that programs reserve for a function"),
        ("loss_sum", "has a name that programs reserve for a sum or count"),
        ("eval_sum.0", "has a name that programs reserve for a sum or count"),
        ("grad.v", "has a name that programs reserve for the gradient of"),
        ("copy.v", "has a name that programs reserve for the working copy of"),
        ("exp_avg.v", "has a name that programs reserve for the optimizer's"),
        ("exp_avg_sq.v", "has a name that programs reserve for the optimizer's"),
        ("../w", None), ("grad.w", None), ("w" * 1000, None),
        ("master.v", None), ("format", None), ("\u00e4 \"w\"", None)]):
    check(f"param-{number}",
          model([node("Mul", ["x", name], ["z"]), node("Add", ["z", "v"], ["y"])],
                initializers=[tensor(n, FLOAT, [4], (9, b"\0\0\x80\x3f" * 4))
                              for n in (name, "v")]), why)

# Sizes.
check("length", b"\x08\x08\x3a" + b"\xff" * 8 + b"\x7f" + b"x" * 64,
      "is truncated")
check("initializer", model([node("Add", ["x", "w"], ["y"])], initializers=[
    tensor("w", FLOAT, [1 << 62, 4], (9, b"\0" * 16))]), "more than 2^26 elements")
check("negative", model([node("Add", ["x", "w"], ["y"])], initializers=[
    tensor("w", FLOAT, [-4], (9, b"\0" * 16))]), "more than 2^26 elements")
check("input", model([relu], [("x", FLOAT, [1 << 31, 1 << 31, 4])]),
      "2^40 elements")
check("product", model(
    [node("Reshape", ["x", "a"], ["column"]), node("Reshape", ["x", "b"], ["row"]),
     node("MatMul", ["column", "row"], ["y"])], [("x", FLOAT, [1 << 30])],
    [ints("a", [1 << 30, 1]), ints("b", [1, 1 << 30])]), "2^40 elements")
check("tile", model([node("Tile", ["x", "n"], ["y"])], initializers=[
    ints("n", [1 << 40, 1])]), "2^40 elements")
check("expand", model([node("Expand", ["x", "n"], ["y"])], initializers=[
    ints("n", [1 << 40, 2, 4])]), "2^40 elements")
check("pad", model([node("Pad", ["x", "n"], ["y"])], initializers=[
    ints("n", [(1 << 63) - 1, 0, (1 << 63) - 1, 0])]), "cannot pad")
check("one-hot", model([node("OneHot", ["i", "n", "v"], ["y"])],
                       [("i", INT64, [2]), ("v", FLOAT, [2])],
                       [ints("n", [1 << 40])]), "not between 1 and 2^28")
check("constant", model([node("ConstantOfShape", ["n"], ["y"])], (),
                        [ints("n", [1 << 40])]), "more than 2^28 elements")
check("range", model([node("Range", ["a", "b", "c"], ["y"])], (),
                     [ints("a", [0]), ints("b", [1 << 62]), ints("c", [1])]),
      "finite number of steps")
doubles = [node("Concat", [f"v{i}"] * 2, [f"v{i + 1}"],
                message((1, "axis"), (3, 0), (20, 2))) for i in range(60)]
check("doubling", model(doubles, [("v0", FLOAT, [2, 4])], outputs=["v60"]),
      "2^40 elements")

# Files.
add = [node("Add", ["x", "w"], ["y"])]
sparse("weights", 3 << 30)
check("sparse", model(add, [("x", FLOAT, [1])], [
    external("w", FLOAT, [3 << 28], "weights")]), None)
check("sparse-ints", model([node("Add", ["x", "w"], ["y"])],
                           [("x", INT64, [1])], [
    external("w", INT64, [3 << 27], "weights")]), "more than 2^26 elements")
# Two matrices that might be tied: at one offset; at two, which are read in
# pieces; one zero except for an element; transposed; in two types.
rows, columns = 1 << 14, 3 << 14
both = [node("Add", ["x", "w"], ["z"]), node("Add", ["z", "v"], ["y"])]
check("place", model(both, [("x", FLOAT, [1, 1])], [
    external("w", FLOAT, [rows, columns], "weights"),
    external("v", FLOAT, [rows, columns], "weights")]), None)
columns = 1 << 13
half = 4 * rows * columns
for name in ("corner", "copy"):
    sparse(name, half, b"\1")
for name, one, two in (("zeros", "corner", "weights"),
                       ("copies", "corner", "copy")):
    check(name, model(both, [("x", FLOAT, [1, 1])], [
        external("w", FLOAT, [rows, columns], one),
        external("v", FLOAT, [rows, columns], two, length=half)]), None)
products = [node("MatMul", ["x", "w"], ["z"]), node("MatMul", ["z", "v"], ["y"])]
check("transposes", model(products, [("x", FLOAT, [2, rows])], [
    external("w", FLOAT, [rows, columns], "corner"),
    external("v", FLOAT, [columns, rows], "copy")]), None)
# The same numbers in two types.
sparse("f32", half, b"\x00\x00\x80\x3f")
sparse("f16", half // 2, b"\x00\x3c")
widen = [node("Cast", ["v"], ["u"], message((1, "to"), (3, FLOAT), (20, 2)))]
check("precisions", model(
    [both[0], *widen, node("Add", ["z", "u"], ["y"])],
    [("x", FLOAT, [1, 1])], [
        external("w", FLOAT, [rows, columns], "f32"),
        external("v", 10, [rows, columns], "f16")]), None)
cast = [node("Cast", ["w"], ["z"], message((1, "to"), (3, FLOAT), (20, 2))),
        node("Add", ["x", "z"], ["y"])]
check("constants", model(cast, [("x", FLOAT, [1])], [
    external("w", 3, [1 << 26], "weights", length=1 << 26)]), None)
check("too-many-constants", model(cast, [("x", FLOAT, [1])], [
    external("w", 3, [1 << 28], "weights", length=1 << 28)]), "more than 2^26 elements")
for name, location in (("parent", "../outside"), ("absolute", "/etc/passwd"),
                       ("inner", "a/../../outside"), ("empty", "."),
                       ("zero", "\0/etc/passwd")):
    check(name, model(add, [("x", FLOAT, [4])], [
        external("w", FLOAT, [4], location)]), "external data of 'w'")
os.symlink("/etc/passwd", os.path.join(work, "link"))
check("link", model(add, [("x", FLOAT, [4])], [
    external("w", FLOAT, [4], "link")]), "outside the model's folder")
os.symlink("loop", os.path.join(work, "loop"))
check("loop", model(add, [("x", FLOAT, [4])], [
    external("w", FLOAT, [4], "loop")]), "external data of 'w'")
os.mkfifo(os.path.join(work, "pipe"))
check("pipe", model(add, [("x", FLOAT, [4])], [
    external("w", FLOAT, [4], "pipe")]), "external data of 'w'")
