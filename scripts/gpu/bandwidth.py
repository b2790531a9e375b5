"""Times NCCL's collectives between the GPUs, with a program that loads the same
library as training programs (benchmarks/collectives.cpp)."""

import json
import os

import checks
import machine
import plans
import prepare

MIB = 1 << 20
SIZES = [MIB // 16, MIB, 16 * MIB, 64 * MIB, 256 * MIB]
# Message size whose bandwidth represents collectives of a training step.
LARGE = 64 * MIB


def bus_share(op, ranks):
    """Returns the factor from algorithm to bus bandwidth, as in nccl-tests:
    the bus bandwidth is that of the links, for any number of ranks."""
    return {"all_reduce": 2 * (ranks - 1) / ranks, "send_recv": 1}.get(
        op, (ranks - 1) / ranks)


def measure(folder, ranks, sizes, most=None):
    """Returns (the program's rows with GB/s, ""), or ([], the problem)."""
    done = machine.run([os.path.join(folder, prepare.COLLECTIVES), str(ranks),
                        *map(str, sizes)], most, **machine.shared(ranks))
    if "no CUDA device" in done.stderr:
        raise checks.NoDevice(done.stderr)
    if done.returncode:
        return [], f"{ranks} ranks: ends with {done.returncode}: {done.stderr[-400:]}"
    rows = [json.loads(line) for line in done.stdout.splitlines()
            if line.startswith("{")]
    for row in rows:
        row["algorithm_gb_s"] = row["bytes"] / row["seconds"] / 1e9
        row["bus_gb_s"] = row["algorithm_gb_s"] * bus_share(row["op"], ranks)
    return rows, ""


def run(manifest, folder, only):
    """Times all operations on 2, 4, ... ranks, each on a GPU of its own."""
    del manifest
    gpus, results, wrong = machine.Gpus.count, [], []
    if gpus < 2 or not os.path.exists(os.path.join(folder, prepare.COLLECTIVES)):
        print("This takes several GPUs, and the program of a package that --gpus N "
              "--prepare made for several\n")
        return results, wrong
    for ranks in plans.counts(gpus)[:0:-1]:
        rows, problem = measure(folder, ranks, SIZES)
        if problem:
            wrong.append(problem)
        results += [row for row in rows if only in row["op"]]
    checks.table(
        ("NCCL", "ranks", "MiB", "us", "GB/s, algorithm", "GB/s, bus"),
        [(row["op"], row["ranks"], f"{row['bytes'] / MIB:g}",
          f"{row['seconds'] * 1e6:,.1f}", f"{row['algorithm_gb_s']:,.1f}",
          f"{row['bus_gb_s']:,.1f}") for row in results])
    return results, wrong
