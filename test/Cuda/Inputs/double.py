"""Runs a program for GPUs on the test double of a GPU (test/Cuda/Double).

    double.py BUILD losses MODEL PRECISION    results as on a CPU, and the same
                                              bits with any delay
    double.py BUILD plan MODEL PRECISION FLAGS...
                                              the same with several ranks, and the
                                              same collectives and bytes
    double.py BUILD calls                     the driver calls of an ordinary step
    double.py BUILD calls FLAGS...            the same with ranks, in fp16
    double.py BUILD slow FLAGS...             a step longer than the timeout; two
                                              ranks that disagree
    double.py BUILD graphs                    the number of launches does not depend
                                              on layers and batch
    double.py BUILD faults KIND               faults change results; without
                                              "graphs", or with them
    double.py BUILD errors                    errors that end a run
    double.py BUILD skips                     steps without a finite loss or norm,
                                              and a device of two that fails
    double.py BUILD attention                 results, faults and errors of
                                              attention by cuDNN
    double.py BUILD missing                   programs that need cuDNN report that
                                              it is missing
    double.py BUILD chips                     programs for other GPUs, on these
    double.py BUILD offload                   optimizer state in the host's memory
"""

import collections
import glob
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(sys.argv[1])
DOUBLE = BUILD / "test/Cuda/double"
HOME = pathlib.Path.cwd()
BOUNDS = {"f32": 1e-4, "bf16": 2e-2, "fp16": 2e-2}
SEEDS = range(3)
# The number of fault positions that must change results.
ALL = bool(os.environ.get("PCC_TEST_ALL"))
ENOUGH = 3 if ALL else 1
MODELS = {
    "gpt": ["gpt", "--layers", "2", "--heads", "4"],
    "llama": ["llama", "--layers", "2", "--heads", "4"],
    "experts": ["moe", "--layers", "2", "--heads", "4", "--experts", "6"],
    # Models whose attention cuDNN computes.
    "gpt-cudnn": ["gpt", "--layers", "2", "--heads", "2"],
    "llama-cudnn": ["llama", "--layers", "2", "--heads", "4"],
    # Its tiles need more shared memory than most GPUs have.
    "gpt-128": ["gpt", "--layers", "1", "--heads", "1"],
    # Gelu by the error function, which cuBLASLt lacks.
    "encdec": ["encdec", "--layers", "2", "--heads", "4", "--own-source"],
}
LARGER = {"gpt-cudnn": ["--width", "128", "--seq", "24"],
          "llama-cudnn": ["--width", "256", "--seq", "24", "--layers", "1"]}
SIZES = ["--batch", "2", "--seq", "8", "--width", "32", "--inner", "64",
         "--vocab", "50"]
# Calls that are allowed only before the first step.
MADE_ONCE = ("cuMemAlloc", "cuMemHostAlloc", "cuStreamCreateWithPriority",
             "cuEventCreate", "cuModuleLoadData", "cuModuleGetFunction", "cublasLtCreate",
             "cublasLtMatmulDescCreate", "cublasLtMatrixLayoutCreate",
             "cublasLtMatmulAlgoGetHeuristic", "cudnnCreate",
             "cudnnBackendFinalize-graph", "cudnnBackendFinalize-plan")
GRAPHS_MADE = ("cuStreamBeginCapture", "cuGraphInstantiate")


def call(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True,
                          text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr[-3000:]}")


def chooseFlags(flags, library=(), gpu=()):
    """pcc's flags for each program; the CPU's has no library and no GPU."""
    device = [*flags, *library, *gpu, "--target=cuda-emulated"]
    prepare.flags = {"cpu": flags,
                     "cuda": [*flags, *library, *gpu, "--target=cuda"],
                     "kernels.o": [*device, "--emit=obj"], "emulated": device}


def prepare(model, precision, *plan, sizes=(), batch=16, gpu=()):
    """Changes to a folder for a model and a plan; `sizes` override those of the
    model, `gpu` are flags of its device. Files that exist are not written
    again. Returns pcc's flags for a device."""
    what = [model, precision, *plan, *sizes, str(batch), *gpu]
    folder = HOME / "-".join(word.strip("-") for word in what)
    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    # The model's batch of 2 is that of all data-parallel ranks.
    prepare.has_stages = "--pp" in plan
    flags = ["-q", "--loss=causal-lm", f"--precision={precision}",
             f"--global-batch-size={batch}", *plan]
    library = ["--attention-backend=cudnn"] if model in LARGER else []
    chooseFlags(flags, library, gpu)
    if not os.path.exists("model.mlir"):
        text = subprocess.run(
            [sys.executable, ROOT / "test/Inputs/models/make.py", *MODELS[model],
             *SIZES, *LARGER.get(model, []), *sizes], check=True,
            capture_output=True, text=True).stdout
        pathlib.Path("tokens.bin").write_bytes(
            b"".join(struct.pack("<H", i * i % 47) for i in range(600)))
        pathlib.Path("model.mlir").write_text(
            'module attributes {pcc.phase = "nn"} {\n' + text + "}\n")
    return flags + library


def make(program):
    """Compiles a program; for a program for GPUs also kernels.so, the code of
    its kernels for the double."""
    if not os.path.exists(program):
        call(BUILD / "bin/pcc", "model.mlir", *prepare.flags[program], "-o",
             program)
    if program == "cuda" and not os.path.exists("kernels.so"):
        make("kernels.o")
        call("clang-22", "-shared", "-o", "kernels.so", "kernels.o",
             DOUBLE / "libcuda.so.1", f"-Wl,-rpath,{DOUBLE}")


def begin(program, *flags, seed=0, data="tokens.bin", **environment):
    make(program)
    env = dict(os.environ, OMP_NUM_THREADS="1", PCC_CUDA_LIBRARIES=str(DOUBLE),
               PCC_DOUBLE_KERNELS=os.path.abspath("kernels.so"),
               PCC_DOUBLE_SEED=str(seed))
    env.update(environment)
    return subprocess.Popen(
        [f"./{program}", "--data", data, "--init", "random", *flags],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def start(program, *flags, limit=300, **more):
    with begin(program, *flags, **more) as running:
        try:
            out, err = running.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            running.kill()
            raise
    return subprocess.CompletedProcess(running.args, running.returncode, out, err)


def graph_flags(graphs):
    """The flags for graphs. Pipeline stages launch graphs only on request."""
    if graphs:
        return ["--cuda-graphs"] if prepare.has_stages else []
    return [] if prepare.has_stages else ["--no-cuda-graphs"]


def run(program, seed=0, report=False, graphs=True, limit=300, **environment):
    """A run's log, its weights and, if asked for, its report; None if it
    fails."""
    reports = ["--report", "report.json"] if report else []
    if program == "cuda":
        reports += graph_flags(graphs)
    result = start(program, "--val-data", "tokens.bin", "--eval-batches", "2",
                   "--steps", "3", "--save", "saved", "--log-json", "log.json",
                   "--clip-grad", "0.5", *reports, seed=seed, limit=limit,
                   **environment)
    if result.returncode:
        subprocess.run(["rm", "-rf", "saved", "log.json"], check=True)
        run.said = result.stderr
        return None
    with open("log.json", encoding="utf-8") as lines:
        log = [{k: v for k, v in json.loads(line).items()
                if k in ("step", "loss", "norm", "val_loss")}
               for line in lines]
    saved = pathlib.Path("saved/step-00000003/model.safetensors").read_bytes()
    subprocess.run(["rm", "-rf", "saved", "log.json"], check=True)
    if report:
        with open("report.json", encoding="utf-8") as file:
            return log, saved, json.load(file)
    return log, saved


def requireNear(rows, due, precision):
    for row, wanted in zip(rows, due, strict=True):
        for key, value in wanted.items():
            if abs(row[key] - value) > BOUNDS[precision] * abs(value):
                sys.exit(f"{row}, on CPUs {wanted}")


def losses(model, precision):
    prepare(model, precision)
    due, first = run("cpu"), None
    # Each seed delays something else. One model is run with all seeds.
    seeds = SEEDS if model == "gpt" or ALL and model not in LARGER else SEEDS[:1]
    for seed, graphs in [*((seed, True) for seed in seeds), (1, False)]:
        left = run("cuda", seed, graphs=graphs)
        if left is None:
            sys.exit(f"seed {seed}, graphs {graphs}: {run.said}")
        first = first or left
        if left != first:
            sys.exit(f"seed {seed}, graphs {graphs}, leaves something else: "
                     f"{left[0]}, not {first[0]}")
    requireNear(first[0], due[0], precision)
    if model in LARGER:
        emulated = run("emulated")
        if emulated is None:
            sys.exit(run.said)
        requireNear(emulated[0], due[0], precision)
        if apart("key_heads 1 ") != first:
            sys.exit("groups of heads leave something else")
    print(f"{model} {precision}: {len(due[0])} rows agree")


def totals(report):
    """{(rank, kind of collective or transfer): count, bytes, bytes sent}"""
    sums = {}
    for rank in report["step"]:
        for kind in rank["messages"]:
            sums.setdefault((rank["rank"], kind["kind"]),
                            collections.Counter()).update(
                {key: kind[key] for key in ("count", "bytes", "bytes_sent")})
    return sums


def plan(model, precision, *flags):
    # A vocabulary that needs no padding on a device: the bytes sent are equal.
    prepare(model, precision, *flags, sizes=["--vocab", "128"])
    due, first = run("cpu", report=True), None
    # The ranks of a host share a device. NCCL orders launches or, in an older
    # version, the runtime does.
    for seed, version, graphs in ((1, "22809", True), (2, "22500", True),
                                  (1, "22500", False)):
        left = run("cuda", seed, report=True, graphs=graphs,
                   PCC_SHARE_DEVICES="1", NCCL_DOUBLE_VERSION=version)
        if left is None:
            sys.exit(f"seed {seed}, graphs {graphs}: {run.said}")
        first = first or left
        if left != first:
            sys.exit(f"seed {seed}, graphs {graphs}, leaves something else: "
                     f"{left[0]}, not {first[0]}")
    requireNear(first[0], due[0], precision)
    # Streams are not compared: a reduction whose result a kernel accumulates is
    # on the kernel's stream.
    found, wanted = totals(first[2]), totals(due[2])
    if found != wanted:
        sys.exit(f"messages {found}, on CPUs {wanted}")
    kinds = {kind.split()[0] for _, kind in found}
    print(f"{precision} {' '.join(flags)}: {len(due[0])} rows agree, and "
          f"{', '.join(sorted(kinds))}")


def count(steps, *flags):
    """The number of calls of each function in a run of `steps` steps, by
    rank."""
    for trace in glob.glob("trace*"):
        os.remove(trace)
    result = start("cuda", "--steps", str(steps), *flags, PCC_SHARE_DEVICES="1",
                   PCC_DOUBLE_TRACE="trace")
    if result.returncode:
        sys.exit(result.stderr)
    counts = []
    # The trace of the launcher has no number.
    for trace in sorted(glob.glob("trace.*")) or ["trace"]:
        with open(trace, encoding="utf-8") as lines:
            names = [line.split()[0] for line in lines]
        # With several ranks a waiting rank polls: count successive queries
        # once.
        counts.append(collections.Counter(
            name for name, before in zip(names, ["", *names])
            if name != "cuEventQuery" or name != before))
    return counts


def calls(*plan):
    if plan:
        prepare("gpt", "fp16", *plan)
    else:
        prepare("gpt-cudnn", "bf16")
    once = [name for name in MADE_ONCE if not (plan and "cudnn" in name)]
    # Without graphs the double of NCCL allocates memory during steps.
    issued = [name for name in once if not (plan and name == "cuMemHostAlloc")]
    for graphs, made in ((True, [*once, *GRAPHS_MADE]), (False, issued)):
        flags = graph_flags(graphs)
        runs = count(2, *flags), count(3, *flags)
        if plan and graphs:
            with open("trace.0", encoding="utf-8") as lines:
                streams = {line.split()[1] for line in lines
                           if line.startswith("cuStreamCreateWithPriority")}
            print("streams:", *sorted(streams, reverse=True))
        print("with graphs" if graphs else "without graphs")
        for rank, (few, many) in enumerate(zip(*runs, strict=True)):
            more = many - few
            for name in made:
                if not few[name] or more[name]:
                    sys.exit(f"{flags}: rank {rank}: {name}: {few[name]} calls, "
                             f"{more[name]} in a step")
            waits = more["cuEventQuery" if plan else "cuEventSynchronize"]
            if waits != 1:
                sys.exit(f"{flags}: rank {rank}: {waits} waits of the host in a "
                         "step")
            print(f"rank {rank}")
            for name, number in sorted(more.items()):
                print(f"{name}: {number} in a step")


def slow(*plan):
    # More microbatches than a rank reads ahead, on a device that pauses.
    microbatches = 24
    prepare("gpt", "f32", *plan, batch=2 * microbatches)
    tokens = bytes(2 * 8 * (2 * microbatches + 1))
    pathlib.Path("tokens.bin").write_bytes(tokens)
    result = start("cuda", "--steps", "1", "--timeout", "2", "--log-json",
                   "log.json", PCC_SHARE_DEVICES="1", PCC_DOUBLE_PAUSE="400")
    if result.returncode:
        sys.exit(result.stderr)
    with open("log.json", encoding="utf-8") as lines:
        seconds = max(json.loads(line)["ms"] for line in lines) / 1e3
    print(f"{seconds:.0f} s for a step: exit 0, {result.stderr or 'no errors'}")
    running = begin("cuda", "--steps", "1", PCC_SHARE_DEVICES="1",
                    PCC_DOUBLE_PAUSE="400")
    while not running.stdout.readline().startswith("schedule"):
        pass
    time.sleep(0.5)
    os.truncate("tokens.bin", 0)
    said = running.communicate(timeout=300)[1]
    print(f"cut short: exit {running.returncode}")
    print(said, end="")
    pathlib.Path("tokens.bin").write_bytes(tokens)
    with socket.socket() as port:
        port.bind(("127.0.0.1", 0))
        number = str(port.getsockname()[1])
    ranks = [begin("cuda", *flags, RANK=str(rank), LOCAL_RANK=str(rank),
                   WORLD_SIZE="2", LOCAL_WORLD_SIZE="2", MASTER_ADDR="localhost",
                   MASTER_PORT=number, PCC_SHARE_DEVICES="1")
             for rank, flags in enumerate(([], ["--no-cuda-graphs"]))]
    said = [rank.communicate(timeout=300)[1] for rank in ranks]
    print("graphs of one rank:", *(rank.returncode for rank in ranks))
    print("".join(said), end="")


def graphs():
    made = {}
    for layers, batch in (2, 16), (4, 16), (2, 32):
        sizes = ["--layers", str(layers)] if layers != 2 else []
        prepare("gpt", "f32", sizes=sizes, batch=batch)
        result = start("cuda", "--steps", "1", PCC_DOUBLE_TRACE="trace")
        if result.returncode:
            sys.exit(result.stderr)
        trace = pathlib.Path("trace").read_text(encoding="utf-8").split("\n")
        made[layers, batch] = trace.count("cuGraphInstantiate")
        print(f"{layers} layers, {batch // 2} microbatches: "
              f"{made[layers, batch]} graphs, "
              f"{trace.count('cuGraphLaunch')} launches in a step")
    print(*(line for line in result.stdout.split("\n") if "graphs" in line))
    if len(set(made.values())) != 1:
        sys.exit("graphs are not equally many")


def differs(due, limit, *arguments, **environment):
    """Whether a run's results differ, or it does not end: a device waits
    forever for an input that is filled for another graph."""
    try:
        return run(*arguments, limit=limit, **environment) != due
    except subprocess.TimeoutExpired:
        subprocess.run(["rm", "-rf", "saved", "log.json"], check=True)
        return True


def requireNoticed(graphs, fault, places, due, limit=300):
    """Requires that a fault at some of the positions changes the results.
    `places` are positions, or the name of a function: all its calls."""
    if isinstance(places, str):
        start("cuda", "--steps", "2", *graph_flags(graphs),
              PCC_DOUBLE_TRACE="trace")
        with open("trace", encoding="utf-8") as lines:
            places = range(sum(line.split()[0] == places for line in lines))
    noticed = tried = 0
    for place in places:
        tried += 1
        noticed += any(
            differs(due, limit, "cuda", seed, graphs=graphs,
                    PCC_DOUBLE_FAULT=f"{fault} {place}")
            for seed in SEEDS)
        if noticed == min(ENOUGH, len(places)):
            print(f"{fault}: noticed")
            return
    sys.exit(f"{fault}: {noticed} of {tried} are noticed")


def faults(kind):
    graphs = kind == "graphs"
    prepare("gpt", "f32", batch=16 if graphs else 8)
    due = run("cuda", graphs=graphs)
    if due is None:
        sys.exit(run.said)
    if not graphs:
        requireNoticed(graphs, "drop-wait", "cuStreamWaitEvent", due)
        requireNoticed(graphs, "swap-stream", range(147, 400, 29), due)
        return
    # The first two waits of the 14 are for launches that have ended.
    requireNoticed(graphs, "drop-external", range(2, 14), due)
    # Of five launches in a step the last one has the update.
    requireNoticed(graphs, "swap-graph", [4], due, limit=25)
    result = start("cuda", "--steps", "1", PCC_DOUBLE_FAULT="drop-join 1")
    print(f"drop-join: exit {result.returncode}")
    print(result.stderr, end="")


def errors():
    prepare("gpt", "f32")
    for environment in ({"PCC_DOUBLE_ERROR": "capture"},
                        {"PCC_DOUBLE_ERROR": "wait"},
                        {"PCC_DOUBLE_ERROR": "launch"},
                        {"PCC_DOUBLE_ERROR": "product"},
                        {"PCC_DOUBLE_MIB": "8"}, {"PCC_DOUBLE_CHIP": "89"},
                        {"CUDA_DOUBLE_VERSION": "12080"},
                        {"PCC_DOUBLE_ERROR": "init 804"},
                        {"PCC_DOUBLE_ERROR": "init 803"},
                        # Uncorrectable ECC errors, and launches that fail.
                        {"PCC_DOUBLE_ERROR": "wait 214"},
                        {"PCC_DOUBLE_ERROR": "wait 719"}):
        result = start("cuda", "--steps", "1", **environment)
        print(f"exit {result.returncode}")
        print(result.stderr, end="")
    # The same errors after steps that show that the device works.
    for error in "wait 719 5", "wait 999 5", "wait 700 5", "wait 1 5":
        result = start("cuda", "--steps", "20", PCC_DOUBLE_ERROR=error)
        print(f"exit {result.returncode}")
        print(result.stderr, end="")
    # A driver of a forward-compatibility package (cuda-compat), and a setting
    # that serializes streams.
    result = start("cuda", "--steps", "1", PCC_CUDA_LIBRARIES="",
                   LD_LIBRARY_PATH=str(DOUBLE), PCC_DOUBLE_TRACE="trace",
                   CUDA_DEVICE_MAX_CONNECTIONS="1")
    begun = [line.strip() for line in open("trace", encoding="utf-8")
             if line.startswith("cuInit")]
    print(f"by LD_LIBRARY_PATH: exit {result.returncode},", *begun)
    print(result.stderr, end="")
    # A NaN loss is reported for its step though the host is a step ahead, and
    # no checkpoint is written after it.
    for program in "cpu", "cuda":
        result = start(program, "--steps", "9", "--save-every", "2", "--save", program
                       + ".saved", "--lr", "1e30", "--lr-schedule", "constant",
                       "--clip-grad", "0")
        saved = os.path.isdir(program + ".saved") and os.listdir(program + ".saved")
        print(f"{program}: exit {result.returncode}, saved {saved}")
        print(result.stderr, end="")
    # A later GPU loads PTX, a GPU of the same generation machine code.
    for chip in ("90", "100"):
        result = start("cuda", "--steps", "1", PCC_DOUBLE_CHIP=chip,
                       PCC_DOUBLE_TRACE="trace")
        images = [line.strip() for line in open("trace", encoding="utf-8")
                  if line.startswith("image ")]
        print(f"sm_{chip}:", *images, f"exit {result.returncode}")


def skips():
    folder = HOME / "skips"
    folder.mkdir()
    os.chdir(folder)
    check = [sys.executable, ROOT / "test/Driver/Inputs/nonfinite.py"]
    call(*check, "write", ".")
    pathlib.Path("model.mlir").write_bytes(
        (ROOT / "test/Equivalence/Inputs/losses.mlir").read_bytes())
    chooseFlags(["-q", "--loss=mse", "--precision=f32", "--global-batch-size=8",
                 "--dp=2", "--zero=2"])
    for name, data, *flags in (("counted", "counted"),
                               ("graphs", "all", "--skip-nonfinite", "2"),
                               ("none", "all", "--skip-nonfinite", "2",
                                "--no-cuda-graphs")):
        result = start("cuda", "--lr-schedule", "constant", "--save", name,
                       "--log-json", f"{name}.jsonl", *flags, data=data,
                       PCC_SHARE_DEVICES="1")
        if result.returncode:
            sys.exit(result.stderr)
        if data == "all":
            call(*check, "compare", f"{name}.jsonl", "counted.jsonl")
            call(*check, "same", f"{name}/step-00000006", "counted/step-00000003")
            print(name, *(line for line in result.stdout.split("\n")
                          if line.startswith("skipped")))
    result = start("cuda", "--steps", "900", data="counted", PCC_SHARE_DEVICES="1",
                   PCC_DOUBLE_ERROR="wait 214 40 1")
    print(f"exit {result.returncode}")
    print(result.stderr, end="")


def apart(group=""):
    """The results of a run in which cuDNN processes the samples of a backward
    pass one by one, or groups of their heads."""
    pcc = BUILD / "bin/pcc"
    call(pcc, "model.mlir", *prepare.flags["cuda"], "--emit=rt", "-o", "rt.mlir")
    text = pathlib.Path("rt.mlir").read_text(encoding="utf-8")
    if " samples 2 " not in text:
        sys.exit("samples are done one by one already")
    pathlib.Path("one.mlir").write_text(
        text.replace(" samples 2 ", f" samples 1 {group}"), encoding="utf-8")
    call(pcc, "one.mlir", "-q", "-o", "one")
    return run("one")


def attention():
    prepare("gpt-cudnn", "bf16")
    due = run("cuda")
    if due is None:
        sys.exit(run.said)
    print(*(line for line in start("cuda", "--steps", "1").stdout.split("\n")
            if "in use before" in line))
    print("samples one by one:", apart() == due)
    print("another engine:",
          run("cuda", PCC_DOUBLE_FAULT="attention-engine") == due)
    for fault in "attention-stride", "attention-stats", "attention-order":
        left = run("cuda", PCC_DOUBLE_FAULT=fault)
        if left is None:
            sys.exit(run.said)
        if left == due:
            sys.exit(f"{fault} leaves the same")
        print(f"{fault}: noticed")
    for environment in ({"PCC_DOUBLE_FAULT": "attention-engines"},
                        {"PCC_DOUBLE_FAULT": "attention-workspace"},
                        {"PCC_DOUBLE_CHIP": "100"},
                        {"CUDNN_DOUBLE_VERSION": "91300"},
                        {"CUDNN_DOUBLE_VERSION": "90800"}):
        result = start("cuda", "--steps", "1", **environment)
        print(f"exit {result.returncode}")
        print(result.stderr, end="")


def twoSteps(program, **environment):
    """The rows of a log."""
    result = start(program, "--steps", "2", "--log-json", "log.json",
                   **environment)
    if result.returncode:
        sys.exit(f"{environment}: {result.stderr}")
    with open("log.json", encoding="utf-8") as lines:
        return [{key: row[key] for key in ("loss", "norm")}
                for row in map(json.loads, lines)]


def chips():
    sizes = ["--width", "128", "--seq", "128"]
    for own, precision in (("80", "120"), "f32"), (("100",), "bf16"):
        prepare("gpt-128", precision, sizes=sizes, batch=2,
                gpu=["--gpu-arch=" + ",".join(f"sm_{chip}" for chip in own)])
        due = twoSteps("cpu")
        for chip in own:
            requireNear(twoSteps("cuda", PCC_DOUBLE_CHIP=chip,
                                 PCC_DOUBLE_TRACE="trace"), due, precision)
            with open("trace", encoding="utf-8") as trace:
                images = [line.strip() for line in trace
                          if line.startswith("image ")]
            print(f"sm_{chip} {precision}: {', '.join(images)}, {len(due)} rows "
                  "agree")
    for chip, precision in ("120", "f32"), ("100", "bf16"):
        prepare("gpt-128", precision, sizes=sizes, batch=2)
        result = start("cuda", "--steps", "1", PCC_DOUBLE_CHIP=chip)
        print(f"{precision} for sm_90 on sm_{chip}: exit {result.returncode}")
        print(result.stderr, end="")


def missing():
    """Programs with and without attention by cuDNN if cuDNN is not
    installed."""
    hidden = HOME / "hide.so"
    call("clang-22", "-shared", "-fPIC", "-o", hidden,
         ROOT / "test/Cuda/Inputs/hide.c")
    for model, precision in ("gpt-cudnn", "bf16"), ("gpt", "f32"):
        prepare(model, precision)
        result = start("cuda", "--steps", "1", HIDDEN_LIBRARY="libcudnn",
                       LD_PRELOAD=str(hidden))
        asked = re.findall("^hidden: (.*)\n", result.stderr, re.MULTILINE)
        print(f"{model}: exit {result.returncode},",
              "asks for cuDNN" if asked else "asks for none")
        print(re.sub("^hidden: .*\n", "", result.stderr, flags=re.MULTILINE),
              end="")


def offload():
    """Moments and master weights in the host's memory: the same results."""
    for plan in [], ["--dp", "2", "--zero", "3"]:
        prepare("gpt", "bf16", *plan)
        due = run("cuda", PCC_SHARE_DEVICES="1")
        prepare("gpt", "bf16", *plan, gpu=["--offload=optimizer"])
        if due is None or run("cuda", PCC_SHARE_DEVICES="1") != due:
            sys.exit(run.said)
        result = start("cuda", "--steps", "1", PCC_DOUBLE_TRACE="trace",
                       PCC_SHARE_DEVICES="1")
        print(next(line for line in result.stdout.split("\n")
                   if line.startswith("model")))
        for trace in sorted(glob.glob("trace.*")) or ["trace"]:
            with open(trace, encoding="utf-8") as lines:
                print(trace, *(" ".join(line.split()[1:]) for line in lines
                               if line.startswith("cuMemCreate")), sep=": ")
    prepare("gpt", "bf16", gpu=["--offload=optimizer"])
    for environment in ({"PCC_DOUBLE_MAPS_NO_HOST": "1"},
                        {"PCC_DOUBLE_HOST_MIB": "1"}, {"PCC_DOUBLE_MIB": "8"}):
        result = start("cuda", "--steps", "1", **environment)
        print(f"exit {result.returncode}")
        print(result.stderr, end="")


{"losses": losses, "attention": attention, "missing": missing, "plan": plan,
 "chips": chips, "offload": offload,
 "calls": calls, "slow": slow, "graphs": graphs, "faults": faults,
 "errors": errors, "skips": skips}[sys.argv[2]](*sys.argv[3:])
