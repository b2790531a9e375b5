"""What scripts/gpu-check times: tokens per second beside PyTorch, in one run
and by turns, and memory."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import cases
import checks
import prepare

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEER = os.path.join(ROOT, "benchmarks", "torch_gpu.py")
STEPS, WARM_UP, TURNS = 30, 10, 2
# Dense products of bf16, FLOP/s, as NVIDIA's data sheets have them.
PEAKS = {"H100": 989e12, "H200": 989e12, "A100": 312e12}


def value(model, flag):
    return int(model[model.index(flag) + 1])


def flops_per_token(model):
    """Of forward and backward: six for each weight that a token is multiplied
    with, and the causal half of attention's products."""
    layers, width = value(model, "--layers"), value(model, "--width")
    inner, vocab = value(model, "--inner"), value(model, "--vocab")
    if model[0] == "llama":
        part = value(model, "--kv-heads") / value(model, "--heads")
        block = width * width * (2 + 2 * part) + 3 * width * inner
    else:
        block = 4 * width * width + 2 * width * inner
    weights = layers * block + vocab * width
    return 6 * weights + 6 * layers * width * value(model, "--seq")


class Memory(threading.Thread):
    """The most memory of the GPU that is in use, in MiB; 0: not known."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stopped, self.most = threading.Event(), 0

    @staticmethod
    def used():
        try:
            done = subprocess.run(
                ["nvidia-smi", "--query-gpu=memory.used",
                 "--format=csv,noheader,nounits"], capture_output=True, text=True)
            return int(done.stdout.split()[0])
        except (OSError, ValueError, IndexError):
            return 0

    def run(self):
        while not self.stopped.wait(0.3):
            self.most = max(self.most, self.used())

    def end(self):
        self.stopped.set()
        self.join()
        return self.most


def best(rows):
    """Tokens per second, of the fastest step behind the first ones."""
    return max(row["tok_s"] for row in rows[WARM_UP:])


def time_program(case, folder):
    before, memory = Memory.used(), Memory()
    scratch = tempfile.mkdtemp()
    memory.start()
    done, rows = prepare.train(
        [os.path.join(folder, cases.file_of(case)), "--steps", str(STEPS)],
        folder, os.path.join(scratch, "log"))
    used = memory.end()
    shutil.rmtree(scratch)
    if "no CUDA device" in done.stderr:
        raise checks.NoDevice(done.stderr)
    if rows is None:
        return None, done.stderr[-400:], None
    said = re.search(r"^model .*, (\S+ \S+) on this rank", done.stdout, re.M)
    return best(rows), max(used - before, 0), said and said.group(1)


def time_peer(case, compiled):
    scratch = tempfile.mkdtemp()
    log = os.path.join(scratch, "log")
    command = [sys.executable, PEER, *case.peer, "--steps", str(STEPS), "--log", log]
    done = subprocess.run(command + ["--compile"] * compiled, capture_output=True,
                          text=True)
    rows = None
    if done.returncode == 0:
        with open(log) as file:
            rows = [json.loads(line) for line in file]
    shutil.rmtree(scratch)
    return (best(rows), "") if rows else (None, done.stderr[-400:])


def run(manifest, folder, only):
    """All races."""
    del manifest
    has_torch = importlib.util.find_spec("torch") is not None
    if not has_torch:
        print("python3 has no PyTorch: nothing to compare with\n")
    name = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True).stdout \
        if shutil.which("nvidia-smi") else ""
    peak = next((peak for chip, peak in PEAKS.items() if chip in name), None)
    results, wrong, shown = [], [], []
    for case in cases.RACES:
        if only not in case.name or \
                not os.path.exists(os.path.join(folder, cases.file_of(case))):
            continue
        ours, peers, memory, arena = [], [], 0, None
        for turn in range(TURNS):
            rate, memory, arena = time_program(case, folder)
            if rate is None:
                wrong.append(f"{case.name}: {memory}")
                break
            ours.append(rate)
            if has_torch:
                rate, problem = time_peer(case, compiled=True)
                if rate is None:
                    print(f"PyTorch fails at {case.name}: {problem}\n")
                else:
                    peers.append(rate)
        if not ours:
            continue
        found = {"case": case.name, "tokens_per_second": max(ours),
                 "pytorch": max(peers) if peers else None,
                 "mfu": max(ours) * flops_per_token(case.model) / peak if peak
                 else None, "arena": arena, "used_mib": memory}
        results.append(found)
        shown.append((
            case.name, f"{found['tokens_per_second']:,.0f}",
            f"{found['mfu']:.1%}" if peak else "-",
            f"{found['pytorch']:,.0f}" if peers else "-",
            f"{max(ours) / max(peers):.2f}" if peers else "-", arena or "-",
            f"{memory} MiB" if memory else "-"))
    checks.table(("program, bf16", "tokens/s", "MFU", "PyTorch, compiled", "ratio",
                  "arena", "memory in use"), shown)
    return results, wrong
