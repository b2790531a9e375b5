"""gpu-check.py ROOT FOLDER: runs pieces of scripts/gpu-check with a fake driver and
fake programs; FOLDER has kernels-x, as pcc-kernels dumps it."""

import array
import contextlib
import ctypes
import io
import json
import os
import subprocess
import sys
import time

ROOT, FOLDER = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "scripts", "gpu"))
import cases  # noqa: E402
import checks  # noqa: E402
import examples  # noqa: E402
import experts  # noqa: E402
import kernels  # noqa: E402
import machine  # noqa: E402
import peers  # noqa: E402
import plans  # noqa: E402
import prepare  # noqa: E402
import scaling  # noqa: E402
import smi  # noqa: E402
import speed  # noqa: E402

with open(os.path.join(FOLDER, "kernels-x", "kernels.json")) as opened:
    LISTED = json.load(opened)["kernels"]
with open(os.path.join(FOLDER, "kernels-x", "kernels.bin"), "rb") as opened:
    DATA = opened.read()


class Driver:
    """Stores the results of a CPU, with one fault: a function that changes the
    memory of a buffer, which may include the gap after it."""
    fault, buffer = None, 0

    def __init__(self):
        self.memory, self.next = {}, 1 << 20

    def allocate(self, size):
        place = ctypes.c_uint64(self.next)
        self.memory[self.next] = bytearray(size)
        self.next += 1 << 24
        return place

    def find(self, place):
        begin = max(at for at in self.memory if at <= place.value)
        return self.memory[begin], place.value - begin

    def call(self, name, place, *rest):
        if name == "cuMemsetD8_v2":
            memory, at = self.find(place)
            memory[at:at + rest[1].value] = bytes([rest[0]]) * rest[1].value
        elif name == "cuMemcpyHtoD_v2":
            memory, at = self.find(place)
            memory[at:at + rest[1].value] = rest[0]
        elif name == "cuMemcpyDtoH_v2":
            memory, at = self.find(rest[0])
            place.raw = bytes(memory[at:at + rest[1].value])
        else:
            raise AssertionError(name)

    def free(self, place):
        pass

    def load(self, folder):
        assert os.path.getsize(os.path.join(folder, "kernels.cubin")) > 0
        return None

    def function(self, module, kernel):
        return None

    def launch(self, function, kernel, places):
        for i, (buffer, place) in enumerate(zip(kernel["buffers"], places)):
            memory, at = self.find(place)
            due = kernel["numbers"]["after"][i]
            if due >= 0:
                memory[at:at + buffer["bytes"]] = DATA[due:due + buffer["bytes"]]
            if Driver.fault and i == Driver.buffer and kernel is LISTED_NOW[0]:
                Driver.fault(memory, at, buffer["bytes"])

    def finish(self):
        pass


def compared(fault=None, buffer=0):
    """Returns the reported problems of kernels with a fault."""
    Driver.fault, Driver.buffer = staticmethod(fault) if fault else None, buffer
    with contextlib.redirect_stdout(io.StringIO()):
        return kernels.compare({}, FOLDER, "")[1]


# The compared kernels are read from the file each time.
LISTED_NOW = []
load = json.load
json.load = lambda file: (lambda all: (LISTED_NOW.clear(), LISTED_NOW.extend(
    all.get("kernels", [None])), all)[-1])(load(file))

RealDriver, kernels.Driver = kernels.Driver, Driver
assert compared() == [], compared()
written = [i for i, buffer in enumerate(LISTED[0]["buffers"]) if buffer["written"]]
read = [i for i, buffer in enumerate(LISTED[0]["buffers"]) if not buffer["written"]]
assert written and read


def flip(memory, at, size):
    """Changes the sign of the last number."""
    memory[at + size - 1] ^= 0x80


def nudge(memory, at, size):
    """Changes the last bit of many numbers."""
    for i in range(at, at + size, 2):
        memory[i] ^= 1


def beside(memory, at, size):
    memory[at + size] ^= 1


def nothing(memory, at, size):
    memory[at:at + size] = b"\xff" * size


name = LISTED[0]["name"]
for fault in (flip, nothing):
    (problem,) = compared(fault, written[0])
    assert f"kernels-x: {name}: buffer {written[0]}: element" in problem, problem
(problem,) = compared(beside, written[0])
assert "writes beside it" in problem, problem
(problem,) = compared(flip, read[0])
assert "is only read, and changed" in problem, problem
# Low-precision results may be rounded either way.
assert LISTED[0]["buffers"][written[0]]["type"] != "bf16" or \
    compared(nudge, written[0]) == []


# If the GPU does not support the machine code, PTX is compiled.
real, images = object.__new__(RealDriver), []
real.call = lambda name, module, image: images.append(image)
real.load(os.path.join(FOLDER, "kernels-x"))
assert len(images) == 1 and images[0].startswith(b"\x7fELF")


def refuse(name, module, image):
    images.append(image)
    if image.startswith(b"\x7fELF"):
        raise kernels.DriverError("no kernel image is available")


real.call = refuse
real.load(os.path.join(FOLDER, "kernels-x"))
assert len(images) == 3 and b".target sm_90" in images[2], images[2][:100]


class TimedDriver(Driver):
    """A launch takes 4 ms, a copy 1 ms."""
    took = last = 0.0

    def call(self, name, place, *rest):
        if name == "cuMemcpyDtoDAsync_v2":
            TimedDriver.took += 1
        elif name == "cuEventRecord":
            TimedDriver.last, TimedDriver.took = TimedDriver.took, 0.0
        elif name == "cuEventElapsedTime":
            place._obj.value = TimedDriver.last
        elif name != "cuEventCreate":
            super().call(name, place, *rest)

    def launch(self, function, kernel, places):
        TimedDriver.took += 4
        for buffer, place in zip(kernel["buffers"], places):
            memory, at = self.find(place)
            if buffer.get("rows"):
                TimedDriver.ids = kernels.numbers(buffer["type"], memory[at:])
            if buffer.get("in_order"):
                TimedDriver.places = kernels.numbers(buffer["type"], memory[at:])


# Of an embedding table, only the rows with random ids count as traffic.
kernels.Driver = TimedDriver
with contextlib.redirect_stdout(io.StringIO()):
    timed, problems = kernels.speed({}, FOLDER, "")
assert not problems and len(timed) == 1 + len(LISTED), timed
(looked_up,) = [row for row in timed if "embedding" in row.get("kernel", "")]
assert looked_up["bytes"] == 8 * 8 + 2 * 8 * 16 * 4, looked_up
assert looked_up["ms"] == 4 and looked_up["gb_s"] == looked_up["bytes"] / 4e6
assert looked_up["of_copy"] == looked_up["bytes"] / 4 / (1 << 29), looked_up
assert sorted(TimedDriver.ids) == list(range(8)), TimedDriver.ids
# Causal attention skips keys after a query's position.
assert TimedDriver.places == list(range(8)), TimedDriver.places
ids = kernels.numbers("i32", kernels.draw_ids(
    {"type": "i32", "rows": 50, "sorted": True, "bytes": 4000}))
assert ids == sorted(ids) and ids[0] == 0 and ids[-1] < 50, ids
assert ids.count(0) > 3 * ids.count(9) > 0, ids

# Grouped GEMMs: rows fill the groups, and a dense one takes 1 ms.
class Blas:
    def multiply(self, kind, rows, n, k, places):
        assert (kind, rows, n, k) == ("f32", 64, 8, 2048), (kind, rows, n, k)
        TimedDriver.took += 1


experts.Blas = Blas
with contextlib.redirect_stdout(io.StringIO()) as said:
    timed, problems = experts.run({}, FOLDER, "f32")
assert not problems and len(timed) == 1, (timed, problems)
assert timed[0]["groups"] == 4 and timed[0]["of_dense"] == 0.25, timed
assert timed[0]["tflops"] == 2 * 64 * 8 * 2048 / 4e9, timed
assert TimedDriver.ids == sorted(TimedDriver.ids) and TimedDriver.ids[3] == 64
assert " | 0.25 |" in said.getvalue(), said.getvalue()
with contextlib.redirect_stdout(io.StringIO()):
    assert experts.run({}, FOLDER, "no-such") == ([], [])

# Elements of all types.
assert kernels.numbers("bf16", b"\x80\x3f\x00\xc0") == [1.0, -2.0]
assert kernels.numbers("f16", b"\x00\x3c") == [1.0]
assert kernels.numbers("i64", b"\xff" * 8) == [-1]
assert kernels.numbers("i1", b"\1\0") == [1, 0]

# Losses: different, missing, and NaN.
curve = [{"loss": 2.0, "norm": 1.0}, {"loss": 1.0, "norm": None}]
assert checks.difference(curve, curve, "norm") == 0
assert checks.difference([{"loss": 2.0}, {"loss": 1.1}], curve, "loss") > 0.09
assert checks.difference(curve[:1], curve, "loss") == float("inf")
assert checks.difference([{"loss": None}, {"loss": 1}], curve, "loss") == float("inf")
assert checks.difference([{"loss": float("nan")}], curve[:1], "loss") == float("inf")

# Scripts as programs: equal runs, other losses, other parameters, no GPU.
os.makedirs(os.path.join(FOLDER, "programs"), exist_ok=True)
open(os.path.join(FOLDER, "programs", "tokens.bin"), "wb").close()
case = next(c for c in cases.ALONE if c.name == "gpt f32")
PROGRAM = """#!{python}
import os, pathlib, sys
def given(flag): return sys.argv[sys.argv.index(flag) + 1]
turn = given("--save")[-1]
{body}
open(given("--log-json"), "w").write('{{"loss": %s, "norm": 1, "ms": 1}}\\n' % loss)
folder = pathlib.Path(given("--save")) / "step-1"
folder.mkdir(parents=True)
(folder / "model.safetensors").write_text(saved)
"""


def end(body):
    path = os.path.join(FOLDER, "programs", cases.file_of(case))
    with open(path, "w") as file:
        file.write(PROGRAM.format(python=sys.executable, body=body))
    os.chmod(path, 0o755)
    manifest = {"curves": {case.name: [{"loss": 1.0, "norm": 1.0}]}}
    with contextlib.redirect_stdout(io.StringIO()):
        return checks.losses(manifest, os.path.join(FOLDER, "programs"), "")[1]


assert end("loss = 1; saved = 'x'") == []
assert "loss differs by" in end("loss = 1.01; saved = 'x'")[0]
assert "other losses" in end("loss = '1.0' + turn; saved = 'x'")[-1]
assert "other parameters" in end("loss = 1; saved = turn")[0]
assert "ends with 5: bad" in end("print('bad', file=sys.stderr); sys.exit(5)")[0]
# The results of the first run are compared although a later one fails.
wrong = end("loss = 1.01; saved = 'x'\nif turn != '0': sys.exit(5)")
assert "loss differs by" in wrong[0] and "ends with 5" in wrong[1], wrong
try:
    end("print('error: no CUDA device: none', file=sys.stderr); sys.exit(9)")
    raise SystemExit("a program that finds no GPU is good enough")
except checks.NoDevice:
    pass

# NVIDIA's compute-sanitizer: its arguments, its findings, and its absence.
tools = os.path.join(FOLDER, "tools")
os.makedirs(tools)
os.environ["PATH"] += os.pathsep + tools
TOOL = """#!{python}
import sys
def given(flag): return sys.argv[sys.argv.index(flag) + 1]
assert given("--error-exitcode") == "3" and given("--steps") == "2"
if given("--tool") == "{finds}" and sys.argv[7].endswith("odd-bf16"):
    print("========= Invalid __global__ read\\n========= ERROR SUMMARY: 1 error")
    sys.exit(3)
open(given("--log-json"), "w").close()
"""


def sanitized(finds):
    """The results of compute-sanitizer if one tool finds something."""
    if finds is not None:
        path = os.path.join(tools, "compute-sanitizer")
        with open(path, "w") as file:
            file.write(TOOL.format(python=sys.executable, finds=finds))
        os.chmod(path, 0o755)
    curves = {"curves": {c.name: [] for c in cases.ALONE}}
    with contextlib.redirect_stdout(io.StringIO()):
        return checks.sanitizer(curves, os.path.join(FOLDER, "programs"), "")


if not os.path.exists("/usr/local/cuda/bin/compute-sanitizer"):
    assert sanitized(None) == ([], ["compute-sanitizer is not installed"])
found, problems = sanitized("")
assert not problems and len(found) == 6 and {row["finds"] for row in found} == \
    {"nothing"}, found
found, problems = sanitized("racecheck")
assert len(found) == 6 and problems == [
    "odd bf16: racecheck: ========= Invalid __global__ read / "
    "========= ERROR SUMMARY: 1 error"], problems

# Models of examples/: programs that log PyTorch's losses, other ones, or none.
EXPORTS = ["gpt2-dynamo.onnx", "t5-train-17.onnx", "vit-train-17.onnx"]
EXPORT = """#!{python}
import json, os, sys
def given(flag): return sys.argv[sys.argv.index(flag) + 1]
assert os.path.basename(given("--model")) == {name!r}, sys.argv
data, log = (next(a for a in sys.argv if a.startswith(f)).split("=")[1]
             for f in ("--data", "--log-json"))
assert os.path.exists(data), data
rows = [json.loads(line) for line in open({curve!r})]
{change}
open(log, "w").writelines(json.dumps(row) + "\\n" for row in rows)
"""


def train_examples(change):
    """The reported problems if the T5 program makes this change."""
    place = os.path.join(FOLDER, "examples")
    os.makedirs(place, exist_ok=True)
    for name in EXPORTS:
        curve = os.path.join(ROOT, "examples", "models", "curves",
                             name.split("-")[0] + ".jsonl")
        path = examples.program_of(place, name)
        with open(path, "w") as file:
            file.write(EXPORT.format(python=sys.executable, name=name, curve=curve,
                                     change=change if "t5" in name else ""))
        os.chmod(path, 0o755)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        found, problems = examples.run({}, place, "")
    assert [row["export"] for row in found] == EXPORTS, found
    assert "| vit-train-17.onnx | 0.0e+00 |" in said.getvalue(), said.getvalue()
    return problems


assert set(EXPORTS) <= set(examples.names("")), examples.names("")
assert not train_examples("")
assert train_examples("rows[3]['loss'] *= 1.001") == [
    "t5-train-17.onnx: losses differ by 1.0e-03 from those of PyTorch, at most 0.0001"]
assert train_examples("rows.pop()") == ["t5-train-17.onnx: 9 steps instead of 10"]
assert train_examples("sys.exit('error: no room')") == [
    "t5-train-17.onnx: ends with 1: error: no room\n"]

# A program that hangs is ended in time, together with its child processes.
begun = time.monotonic()
done = machine.run(["sh", "-c", "sleep 100 & echo $!; echo begun >&2; wait"], 0.5)
assert done.returncode == machine.OUT_OF_TIME, done
assert done.stderr == "begun\n0 s were over\n" and time.monotonic() < begun + 50, done
for _ in range(100):
    state = open(f"/proc/{done.stdout.strip()}/stat").read().split()[2] \
        if os.path.exists(f"/proc/{done.stdout.strip()}") else "Z"
    if state == "Z":
        break
    time.sleep(0.05)
assert state == "Z", state

# Libraries in packages of this Python are found, after the user's.
packages = os.path.join(FOLDER, "packages")
for name in ("cu13", "nccl"):
    os.makedirs(os.path.join(packages, "nvidia", name, "lib"), exist_ok=True)
sys.path.append(packages)
os.environ["PCC_CUDA_LIBRARIES"] = "/mine"
folders = machine.environment()["PCC_CUDA_LIBRARIES"].split(":")
assert folders[0] == "/mine", folders
assert os.path.join(packages, "nvidia", "nccl", "lib") in folders, folders
assert machine.environment(A="1")["A"] == "1"

# A race against PyTorch: the rate of all steps together, memory in use, and
# PyTorch's rate.
rows = [{"tok_s": 1.0}] * speed.WARM_UP + [{"tok_s": 50.0}, {"tok_s": 100.0}]
assert abs(speed.rate(rows) - 2 / (1 / 50 + 1 / 100)) < 1e-9
race = cases.RACES[0]
open(os.path.join(FOLDER, "programs", cases.file_of(race)), "wb").close()
said = ("pcc: one rank, a GPU, 32.0 MiB for GEMMs, 1.50 GiB of memory in use "
        "before, cuDNN 9.15.1 for attention\n"
        "model m, 1 parameters, 200.0 MiB on this rank\n")


# PyTorch's time may be over before it has compiled.
speed.PEER = os.path.join(FOLDER, "slow.py")
with open(speed.PEER, "w") as file:
    file.write("import time\ntime.sleep(100)\n")
assert "--minutes gives it more" in speed.time_peer(race, 0.3)[1]


def end_race(code, case=race):
    """The results of a race whose program ends with this code."""
    def train(command, data, log, most):
        ids = array.array("H", open(data, "rb").read())
        assert max(ids) < 50257 and len(ids) >= 64 * 1024 * speed.STEPS
        end = subprocess.CompletedProcess(command, code, said, "it broke")
        return end, None if code else rows
    prepare.train = train
    speed.time_peer = lambda case, most: (40.0, "")
    return speed.time_case(case, os.path.join(FOLDER, "programs"), True)


found, problem = end_race(0)
assert found["without_graphs"] == found["tokens_per_second"], found
assert not problem and found["pytorch"] == 40.0 and found["arena"] == "200.0 MiB"
assert speed.beyond_arena(said, 1772) == 0.02
assert speed.beyond_arena(said, 0) is speed.beyond_arena("", 1772) is None
assert abs(found["tokens_per_second"] - speed.rate(rows)) < 1e-9
assert end_race(7)[1] == race.name + ": it broke"

# The time left is divided among the remaining races; PyTorch is timed once per
# model.
tiles = next(race for race in cases.RACES if race.device)
assert not speed.peers_with(tiles, True) and speed.peers_with(race, True)
open(os.path.join(FOLDER, "programs", cases.file_of(tiles)), "wb").close()
found, problem = end_race(0, tiles)
assert not problem and found["pytorch"] is None and "without_graphs" not in found
assert not speed.peers_with(race, False)
assert speed.share_of(race, [race], True) is None
machine.Limit.set(300)
assert 199 < speed.share_of(race, [race, tiles], True) <= 200
assert 299 < speed.share_of(tiles, [race, tiles], True) <= 300
assert 149 < speed.share_of(race, [race, tiles], False) <= 150
machine.Limit.end = None

# FLOPs per token: 6 times the weights of GPT-2's GEMMs, and attention's.
flops = speed.flops_per_token(cases.GPT2)
assert 6 * 123.5e6 < flops < 6 * 123.6e6 + 6 * 12 * 768 * 1024 + 1, flops

# nvidia-smi's names of GPUs, and their peak FLOP/s. Unknown names have none.
for name, tflops in (
        ("NVIDIA A100-SXM4-80GB", 312), ("NVIDIA A100 80GB PCIe", 312),
        ("NVIDIA L40S", 362), ("NVIDIA H100 80GB HBM3", 989),
        ("NVIDIA H100 PCIe", 756), ("NVIDIA H100 NVL", 835), ("NVIDIA H200", 989),
        ("NVIDIA H200 NVL", 835), ("NVIDIA GH200 480GB", 989), ("NVIDIA B200", 2250),
        ("NVIDIA GB200", None), ("NVIDIA L40", None), ("NVIDIA H100", None),
        ("NVIDIA GeForce RTX 4090", None)):
    assert smi.peak_of(name) == (tflops and tflops * 1e12), name

# Only GPUs that CUDA_VISIBLE_DEVICES lists are used, in its order.
smi.query = lambda *fields: [[str(gpu), f"GPU-{gpu}{gpu}", f"name {gpu}"]
                             for gpu in range(4)]
for listed, names in (("2,0", ["name 2", "name 0"]), ("GPU-1", ["name 1"]), ("", [])):
    os.environ["CUDA_VISIBLE_DEVICES"] = listed
    assert smi.names() == names, smi.names()
os.environ.pop("CUDA_VISIBLE_DEVICES")
with contextlib.redirect_stdout(io.StringIO()) as said:
    assert smi.peak() is None
assert "'name 0' and 'name 1'" in said.getvalue() and "is not known" in said.getvalue()
# Power is averaged while a GPU works, not while a program starts.
watched = smi.Watch.summary([[10.0, 50.0, 300.0], [30.0, 690.0, 1500.0],
                             [20.0, 700.0, None]])
assert watched == {"used_mib": 30.0, "watts": 695.0, "mhz": 1500.0}, watched

# The model decides PyTorch's program in a comparison: DDP, or torchtitan.
small, *_ = raced = plans.scaled(8)
dp, tp = [case for case in raced if case.ranks == 8 and
          case.model[:-2] == cases.LLAMA_8B]
assert 7.4e9 < peers.parameters(cases.LLAMA_8B) < 7.6e9  # without its embedding table
assert peers.ddp(small, "log") == peers.command_of(small, "log")
assert "torchtitan.train" in peers.command_of(dp, "log")
assert "--parallelism.tensor_parallel_degree" in peers.command_of(tp, "log")
assert peers.command_of(raced[3], "log") is None  # one rank

# Time of the communication alone: sent bytes by bus bandwidth.
report = os.path.join(FOLDER, "report.json")
with open(report, "w") as file:
    json.dump({"step": [
        {"rank": 0, "messages": [
            {"kind": "all_reduce over dp", "bytes_sent": 10},
            {"kind": "send over pp", "bytes_sent": 500}]},
        {"rank": 1, "messages": [
            {"kind": "all_reduce over dp", "bytes_sent": 2e9},
            {"kind": "all_reduce over tp", "bytes_sent": 1e9}]}]}, file)
sent = scaling.sent_bytes(report)
assert sent == {"all_reduce": 3e9}, sent
assert scaling.seconds_alone(sent, {"all_reduce": 300.0}) == 0.01
assert scaling.seconds_alone(sent, {"all_gather": 300.0}) is None

# Ids beyond uint16, in llm.c's format.
tokens = os.path.join(FOLDER, "ids")
scaling.write_tokens(dp, tokens)
with open(tokens, "rb") as file:
    header = array.array("i", file.read(1024))
    ids = array.array("I", file.read())
assert header[:3].tolist() == [20240801, 7, len(ids)], header[:3]
assert len(ids) == 2 * dp.batch * 2049 and 1 << 16 < max(ids) < 128256, len(ids)

# Plans of each kind, with as many ranks as there are GPUs.
for gpus in (2, 4, 8, 16):
    made = plans.together(gpus)
    assert {gpus, 2, 8} == {case.ranks for case in made}, gpus
    assert len({cases.file_of(case) for case in made}) == len(made)
