"""Times the grouped GEMMs of a layer of experts, generated kernels, beside dense
GEMMs of the same size by cuBLAS, for scripts/gpu-check.

The layer is one of Qwen3-30B-A3B on one of eight ranks that divide its experts:
16 experts of 128, hidden size 2048, 768 in an expert, 16384 rows. The rows of
experts differ by up to a third of their mean.
"""

import ctypes
import json
import math
import os

import cases
import checks
import kernels
import machine

NAME = "grouped_contract"
SIZES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
# cudaDataType_t of the operands, and cublasComputeType_t.
TYPES = {"f16": (2, 68), "bf16": (14, 68), "f32": (0, 68)}
TRANSPOSED, PLAIN = 1, 0


class Blas:
    """cuBLAS, loaded as programs load it."""

    def __init__(self):
        folders = machine.environment()["PCC_CUDA_LIBRARIES"].split(":")
        names = [os.path.join(folder, f"libcublas.so.{version}")
                 for version in (13, 12) for folder in [*folders, ""]]
        for name in names:
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            raise OSError("no libcublas.so.13")
        self.handle = ctypes.c_void_p()
        self.call("cublasCreate_v2", ctypes.byref(self.handle))

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise OSError(f"{name} returns {status}")

    def multiply(self, kind, rows, n, k, places):
        """[rows, n] = [rows, k] times the transpose of [n, k]; cuBLAS has columns
        first."""
        number, compute = TYPES[kind]
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        self.call("cublasGemmEx", self.handle, TRANSPOSED, PLAIN, n, rows, k,
                  ctypes.byref(one), places[1], number, k, places[0], number, k,
                  ctypes.byref(zero), places[2], number, n, compute, -1)


def sizes_of(kernel):
    """Returns the element type of a grouped GEMM, its number of groups, and rows
    x n x k. Of the factors and the result two have rows, one has matrices: their
    sizes multiply to (rows n k)^2 groups."""
    ends = next(b for b in kernel["buffers"] if b.get("ends"))
    factors = [b for b in kernel["buffers"] if b["type"] in SIZES]
    counts = [b["bytes"] // SIZES[b["type"]]
              for b in (factors[0], factors[1], factors[-1])]
    groups = ends["bytes"] // 4
    return factors[0]["type"], groups, math.isqrt(math.prod(counts) // groups)


def time_dense(driver, blas, kind, rows, products):
    """Returns the milliseconds of a dense GEMM of `products` multiplications, of
    the shape of the layer's first."""
    k = 2048
    n = products // rows // k
    size = SIZES[kind]
    places = [driver.allocate(count * size) for count in (rows * k, n * k, rows * n)]
    for place, count in zip(places, (rows * k, n * k, rows * n)):
        driver.call("cuMemsetD8_v2", place, 0x3C, ctypes.c_size_t(count * size))
    best = kernels.time_work(
        driver, lambda: blas.multiply(kind, rows, n, k, places))
    for place in places:
        driver.free(place)
    return best


def run(manifest, folder, only):
    """Times the grouped GEMMs of each folder, forward and backward."""
    del manifest
    results, wrong, driver, blas = [], [], None, None
    for case in cases.EXPERT_KERNELS:
        name = cases.file_of(case)
        path = os.path.join(folder, name)
        if only not in case.name or not os.path.exists(path):
            continue
        if not driver:
            driver = kernels.Driver()
            try:
                blas = Blas()
            except OSError as error:
                print(f"no dense GEMMs: {error}\n")
        with open(os.path.join(path, "kernels.json")) as file:
            listed = json.load(file)["kernels"]
        listed = [kernel for kernel in listed if NAME in kernel["name"]]
        if not listed:
            wrong.append(f"{case.name} has no grouped GEMM")
        module = driver.load(path)
        for kernel in listed:
            kind, groups, products = sizes_of(kernel)
            rows = next(b for b in kernel["buffers"] if b.get("ends"))["rows"]
            ms = kernels.time_kernel(driver, driver.function(module, kernel), kernel)
            found = {"kernel": kernel["name"], "type": kind, "groups": groups, "ms": ms,
                     "tflops": 2 * products / ms / 1e9}
            if blas and kind in TYPES:
                dense = time_dense(driver, blas, kind, rows, products)
                found.update(dense_ms=dense, of_dense=dense / ms)
            results.append(found)
    checks.table(("grouped GEMM", "of", "groups", "ms", "TFLOP/s", "of the dense rate"),
                 [(row["kernel"], row["type"], row["groups"], f"{row['ms']:.4f}",
                   f"{row['tflops']:.1f}",
                   f"{row['of_dense']:.2f}" if "of_dense" in row else "-")
                  for row in results])
    return results, wrong
