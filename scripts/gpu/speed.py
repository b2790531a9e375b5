"""Speed measurements of scripts/gpu-check: tokens per second of pcc and
PyTorch, alternately, and memory."""

import array
import importlib.util
import json
import os
import random
import re
import sys
import tempfile
import time

import cases
import checks
import machine
import prepare
import smi

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEER = os.path.join(ROOT, "benchmarks", "torch_gpu.py")
STEPS, WARM_UP, TURNS = 30, 10, 2


def value(model, flag):
    return int(model[model.index(flag) + 1])


def flops_per_token(model):
    """Returns the FLOPs of forward and backward pass: six for each weight that
    a token is multiplied with, and the causal half of attention's GEMMs."""
    layers, width = value(model, "--layers"), value(model, "--width")
    inner, vocab = value(model, "--inner"), value(model, "--vocab")
    if model[0] == "llama":
        part = value(model, "--kv-heads") / value(model, "--heads")
        block = width * width * (2 + 2 * part) + 3 * width * inner
    else:
        block = 4 * width * width + 2 * width * inner
    weights = layers * block + vocab * width
    return 6 * weights + 6 * layers * width * value(model, "--seq")


UNITS = {"KiB": 1 / 1024, "MiB": 1, "GiB": 1024}


def beyond_arena(said, used):
    """Returns the memory in use beyond the arena, the GEMM workspace and the
    memory in use before, as a fraction of the arena; None if unknown."""
    size = r"(\S+) ([KMG]iB)"
    arena = re.search(rf"^model .*, {size} on this rank", said, re.M)
    rest = re.search(rf"{size} for \w+, {size} of memory in use before", said)
    if not used or not arena or not rest:
        return None
    arena, *rest = (float(number) * UNITS[unit] for number, unit in (
        arena.groups(), rest.groups()[:2], rest.groups()[2:]))
    return round((used - arena - sum(rest)) / arena, 4)


def rate(rows):
    """Returns the tokens per second over all steps after warm-up. Single steps
    are unreliable, since the program runs a step ahead of its log."""
    rows = rows[WARM_UP:]
    return len(rows) / sum(1 / row["tok_s"] for row in rows)


def write_tokens(case, path):
    """Writes random ids of the vocabulary, as PyTorch's side draws them."""
    count = case.batch * (value(case.model, "--seq") + 1) * (STEPS + 1)
    ids = random.Random(0).choices(range(value(case.model, "--vocab")), k=count)
    with open(path, "wb") as file:
        array.array("H", ids).tofile(file)


def time_program(case, folder, most, *flags):
    """Returns (tokens per second, memory figures), or (None, the problem)."""
    before, watch = (smi.used_mib() or [0])[0], smi.Watch()
    with tempfile.TemporaryDirectory() as scratch:
        data = os.path.join(scratch, "tokens.bin")
        write_tokens(case, data)
        watch.start()
        done, rows = prepare.train(
            [os.path.join(folder, cases.file_of(case)), "--steps", str(STEPS),
             *flags], data, os.path.join(scratch, "log"), most=most)
        gpus = watch.end()
    if "no CUDA device" in done.stderr:
        raise checks.NoDevice(done.stderr)
    if rows is None:
        return None, done.stderr[-400:]
    said = re.search(r"^model .*, (\S+ \S+) on this rank", done.stdout, re.M)
    # The program uses the first GPU.
    gpu = gpus[0] if gpus else {"used_mib": 0, "watts": None, "mhz": None}
    used = gpu["used_mib"] or 0
    return rate(rows), {"used_mib": max(used - before, 0),
                        "arena": said and said.group(1),
                        "beyond": beyond_arena(done.stdout, used),
                        "watts": gpu["watts"], "mhz": gpu["mhz"]}


def time_peer(case, most):
    """Returns (tokens per second, ""), or (None, the problem)."""
    with tempfile.TemporaryDirectory() as scratch:
        log = os.path.join(scratch, "log")
        done = machine.run([sys.executable, PEER, *case.peer, "--steps", str(STEPS),
                            "--json", log, "--compile"], most)
        if done.returncode == machine.OUT_OF_TIME:
            return None, done.stderr[-400:] + (
                "it compiles for a minute or so before the first step: --minutes "
                "gives it more, --only leaves out other models")
        if done.returncode:
            return None, done.stderr[-400:]
        with open(log) as file:
            return rate([json.loads(line) for line in file]), ""


def share_of(case, races, has_torch):
    """Returns this case's share of the remaining seconds, larger with PyTorch,
    which compiles first. None without a deadline."""
    weights = [2 if peers_with(race, has_torch) else 1 for race in races]
    at = races.index(case)
    left = machine.Limit.left()
    return left and left * weights[at] / sum(weights[at:])


def is_first(case):
    """Whether the case is the first of its model, with which the program
    without graphs and PyTorch are timed, too."""
    return case is next(race for race in cases.RACES if race.peer == case.peer)


def peers_with(case, has_torch):
    """Whether PyTorch is timed with the case."""
    return has_torch and is_first(case)


def time_case(case, folder, has_torch, share=None):
    """Runs a race within its share of seconds; returns the finding and the
    problem. Another round starts only if the time of the previous one is
    left."""
    found, problem = {"case": case.name, "pytorch": None}, ""
    began, turn = time.monotonic(), 0.0
    for _ in range(TURNS):
        begun = time.monotonic()
        left = lambda: share and max(share - (time.monotonic() - began), 1)
        if turn and share and left() < turn:
            break
        got, memory = time_program(case, folder, left())
        if got is None:
            return found, f"{case.name}: {memory}"
        found.update(memory,
                     tokens_per_second=max(got, found.get("tokens_per_second", 0)))
        if is_first(case):
            got, why = time_program(case, folder, left(), "--no-cuda-graphs")
            if got is None:
                return found, f"{case.name}, --no-cuda-graphs: {why}"
            found["without_graphs"] = max(got, found.get("without_graphs", 0))
        if peers_with(case, has_torch):
            got, why = time_peer(case, left())
            if got is None:
                print(f"PyTorch fails at {case.name}: {why}\n", flush=True)
            else:
                found["pytorch"] = max(got, found["pytorch"] or 0)
        turn = time.monotonic() - begun
    return found, problem


def run(manifest, folder, only):
    """Runs all races."""
    del manifest
    has_torch = importlib.util.find_spec("torch") is not None
    if not has_torch:
        print("python3 has no PyTorch: nothing to compare with\n")
    peak = smi.peak()
    results, wrong, shown, peers = [], [], [], {}
    races = [case for case in cases.RACES if only in case.name and
             os.path.exists(os.path.join(folder, cases.file_of(case)))]
    for case in races:
        found, problem = time_case(case, folder, has_torch,
                                   share_of(case, races, has_torch))
        if problem:
            wrong.append(problem)
        ours = found.get("tokens_per_second")
        theirs = found["pytorch"] or peers.get(tuple(case.peer))
        peers[tuple(case.peer)] = found["pytorch"] = theirs
        plain = found.get("without_graphs")
        if not ours:
            continue
        found["mfu"] = ours * flops_per_token(case.model) / peak if peak else None
        results.append(found)
        shown.append((
            case.name, f"{ours:,.0f}", f"{plain:,.0f}" if plain else "-",
            f"{found['mfu']:.1%}" if peak else "-",
            f"{theirs:,.0f}" if theirs else "-",
            f"{ours / theirs:.2f}" if theirs else "-", found["arena"] or "-",
            f"{found['used_mib']:.0f} MiB" if found["used_mib"] else "-",
            f"{found['beyond']:.1%}" if found["beyond"] is not None else "-",
            f"{found['watts']:.0f} W" if found["watts"] else "-",
            f"{found['mhz']:.0f} MHz" if found["mhz"] else "-"))
    checks.table(("program, bf16", "tokens/s", "without graphs", "MFU",
                  "PyTorch, compiled", "ratio", "arena", "memory in use",
                  "beyond arena and fixed part", "power", "clock"), shown)
    return results, wrong
