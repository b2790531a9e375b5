"""Compiles kernel functions and runs them on numpy arrays."""

import ctypes
import os
import re
import subprocess
import tempfile

import numpy as np

DTYPES = {"f32": np.float32, "f64": np.float64, "i64": np.int64,
          "i32": np.int32, "i1": np.bool_, "bf16": np.uint16,
          "f16": np.float16}

# The functions that kernels call on processors without bf16, as in the
# runtime.
ROUNDING = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[".."] * 3,
                        "runtime", "support", "RoundBF16.c")

# Ops outside of kernels, whose results are views of their operand's memory.
ALIASES = {
    "reshape": lambda x, shape, numbers: x.reshape(shape),
    "select": lambda x, shape, numbers: x.take(numbers[1], numbers[0]),
    "transpose": lambda x, shape, numbers: x.transpose(numbers),
    "slice": lambda x, shape, numbers: x[tuple(
        slice(start, start + (size - 1) * step + 1, step) for start, size, step
        in zip(numbers[:x.ndim], shape, numbers[x.ndim:]))],
}


def run(command, text):
    result = subprocess.run(command, input=text, text=True,
                            capture_output=True)
    if result.returncode:
        raise SystemExit(f"{' '.join(command)}\n{result.stderr}")
    return result.stdout


def parse_type(text):
    """'tensor<4x8xf32>' as (shape, dtype)."""
    *shape, dtype = re.fullmatch(r"tensor<(.*)>", text).group(1).split("x")
    return tuple(int(n) for n in shape), DTYPES[dtype]


def aligned(shape, dtype, fill):
    """A 64-byte aligned array, as buffers of an arena are."""
    count = int(np.prod(shape, dtype=np.int64))
    size = max(count, 1) * np.dtype(dtype).itemsize
    raw = np.empty(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    array = raw[start:start + size].view(dtype)[:count].reshape(shape)
    array[...] = fill
    return array


class Kernels:
    """The kernels that --rt-form-kernels forms from the ops of a function.

    `body` holds the ops and a return; `arguments` are '%x: type' strings.
    `plant`, if given, changes the tiled kernels' text."""

    def __init__(self, arguments, results, body, passes=(), symbols="",
                 plant=None):
        self.arguments, self.results = arguments, results
        source = (f"{symbols}\nfunc.func @f({', '.join(arguments)}) -> "
                  f"({', '.join(results)}) {{\n{body}\n}}\n")
        formed = run(["pcc-opt", *passes, "--rt-form-kernels",
                      "--rt-verify-kernels"], source)
        self.parse(formed)
        # Drop the function that calls the kernels.
        kernels = formed[formed.index("  func.func private @kernel_0"):]
        text = "module {\n" + kernels
        tiled = run(["pcc-opt", "--rt-tile-kernels", "--rt-verify-kernels"],
                    text)
        lowered = run(["pcc-opt", "--rt-lower-kernels"],
                      plant(tiled) if plant else tiled)
        self.meta = {
            name: (int(units), int(grain)) for name, grain, units in
            re.findall(r"llvm.func @(\w+)\(.*rt.grain = (\d+).*"
                       r"rt.units = (\d+)", lowered)}
        ir = run(["mlir-translate", "--mlir-to-llvmir"], lowered)
        self.folder = tempfile.TemporaryDirectory()
        path = os.path.join(self.folder.name, "k")
        with open(path + ".ll", "w") as file:
            file.write(ir)
        rounding = [ROUNDING] if "bfloat" in ir else []
        # Without unrolling, as pcc compiles.
        run(["clang-22", "-O3", "-fno-unroll-loops", "-march=native", "-shared",
             "-fPIC", "-Wno-override-module", path + ".ll", *rounding, "-o",
             path + ".so", "-lm"], "")
        self.library = ctypes.CDLL(path + ".so")

    def parse(self, formed):
        """Reads the calls and the return of @f, with the names of values."""
        self.calls = []
        main = formed[formed.index("func.func @f"):]
        main = main[:main.index("\n  }")]
        self.parameters = re.findall(r"(%\w+): tensor", main.split("\n")[0])
        for line in main.split("\n")[1:]:
            match = re.match(r"\s*(?:(%\w+)(:\d+)? = )?call @(\w+)\((.*?)\) "
                             r": \(.*\) -> (.*)$", line)
            if match:
                name, count, kernel, operands, types = match.groups()
                names = ([f"{name}#{i}" for i in range(int(count[1:]))]
                         if count else [name])
                types = re.findall(r"tensor<[^>]*>", types)
                self.calls.append((kernel, re.findall(r"%[\w#]+", operands),
                                   names, types))
                continue
            match = re.match(r"\s*return (.*) :", line)
            if match:
                self.returned = match.group(1).split(", ")
                continue
            match = re.match(r"\s*(%\w+) = nn.(\w+) (%\S+) (.*):.* -> (\S+)",
                             line)
            if match and match.group(2) in ALIASES:
                name, alias, operand, attributes, result = match.groups()
                self.calls.append((alias, [operand, attributes], [name],
                                   [result]))
                continue
            if line.strip():
                raise SystemExit(f"not a kernel: {line}")
        inplace = {}
        for match in re.finditer(r"func.func private @(\w+)\(.*?\) -> (.*?) "
                                 r"attributes", formed):
            inplace[match.group(1)] = [
                int(m.group(1)) if (m := re.search(r"inplace = (\d+)", part))
                else None
                for part in re.findall(r"tensor<[^>]*>[^,)]*",
                                       match.group(2))]
        self.inplace = inplace

    def launch(self, name, buffers, pieces):
        """Runs a kernel's work items in ranges, the last first, as threads
        might."""
        pointers = (ctypes.c_void_p * len(buffers))(
            *[b.ctypes.data for b in buffers])
        units, _ = self.meta[name]
        bounds = sorted({units * i // pieces for i in range(pieces + 1)})
        function = getattr(self.library, name)
        for begin, end in reversed(list(zip(bounds, bounds[1:]))):
            function(pointers, ctypes.c_int64(begin), ctypes.c_int64(end))

    def __call__(self, *inputs, pieces=3, inplace=False):
        """The results; with `inplace` every result that may share an operand's
        buffer does (operands are copied first, so that the inputs survive)."""
        values = {}
        for name, text, array in zip(self.parameters, self.arguments, inputs):
            shape, dtype = parse_type(text.split(": ")[1])
            values[name] = aligned(shape, dtype, np.asarray(array))
        for kernel, operands, names, types in self.calls:
            if kernel in ALIASES:
                numbers = [int(n) for n in re.findall(r"\d+", operands[1])]
                values[names[0]] = ALIASES[kernel](
                    values[operands[0]], parse_type(types[0])[0], numbers)
                continue
            buffers = [values[o] for o in operands]
            reuse = self.inplace[kernel] if inplace else [None] * len(names)
            for k in reuse:
                if k is not None:
                    buffers[k] = aligned(buffers[k].shape, buffers[k].dtype,
                                         buffers[k])
            for name, text, k in zip(names, types, reuse):
                shape, dtype = parse_type(text)
                garbage = 77 if dtype != np.bool_ else True
                values[name] = (aligned(shape, dtype, garbage) if k is None
                                else buffers[k].reshape(shape))
            self.launch(kernel, buffers + [values[n] for n in names], pieces)
        return [values[name] for name in self.returned]


def random_factors(points, seed, step, number, p):
    """The factors of dropout for elements at these coordinates, as
    dialects/NN/Random.h defines them."""
    def mix(h):
        h = h & 0xffffffff
        h ^= h >> 16
        h = h * 0x85ebca6b & 0xffffffff
        h ^= h >> 13
        h = h * 0xc2b2ae35 & 0xffffffff
        return h ^ h >> 16

    def add(key, coordinate):
        coordinate = int(coordinate) & 0xffffffff
        return mix(key ^ (coordinate * 0x9e3779b9 + 0x85ebca6b & 0xffffffff))

    key = mix((seed & 0xffffffff) + 0x9e3779b9)
    for word in (seed >> 32, step, number):
        key = add(key, word)
    factors = []
    for point in points:
        bits = key
        for coordinate in point:
            bits = add(bits, coordinate)
        factors.append(0 if bits < int(p * 2 ** 32) else 1 / (1 - p))
    return np.array(factors)


def check(what, actual, expected, tolerance=2e-6):
    """Checks the error relative to the largest expected value."""
    expected = np.asarray(expected, np.float64)
    scale = max(np.max(np.abs(expected)), 1e-30)
    error = np.max(np.abs(np.asarray(actual, np.float64) - expected)) / scale
    if not error <= tolerance:
        raise SystemExit(f"{what}: error {error:.3g} > {tolerance:.3g}")
    print(f"{what}: ok")


def check_all(what, kernels, inputs, expected, tolerance=2e-6):
    """Checks that results of one range, of several and in place agree bit for
    bit, and agree with the expected ones."""
    reference = kernels(*inputs, pieces=1)
    for options in ({"pieces": 3}, {"pieces": 1, "inplace": True},
                    {"pieces": 5, "inplace": True}):
        again = kernels(*inputs, **options)
        for a, b in zip(reference, again):
            if a.tobytes() != b.tobytes():
                raise SystemExit(f"{what}: differs with {options}")
    for i, (a, b) in enumerate(zip(reference, expected)):
        if b is not None:
            check(f"{what}#{i}", a, b, tolerance)
