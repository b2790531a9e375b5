"""Scaling measurements of scripts/gpu-check on 1, 2, 4, ... GPUs: tokens per
second, efficiency, memory, power, and exposed communication."""

import array
import json
import os
import random
import re
import struct
import tempfile

import bandwidth
import cases
import checks
import machine
import peers
import plans
import prepare
import smi
import speed

NO_MEMORY = 6
# The least number of rows in a log of torch_gpu.py or a program.
STEPS = speed.STEPS
MAGIC, VERSION, HEADER_WORDS = 20240801, 7, 256
# NCCL's operations by the kinds of collectives in a report.
OPERATIONS = {"all_reduce": "all_reduce", "all_gather": "all_gather",
              "reduce_scatter": "reduce_scatter", "send": "send_recv"}


def write_tokens(case, path):
    """Writes random ids for two steps, which a program repeats: as uint16, or
    in llm.c's format of 32-bit ids."""
    vocab, length = (speed.value(case.model, flag) for flag in ("--vocab", "--seq"))
    count = 2 * case.batch * (length + 1)
    ids = random.Random(0).choices(range(vocab), k=count)
    with open(path, "wb") as file:
        if vocab <= 1 << 16:
            array.array("H", ids).tofile(file)
            return
        file.write(struct.pack("<3i", MAGIC, VERSION, count))
        file.write(bytes(4 * (HEADER_WORDS - 3)))
        array.array("I", ids).tofile(file)


def sent_bytes(report):
    """Returns {NCCL operation: bytes sent in a step} of the rank that sends
    most."""
    with open(report) as file:
        ranks = json.load(file)["step"]
    sums = []
    for rank in ranks:
        sums.append({})
        for message in rank["messages"]:
            op = OPERATIONS.get(message["kind"].split()[0])
            if op:
                sums[-1][op] = sums[-1].get(op, 0) + message["bytes_sent"]
    return max(sums, key=lambda kinds: sum(kinds.values()), default={})


def seconds_alone(sent, links):
    """Returns the seconds of a step's communication without overlap, at the
    bus bandwidth of large messages; `links` has it for each operation, in
    GB/s. None if unknown."""
    if any(op not in links for op in sent):
        return None
    return sum(count / links[op] / 1e9 for op, count in sent.items())


def time_case(case, folder, most):
    """Returns (the finding, ""), or (None, the problem)."""
    before = smi.used_mib()
    with tempfile.TemporaryDirectory() as scratch:
        data, report = (os.path.join(scratch, name) for name in ("tokens", "report"))
        write_tokens(case, data)
        watch = smi.Watch()
        watch.start()
        done, rows = prepare.train(
            [os.path.join(folder, cases.file_of(case)), "--steps", str(STEPS),
             "--report", report], data, os.path.join(scratch, "log"), most=most,
            **machine.shared(case.ranks))
        gpus = watch.end()[:case.ranks]
        if "no CUDA device" in done.stderr:
            raise checks.NoDevice(done.stderr)
        if done.returncode == NO_MEMORY and "out of memory" in done.stderr:
            said = re.search("error: (out of memory.*)", done.stderr)
            return {"does_not_fit": said[1] if said else "out of memory"}, ""
        if rows is None:
            return None, f"ends with {done.returncode}: {done.stderr[-400:]}"
        sent = sent_bytes(report) if case.ranks > 1 else {}
    rate = speed.rate(rows)
    used = max((gpu["used_mib"] or 0 for gpu in gpus), default=0)
    arena = re.search(r"^model .*, (\S+ \S+) on this rank", done.stdout, re.M)
    return {"tokens_per_second": rate, "sent": sent, "gpus": gpus,
            "step_ms": 1e3 * case.batch * speed.value(case.model, "--seq") / rate,
            "arena": arena and arena[1],
            "used_mib": max(used - max(before[:case.ranks], default=0), 0),
            "beyond": speed.beyond_arena(done.stdout, used)}, ""


def compare(found, families, peak, links):
    """Adds MFU, efficiency and exposed communication to a finding, from those
    of fewer ranks of its family and of one rank with the same work."""
    rate, ranks = found["tokens_per_second"], found["ranks"]
    if peak:
        found["mfu"] = rate * found["flops_per_token"] / (ranks * peak)
    family = [other for other in families if other["family"] == found["family"]
              and "tokens_per_second" in other]
    least = min(family, key=lambda other: other["ranks"])
    found["efficiency"] = (rate / ranks) / (least["tokens_per_second"]
                                            / least["ranks"])
    found["efficiency_to"] = least["ranks"]
    alone = seconds_alone(found["sent"], links.get(ranks, {}))
    if ranks > 1 and alone is not None:
        found["communication_ms"] = 1e3 * alone
    # A data-parallel rank computes the same as one rank.
    if ranks > 1 and least["ranks"] == 1 and found["is_data_parallel"]:
        found["exposed_ms"] = found["step_ms"] - least["step_ms"]


def measure_links(folder, counts):
    """Returns {ranks: {operation: GB/s}} of large messages; omits failed
    measurements."""
    links = {}
    if not os.path.exists(os.path.join(folder, prepare.COLLECTIVES)):
        return links
    for ranks in counts:
        rows, problem = bandwidth.measure(folder, ranks, [bandwidth.LARGE])
        if problem:
            print(f"NCCL cannot be timed: {problem}\n")
            continue
        links[ranks] = {row["op"]: row["bus_gb_s"] for row in rows}
    return links


def text(found, key, form):
    """Formats a number of a finding, or "-"."""
    return format(found[key], form) if found.get(key) is not None else "-"


def spread(found, key, unit):
    """Formats the minimum and maximum over GPUs."""
    numbers = [gpu[key] for gpu in found["gpus"] if gpu[key] is not None]
    return f"{min(numbers):.0f} to {max(numbers):.0f} {unit}" if numbers else "-"


def show(results):
    checks.table(
        ("program, bf16", "GPUs", "tokens/s", "MFU", "efficiency", "step, ms",
         "NCCL alone, ms", "not hidden, ms", "arena", "memory in use",
         "beyond arena and fixed part", "power of a GPU", "clock of a GPU"),
        [(found["family"], found["ranks"], text(found, "tokens_per_second", ",.0f"),
          text(found, "mfu", ".1%"),
          f"{found['efficiency']:.1%} of {found['efficiency_to']}",
          text(found, "step_ms", ",.1f"), text(found, "communication_ms", ",.1f"),
          text(found, "exposed_ms", ",.1f"), found["arena"] or "-",
          f"{found['used_mib']:.0f} MiB" if found["used_mib"] else "-",
          text(found, "beyond", ".1%"), spread(found, "watts", "W"),
          spread(found, "mhz", "MHz"))
         for found in results if "tokens_per_second" in found])
    for found in results:
        if "does_not_fit" in found:
            print(f"\n{found['case']}: {found['does_not_fit']}")


def run(manifest, folder, only):
    """Runs all races with at most as many ranks as there are GPUs."""
    gpus, results, wrong = machine.Gpus.count, [], []
    races = [case for case in plans.scaled(manifest["gpus"])
             if only in case.name and case.ranks <= gpus and
             os.path.exists(os.path.join(folder, cases.file_of(case)))]
    if gpus < 2 or not races:
        print("This takes several GPUs, and a package that --gpus N --prepare made "
              "for several\n")
        return results, wrong
    peak = smi.peak()
    links = measure_links(folder, sorted({c.ranks for c in races if c.ranks > 1}))
    for case in checks.within(races, wrong):
        left = machine.Limit.left()
        found, problem = time_case(case, folder, left)
        if problem:
            wrong.append(f"{case.name}: {problem}")
            continue
        found.update(case=case.name, family=case.family, ranks=case.ranks,
                     is_data_parallel="--dp" in case.flags,
                     flops_per_token=speed.flops_per_token(case.model))
        results.append(found)
    for found in results:
        if "tokens_per_second" in found:
            compare(found, results, peak, links)
    show(results)
    results += peers.run(races)
    return results, wrong
