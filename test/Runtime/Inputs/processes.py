"""The processes of a run's ranks."""

import os
import re
import time


def ranks(run):
    """{rank: process} of the ranks whose ancestor is the run."""
    parents, found = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rsplit(")", 1)[1]
                                         .split()[1])
            with open(f"/proc/{name}/environ", "rb") as file:
                match = re.search(rb"OMPI_COMM_WORLD_RANK=(\d+)", file.read())
        except OSError:
            continue
        if match:
            found[int(name)] = int(match[1])

    def below(process):
        while process > 1:
            if process == run.pid:
                return True
            process = parents.get(process, 0)
        return False

    return {rank: process for process, rank in found.items()
            if below(process)}


def gone(process):
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def untilGone(processes):
    begin = time.time()
    while not all(map(gone, processes)):
        assert time.time() - begin < 10, "ranks are left"
        time.sleep(0.05)
