#!/usr/bin/env python3
"""Programs whose optimizer state is in files leave the same bits as others, in
any plan, and keep little of it in memory. A program whose state does not fit
into a limit trains within it. Kills leave no file; a folder without space, one
in memory and a failing disk end a run. The test kills 6 runs during saves and 4
at their start; scripts/test --all: 50 and 20, and more plans.

RUN: rm -rf %t && mkdir %t && cd %t && %python %s %root
"""

import contextlib
import json
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import time

ROOT = pathlib.Path(sys.argv[1])
ALL = bool(os.environ.get("PCC_TEST_ALL"))
GPT2 = str(ROOT / "examples/gpt2/gpt2.onnx")
DATA = str(ROOT / "examples/data/gpl-3.bin")
OFFLOAD = "--offload=optimizer=disk"
pathlib.Path("disk").mkdir()


def call(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True,
                          text=True, timeout=600)
    if done.returncode:
        sys.exit(f"{command}: {done.returncode}: {done.stderr[-3000:]}")
    return done.stdout


def rowsOf(log):
    with open(log, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [(row["step"], row["loss"], row["norm"]) for row in rows]


def train(program, *flags, folder, data=DATA):
    """The rows of a run's log, and the files of its last checkpoint."""
    shutil.rmtree(folder, ignore_errors=True)
    pathlib.Path("log.json").unlink(missing_ok=True)
    call(f"./{program}", "--data", data, "--lr", "1e-2", "--save", folder,
         "--log-json", "log.json", *flags)
    rows = rowsOf("log.json")
    last = pathlib.Path(folder) / (pathlib.Path(folder) / "latest").read_text().strip()
    files = {str(path.relative_to(last)): path.read_bytes()
             for path in sorted(last.rglob("*.safetensors"))}
    assert "model.safetensors" in files, files.keys()
    return rows, files


def compiled(name, *flags):
    """Compiles a program; returns its report."""
    return json.loads(call("pcc", *flags, "--report=json", "-o", name))


def sameBits():
    plans = [
        ["--precision=bf16"],
        ["--dp=2", "--zero=3", "--precision=bf16", "--bucket-size=64KiB"],
        ["--dp=2", "--zero=1", "--tp=2"],
        ["--pp=2", "--precision=fp16", "--global-batch-size=4"],
        ["--target=cuda-emulated", "--dp=2", "--zero=2"],
    ]
    if ALL:
        plans += [["--optimizer=sgd", "--precision=bf16"], ["--cp=2", "--zero=2"],
                  ["--dp=2", "--zero=0", "--precision=bf16"],
                  ["--dp=2", "--zero=3", "--overlap=off"],
                  ["--pp=2", "--tp=2", "--bucket-size=16KiB"]]
    for plan in plans:
        flags = [GPT2, "--seq=32", *plan]
        plain = compiled("plain", *flags)
        device = "--target=cuda-emulated" in plan
        moved = compiled("moved", *flags,
                         "--offload=optimizer" if device else OFFLOAD)
        for stage, before in zip(moved["stages"], plain["stages"], strict=True):
            assert stage["offloaded_bytes"] % (2 << 20) == 0, stage
            assert stage["arena_bytes"] == stage["offloaded_bytes"] + sum(
                stage[f"{kind}_bytes"] for kind in
                ("parameter", "gradient", "optimizer", "activation")), stage
            assert stage["optimizer_bytes"] == 0, stage
            # Master weights are offloaded, their working copies are not.
            isLess = stage["parameter_bytes"] < before["parameter_bytes"]
            assert isLess == (moved["precision"] != "f32"), (stage, before)
            assert ("offload_window_bytes" in stage) == (not device), stage
        due = train("plain", "--steps", "5", folder="plain.saved")
        # SGD has no state of its own.
        assert len(due[1]) > 1 or "--optimizer=sgd" in plan, due[1].keys()
        assert train("moved", "--steps", "5", folder="moved.saved") == due, plan
        # A checkpoint resumes in either.
        for first, second in (("plain", "moved"), ("moved", "plain")):
            train(first, "--steps", "5", "--stop-after", "2", folder="half")
            call(f"./{second}", "--resume", "half", "--save", "rest", "--steps",
                 "5", "--log-json", "log.json")
            # The log of the first run goes on.
            assert rowsOf("log.json") == due[0], (plan, first, second)
            shutil.rmtree("rest")
        assert not os.listdir("disk")
        print("same bits:", *plan)


def usedMemory(command, before=None):
    """The exit status, what the command says, and the most memory that it had,
    in bytes. `before` is called in its process first."""
    with open("said", "w", encoding="utf-8") as said:
        run = subprocess.Popen(command, stdout=said, stderr=said,
                               preexec_fn=before)
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    return (run.returncode, pathlib.Path("said").read_text(encoding="utf-8"),
            usage.ru_maxrss << 10)


def dataOf(command):
    """The data of a process once it trains, in bytes: private memory that it
    may write, touched or not. Libraries reserve some."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        while not run.stdout.readline().startswith("step"):
            assert run.poll() is None
        status = pathlib.Path(f"/proc/{run.pid}/status").read_text()
        run.kill()
    line = next(line for line in status.split("\n") if line.startswith("VmData"))
    return int(line.split()[1]) << 10


class Limit:
    """A limit of the memory of processes that enter it: a control group's, or
    else `data`, of the private memory of each one."""

    def __init__(self, limit, data):
        self.limit, self.data = limit, data
        self.group = pathlib.Path(f"/sys/fs/cgroup/memory/pcc-{os.getpid()}")
        try:
            self.group.mkdir()
            (self.group / "memory.limit_in_bytes").write_text(str(limit))
        except OSError:
            self.group = None

    def enter(self):
        if self.group:
            (self.group / "cgroup.procs").write_text(str(os.getpid()))
        else:
            resource.setrlimit(resource.RLIMIT_DATA, (self.data, self.data))

    def __str__(self):
        return "control group" if self.group else "limit of data"

    def end(self):
        if self.group:
            self.group.rmdir()


def largeModel(name, *sizes):
    text = call(sys.executable, ROOT / "test/Inputs/models/make.py", "gpt",
                "--heads=4", "--batch=1", "--seq=16", "--vocab=64", *sizes)
    pathlib.Path(name).write_text(
        'module attributes {pcc.phase = "nn"} {\n' + text + "}\n")


def memory():
    """Of 18 bytes of a parameter, 12 are offloaded."""
    largeModel("large.mlir", "--layers=16", "--width=256", "--inner=1024")
    largeModel("small.mlir", "--layers=1", "--width=16", "--inner=16")
    pathlib.Path("tokens.bin").write_bytes(
        b"".join(struct.pack("<H", i * i % 47) for i in range(600)))
    flags = ["--loss=causal-lm", "--precision=bf16", "--bucket-size=1MiB"]
    run = ["--data", "tokens.bin", "--init", "random", "--steps", "3"]
    os.environ["OMP_NUM_THREADS"] = "1"

    def needs(report):
        stage = report["stages"][0]
        return (stage["arena_bytes"] - stage.get("offloaded_bytes", 0)
                + stage.get("offload_window_bytes", 0))

    compiled("small", "small.mlir", *flags)
    code, said, libraries = usedMemory(["./small", *run])
    assert code == 0, said
    plain = compiled("plain", "large.mlir", *flags)
    moved = compiled("moved", "large.mlir", *flags, OFFLOAD)
    stage = moved["stages"][0]
    offloaded, allBytes = stage["offloaded_bytes"], needs(plain)
    assert abs(offloaded - 12 * moved["parameters"]) < 3 << 20, stage
    assert needs(moved) < 0.5 * allBytes, (needs(moved), allBytes)
    code, said, most = usedMemory(["./moved", *run])
    assert code == 0, said
    allowed = 1.1 * (needs(moved) + libraries)
    assert most < allowed, (most, allowed, libraries)
    # A save has three blocks of a file in memory; a resumed run maps pieces of
    # checkpoints.
    allowed += 3 << 24
    code, said, most = usedMemory(["./moved", *run, "--save", "large.saved"])
    assert code == 0 and most < allowed, (said, most, allowed)
    code, said, most = usedMemory(
        ["./moved", "--resume", "large.saved", "--steps", "4"])
    assert code == 0 and most < allowed, (said, most, allowed)
    # The plain program needs twice the limit.
    # At the start a program checks that OpenBLAS can reserve 128 MiB.
    most = int(1.1 * (needs(moved) + libraries))
    limit = Limit(most, most + dataOf(["./small", *run[:-1], "100000"]) +
                  (128 << 20))
    code, said, _ = usedMemory(["./plain", *run], limit.enter)
    assert code != 0 and "step 3/3" not in said, said
    code, said, most = usedMemory(["./moved", *run], limit.enter)
    assert code == 0 and "step 3/3" in said, said
    print(f"{limit} of {limit.limit >> 20} MiB, {libraries >> 20} of them of "
          f"libraries: {most >> 20} MiB used; all state needs "
          f"{allBytes >> 20}", file=sys.stderr)
    limit.end()
    assert not os.listdir("disk")
    print("memory: within the limit")


def kills():
    folder = os.path.abspath("disk")
    compiled("killed", GPT2, "--seq=16", "--dp=2", "--precision=bf16",
             f"--offload=optimizer={folder}")
    call(sys.executable, ROOT / "test/Runtime/kills.py", 50 if ALL else 6,
         os.path.abspath("killed"), DATA)
    assert not os.listdir("disk")
    for _ in range(20 if ALL else 4):
        with subprocess.Popen(["./killed", "--data", DATA, "--steps", "100"],
                              stdout=subprocess.DEVNULL,
                              start_new_session=True) as run:
            time.sleep(random.uniform(0, 1))
            os.killpg(run.pid, 9)
        assert not os.listdir("disk")
    print("kills: no file is left")


@contextlib.contextmanager
def mounted(image, size):
    """Mounts a new file system of `size` MiB; yields its folder, or none where
    this user may not."""
    folder = os.path.basename(image) + ".mounted"
    try:
        with open(image, "wb") as file:
            file.truncate(size << 20)
        os.mkdir(folder)
        for command in (["mkfs.ext4", "-q", "-E", "nodiscard", "-O",
                         "^has_journal", image],
                        ["mount", "-o", "loop", image, folder]):
            subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as why:
        print(f"cannot mount {image}: {why}", file=sys.stderr)
        yield None
        return
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def refusals():
    compiled("refused", GPT2, "--seq=16", OFFLOAD)

    def expect(code, *texts, command=("./refused",), flags=(), before=None):
        got, said, _ = usedMemory(
            [*command, "--data", DATA, "--steps", "3", *flags], before)
        assert got == code and "step 1/3" not in said, (got, said)
        for text in texts:
            assert text in said, (text, said)

    expect(8, "error: cannot offload 2.0 MiB to 'none': No such file or directory",
           "note: --offload-dir names another folder",
           flags=["--offload-dir", "none"])
    expect(8, "error: cannot offload 2.0 MiB to 'refused': Not a directory",
           flags=["--offload-dir", "refused"])
    expect(8, "error: cannot offload to '/dev/shm': its files are in memory "
           "(tmpfs)", "note: --offload-dir names a folder on a disk",
           flags=["--offload-dir", "/dev/shm"])
    # A limit of file sizes, which a smaller file of the log is within.
    expect(8, "error: cannot offload 2.0 MiB to 'disk': File too large",
           before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                             (1 << 20, 1 << 20)))
    compiled("plain", GPT2, "--seq=16")
    expect(2, "error: --offload-dir: this program offloads nothing to files",
           "note: pcc --offload optimizer=DIR compiles one that does",
           command=["./plain"], flags=["--offload-dir", "disk"])
    # Disks of 2 MiB, and of 64 MiB on one of those, where this user may mount.
    with mounted("image", 2) as folder:
        if folder:
            expect(8, f"error: cannot offload 2.0 MiB to '{folder}': No space left "
                   "on device", flags=["--offload-dir", folder])
            assert os.listdir(folder) == ["lost+found"]
    compiled("low", GPT2, "--seq=16", "--precision=bf16", OFFLOAD)
    with mounted("outer", 2) as outer:
        with mounted(f"{outer}/inner", 64) as inner:
            if outer and inner:
                expect(8, "error: cannot write offloaded optimizer state: ",
                       command=["./low"], flags=["--offload-dir", inner])
    # The disk fails: the file loses its bytes.
    with subprocess.Popen(["./refused", "--data", DATA, "--steps", "1000000"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as run:
        while " 2/1000000" not in run.stdout.readline():
            assert run.poll() is None
        descriptors = pathlib.Path(f"/proc/{run.pid}/fd")
        own = [path for path in descriptors.iterdir()
               if os.readlink(path).startswith(os.path.abspath("disk") + "/")]
        assert len(own) == 1, own
        os.truncate(own[0], 0)
        try:
            said = run.communicate(timeout=60)[1]
        finally:
            run.kill()
    assert run.returncode == 8, (run.returncode, said)
    assert ("error: cannot read optimizer state that was offloaded to 'disk': its "
            "disk failed") in said, said
    text = call("./refused", "--info")
    assert ", 2.0 MiB offloaded to 'disk'" in text, text
    text = call("./refused", "--data", DATA, "--steps", "1", "--offload-dir", ".")
    assert ", 2.0 MiB offloaded to '.'" in text, text
    print("refusals: exit 8")


for test in sys.argv[2:] or ("sameBits", "memory", "kills", "refusals"):
    globals()[test]()
