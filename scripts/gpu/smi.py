"""Queries nvidia-smi: names of the GPUs, and their memory, power and clocks
while a program runs."""

import csv
import io
import re
import subprocess
import threading

import machine

# Peak FLOP/s of dense bf16 matmuls, from NVIDIA's data sheets (half of their
# figures with sparsity). Without a match no MFU is reported.
PEAKS = (
    (r"\bA100\b", 312e12),
    (r"\bL40S\b", 362e12),
    (r"\bH100 PCIe\b", 756e12),
    (r"\bH100 NVL\b", 835e12),
    (r"\bH100 80GB HBM3\b", 989e12),  # SXM
    (r"\bH200 NVL\b", 835e12),
    (r"\bH200\b", 989e12),
    (r"\bGH200\b", 989e12),
    (r"\bB200\b", 2250e12),
)
SECONDS_BETWEEN = 0.3
FIELDS = ("index", "uuid", "memory.used", "power.draw", "clocks.sm")


def query(*fields):
    """Returns a row of texts for each GPU that nvidia-smi lists; [] without
    it."""
    try:
        done = subprocess.run(
            ["nvidia-smi", "--query-gpu=" + ",".join(fields),
             "--format=csv,noheader,nounits"], capture_output=True, text=True)
    except OSError:
        return []
    if done.returncode:
        return []
    rows = csv.reader(io.StringIO(done.stdout), skipinitialspace=True)
    return [row for row in rows if len(row) == len(fields)]


def selected(rows):
    """Returns the rows, which begin with index and UUID, of the GPUs in
    CUDA_VISIBLE_DEVICES, in its order; all rows if it is not set."""
    ids = machine.visible()
    if ids is None:
        return rows
    return [row for gpu in ids for row in rows if row[0] == gpu or
            (gpu.startswith("GPU-") and row[1].startswith(gpu))]


def names():
    """Returns the names of the visible GPUs."""
    return [row[2] for row in selected(query("index", "uuid", "name"))]


def peak_of(name):
    """Returns the dense bf16 FLOP/s of a GPU by name; None if unknown."""
    return next((peak for pattern, peak in PEAKS if re.search(pattern, name)), None)


def peak():
    """Returns the peak of the machine's GPUs, which must be of one kind;
    prints a message and returns None if it is unknown."""
    found = sorted(set(names()))
    known = {peak_of(name) for name in found}
    if len(known) == 1 and None not in known:
        return known.pop()
    if found:
        print(f"the peak of {' and '.join(repr(name) for name in found)} is not "
              "known: no MFU\n")
    return None


def number(text):
    """Parses a field; None if nvidia-smi has no value ("[N/A]")."""
    try:
        return float(text)
    except ValueError:
        return None


def used_mib():
    """Returns the MiB in use on each visible GPU."""
    return [number(row[2]) or 0
            for row in selected(query("index", "uuid", "memory.used"))]


class Watch(threading.Thread):
    """Samples the visible GPUs until end() is called."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stopped, self.samples = threading.Event(), []

    def run(self):
        while not self.stopped.wait(SECONDS_BETWEEN):
            self.sample()

    def sample(self):
        rows = selected(query(*FIELDS))
        if rows:
            self.samples.append([[number(text) for text in row[2:]]
                                 for row in rows])

    def end(self):
        """Stops sampling. Returns for each GPU the maximum of MiB in use, and
        the means of watts and MHz over the busier half of the samples, since a
        run begins and ends idle. Unknown values are None."""
        self.stopped.set()
        self.join()
        # A short run may have none.
        if not self.samples:
            self.sample()
        if not self.samples:
            return []
        return [self.summary([sample[i] for sample in self.samples
                              if i < len(sample)])
                for i in range(len(self.samples[0]))]

    @staticmethod
    def summary(samples):
        memory, power, clock = ([value for value in column if value is not None]
                                for column in zip(*samples))
        busy = sorted((s for s in samples if s[1] is not None),
                      key=lambda s: -s[1])[:(len(samples) + 1) // 2]
        clock = [s[2] for s in busy if s[2] is not None] or clock
        mean = lambda values: sum(values) / len(values) if values else None
        return {"used_mib": max(memory, default=None),
                "watts": mean([s[1] for s in busy] or power), "mhz": mean(clock)}
