"""Launches single kernels through the driver, for scripts/gpu-check: compares
them with CPUs, and times them.

The folders are those that pcc-kernels --dump writes.
"""

import ctypes
import json
import math
import os
import random
import struct

import checks
import machine

COMPARED = "kernels"
# The timed kernels of GPT-2: all, and those with dropout.
TIMED = (("kernels-gpt2", "", ""), ("kernels-gpt2-dropout", "attention", ", dropout"))
# One in this many low-precision results may differ by a unit in the last place,
# as in pcc-kernels.
ROUNDED_PER = 100
SHARED_UNASKED = 48 << 10
MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
GAP, GAP_BYTE = 256, 0xA5
UNITS = {"bf16": 2.0 ** -8, "f16": 2.0 ** -11, "f32": 2.0 ** -24, "f64": 2.0 ** -24}
WIDTHS = {"i1": "B", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f",
          "f64": "d", "f16": "e"}
REPEATS, LEAST_MS = 20, 2.0
# The number of slowest kernels that are printed.
SHOWN = 20


class DriverError(RuntimeError):
    """An error that the driver returns, from this call or from earlier work."""


def read(folder, name):
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


class Driver:
    """NVIDIA's driver, with a context."""

    def __init__(self):
        self.library = self.open()
        count = ctypes.c_int()
        if self.library.cuInit(0) or \
                self.library.cuDeviceGetCount(ctypes.byref(count)) or not count.value:
            raise checks.NoDevice("no CUDA device: the driver has found none")
        self.device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.call("cuCtxSetCurrent", context)

    @staticmethod
    def open():
        """Loads the driver's library."""
        folder = machine.driver_folder()
        for path in ["libcuda.so.1"] + [f"{folder}/libcuda.so.1"] * bool(folder):
            try:
                return ctypes.CDLL(path)
            except OSError as failed:
                error = failed
        raise checks.NoDevice(f"no CUDA device: {error}")

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise DriverError(f"{name}: {(text.value or b'?').decode()}")

    def allocate(self, size):
        place = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(size))
        return place

    def free(self, place):
        self.call("cuMemFree_v2", place)

    def load(self, folder):
        """Loads a folder's kernels; the driver compiles PTX for newer GPUs."""
        module = ctypes.c_void_p()
        try:
            self.call("cuModuleLoadData", ctypes.byref(module),
                      read(folder, "kernels.cubin"))
        except DriverError:
            self.call("cuModuleLoadData", ctypes.byref(module),
                      read(folder, "kernels.ptx"))
        return module

    def function(self, module, kernel):
        found = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(found), module,
                  kernel["name"].encode())
        if kernel["shared"] > SHARED_UNASKED:
            self.call("cuFuncSetAttribute", found, MAX_DYNAMIC_SHARED,
                      kernel["shared"])
        return found

    def launch(self, function, kernel, places):
        pointers = (ctypes.c_void_p * len(places))(
            *(ctypes.addressof(place) for place in places))
        self.call("cuLaunchKernel", function, kernel["grid"], 1, 1,
                  kernel["block"], 1, 1, kernel["shared"], None, pointers, None)

    def finish(self):
        self.call("cuCtxSynchronize")


def numbers(kind, data):
    """Decodes the elements of a buffer."""
    if kind == "bf16":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0]
                for i in range(0, len(data), 2)]
    code = WIDTHS[kind]
    return list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))


def wrong_in(buffer, expected, found, allowed, largest):
    """Returns the problem of a buffer, by the rule of pcc-kernels'
    Compare.cpp."""
    kind = buffer["type"]
    unit, rounded = UNITS.get(kind), 0
    values = list(zip(numbers(kind, expected), numbers(kind, found)))
    for i, (due, got) in enumerate(values):
        if due == got or (due != due and got != got):
            continue
        bound = 0.0
        if unit:
            bound = allowed
            if unit > 2.0 ** -24:
                bound += 2 * unit * max(abs(due), 2.0 ** -14)
        error = abs(due - got)
        if unit and unit > 2.0 ** -24 and bound < error <= bound + 2 * unit * largest:
            rounded += 1
            if rounded <= 1 + len(values) // ROUNDED_PER:
                continue
        if not error <= bound:
            return f"element {i} is {got}, due {due}, at most {bound:.1e} off"
    return ""


def run_kernel(driver, function, kernel, data):
    """Runs a kernel on its data; returns the problem."""
    numbers_of, places, memories = kernel["numbers"], [], []
    for buffer, at in zip(kernel["buffers"], numbers_of["before"]):
        size = buffer["bytes"]
        memory = driver.allocate(size + 2 * GAP)
        driver.call("cuMemsetD8_v2", memory, GAP_BYTE, ctypes.c_size_t(size + 2 * GAP))
        place = ctypes.c_uint64(memory.value + GAP)
        if at < 0:
            # NaNs, which the kernel must overwrite.
            driver.call("cuMemsetD8_v2", place, 0xFF, ctypes.c_size_t(size))
        else:
            driver.call("cuMemcpyHtoD_v2", place, data[at:at + size],
                        ctypes.c_size_t(size))
        memories.append(memory)
        places.append(place)
    driver.launch(function, kernel, places)
    driver.finish()
    problem = ""
    for i, (buffer, memory) in enumerate(zip(kernel["buffers"], memories)):
        size = buffer["bytes"]
        back = ctypes.create_string_buffer(size + 2 * GAP)
        driver.call("cuMemcpyDtoH_v2", back, memory, ctypes.c_size_t(len(back)))
        if set(back.raw[:GAP] + back.raw[GAP + size:]) != {GAP_BYTE}:
            problem = problem or f"buffer {i}: writes beside it"
        found = back.raw[GAP:GAP + size]
        at = numbers_of["after"][i]
        if at < 0:
            at = numbers_of["before"][i]
            said = "" if found == data[at:at + size] else "is only read, and changed"
        else:
            said = wrong_in(buffer, data[at:at + size], found, numbers_of["allowed"][i],
                            numbers_of["largest"][i])
        if said:
            problem = problem or f"buffer {i}: {said}"
        driver.free(memory)
    return problem


def compare(manifest, folder, only):
    """Compares all kernels of the small models with CPUs."""
    del manifest
    results, wrong, driver = [], [], None
    folders = sorted(name for name in os.listdir(folder)
                     if name.startswith(COMPARED) and
                     os.path.exists(os.path.join(folder, name, "kernels.bin")))
    for name in folders:
        if only not in name:
            continue
        driver = driver or Driver()
        path = os.path.join(folder, name)
        with open(os.path.join(path, "kernels.json")) as file:
            listed = json.load(file)["kernels"]
        data, module, bad = read(path, "kernels.bin"), driver.load(path), 0
        for kernel in listed:
            try:
                function = driver.function(module, kernel)
                problem = run_kernel(driver, function, kernel, data)
            except DriverError as error:
                # After an error the context is unusable.
                wrong.append(f"{name}: {kernel['name']}: {error}; "
                             "kernels behind it were not run")
                return results, wrong
            if problem:
                wrong.append(f"{name}: {kernel['name']}: {problem}")
                bad += 1
        results.append({"kernels_of": name, "count": len(listed), "wrong": bad})
    checks.table(("kernels of", "count", "wrong"),
                 [tuple(row.values()) for row in results])
    if not results and not only:
        wrong.append("nothing was compared")
    return results, wrong


def draw_ids(buffer):
    """Returns row ids: each at most once if there are enough rows, since
    repeated reads may hit a cache; sorted ids follow word frequencies, the
    k-th 1/k times as often as the first. Or positions in a sequence, or the ends
    of groups of rows."""
    code = WIDTHS[buffer["type"]]
    count = buffer["bytes"] // struct.calcsize(code)
    if buffer.get("in_order"):
        return struct.pack(f"<{count}{code}", *range(count))
    draw, rows = random.Random(1), buffer["rows"]
    if buffer.get("ends"):
        # All rows are in groups, of sizes that differ by up to a third.
        ends = [int(rows * (i + 1 + draw.uniform(-1, 1) / 6) / count)
                for i in range(count - 1)]
        return struct.pack(f"<{count}{code}", *ends, rows)
    if buffer["sorted"]:
        ids = sorted(int((rows + 1) ** draw.random()) - 1 for _ in range(count))
    else:
        ids = [i % rows for i in range(count)]
        draw.shuffle(ids)
    return struct.pack(f"<{count}{code}", *ids)


def fill(driver, buffer):
    """Allocates a buffer and fills it with small floats, row ids or zeros."""
    place, size = driver.allocate(max(buffer["bytes"], 1)), buffer["bytes"]
    if buffer.get("rows") or buffer.get("in_order"):
        driver.call("cuMemcpyHtoD_v2", place, draw_ids(buffer), ctypes.c_size_t(size))
    else:
        value = 0x3C if buffer["type"] in UNITS and not buffer["written"] else 0
        driver.call("cuMemsetD8_v2", place, value, ctypes.c_size_t(size))
    return place


def time_work(driver, work):
    """Returns the milliseconds of work(), which launches kernels: the minimum of
    several series."""
    begin, end = ctypes.c_void_p(), ctypes.c_void_p()
    for event in (begin, end):
        driver.call("cuEventCreate", ctypes.byref(event), 0)
    work()
    driver.finish()
    best, series, count = math.inf, 0, 1
    while series < 5:
        driver.call("cuEventRecord", begin, None)
        for _ in range(count):
            work()
        driver.call("cuEventRecord", end, None)
        driver.finish()
        took = ctypes.c_float()
        driver.call("cuEventElapsedTime", ctypes.byref(took), begin, end)
        # Long enough for the clock's resolution.
        if took.value < LEAST_MS and count < 1000:
            count *= 2
            continue
        best, series = min(best, took.value / count), series + 1
    return best


def time_kernel(driver, function, kernel):
    """Returns the milliseconds of a launch."""
    places = [fill(driver, buffer) for buffer in kernel["buffers"]]
    best = time_work(driver, lambda: driver.launch(function, kernel, places))
    for place in places:
        driver.free(place)
    return best


def time_copy(driver):
    """Returns the GB/s of a copy, the upper bound for a kernel."""
    size = 1 << 28
    left, right = driver.allocate(size), driver.allocate(size)
    begin, end, took = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    for event in (begin, end):
        driver.call("cuEventCreate", ctypes.byref(event), 0)
    best = math.inf
    for _ in range(REPEATS):
        driver.call("cuEventRecord", begin, None)
        driver.call("cuMemcpyDtoDAsync_v2", right, left, ctypes.c_size_t(size), None)
        driver.call("cuEventRecord", end, None)
        driver.finish()
        driver.call("cuEventElapsedTime", ctypes.byref(took), begin, end)
        best = min(best, took.value)
    driver.free(left)
    driver.free(right)
    return 2 * size / best / 1e6


def least_bytes(kernel):
    """Returns the least bytes that a kernel reads and writes."""
    return sum(buffer["moved"] for buffer in kernel["buffers"])


def speed(manifest, folder, only):
    """Times the kernels of GPT-2 124M; prints the slowest, with their
    bandwidth."""
    del manifest
    results, driver, copy = [], None, 0
    for name, part, suffix in TIMED:
        path = os.path.join(folder, name)
        if only not in name or not os.path.exists(path):
            continue
        if not driver:
            driver = Driver()
            copy = time_copy(driver)
        with open(os.path.join(path, "kernels.json")) as file:
            listed = json.load(file)["kernels"]
        module = driver.load(path)
        for kernel in listed:
            if part not in kernel["name"]:
                continue
            moved = least_bytes(kernel)
            ms = time_kernel(driver, driver.function(module, kernel), kernel)
            results.append({"kernel": kernel["name"] + suffix, "ms": ms, "bytes": moved,
                            "gb_s": moved / ms / 1e6, "of_copy": moved / ms / 1e6 / copy})
    if not driver:
        return [], []
    results.sort(key=lambda row: -row["ms"])
    print(f"a copy: {copy:,.0f} GB/s\n")
    checks.table(("kernel of GPT-2 124M", "ms", "MB at least", "GB/s", "of a copy"),
                 [(row["kernel"], f"{row['ms']:.4f}", f"{row['bytes'] / 1e6:.1f}",
                   f"{row['gb_s']:,.0f}", f"{row['of_copy']:.2f}")
                  for row in results[:SHOWN]])
    return [{"copy_gb_s": copy}, *results], []
