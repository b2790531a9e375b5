"""The machine with the GPUs, as scripts/gpu-check finds it: how many there are,
how programs are run there, by when they have to end, and where the libraries are
that they open. Run as a script, it prints how many GPUs CUDA finds."""

import ctypes
import glob
import importlib.util
import os
import signal
import site
import subprocess
import sys
import time

# Folders of drivers that loaders of containers are not always told of.
DRIVERS = ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu",
           "/usr/lib64", "/usr/lib/wsl/lib")
OUT_OF_TIME = 124


class Limit:
    """By when what is run has to be over; by default at no time."""
    end = None

    @classmethod
    def set(cls, seconds):
        cls.end = time.monotonic() + seconds

    @classmethod
    def left(cls):
        """Seconds; None: there is no end."""
        return None if cls.end is None else max(cls.end - time.monotonic(), 0)

    @classmethod
    def has(cls, seconds):
        """Whether as many seconds are left."""
        return cls.end is None or cls.left() >= seconds


def driver_folder():
    """Where the driver's library lies, unless the loader knows; else None."""
    return next((folder for folder in DRIVERS
                 if os.path.exists(os.path.join(folder, "libcuda.so.1"))), None)


def package_folders():
    """Folders of libraries that packages of this Python have, PyTorch's too."""
    roots = [*site.getsitepackages(), site.getusersitepackages(), *sys.path]
    torch = importlib.util.find_spec("torch")
    if torch and torch.origin:
        roots.append(os.path.dirname(os.path.dirname(torch.origin)))
    found = []
    for root in roots:
        for folder in sorted(glob.glob(os.path.join(root, "nvidia", "*", "lib"))):
            if folder not in found:
                found.append(folder)
    return found


def environment(**more):
    """That of programs: what the user names comes first, then what the loader
    has not been told of."""
    folders = os.environ.get("PCC_CUDA_LIBRARIES", "").split(":")
    folders += package_folders()
    if driver_folder():
        folders.append(driver_folder())
    # A program that is told does not start itself anew, which tools that
    # follow it need not see. CUDA counts GPUs as nvidia-smi does.
    return {"GOMP_SPINCOUNT": "20000", "CUDA_DEVICE_ORDER": "PCI_BUS_ID", **os.environ,
            "PCC_CUDA_LIBRARIES": ":".join(f for f in folders if f), **more}


def visible():
    """What CUDA_VISIBLE_DEVICES lists; None where it is not set."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return None if given is None else [gpu.strip() for gpu in given.split(",")]


class Gpus:
    """The GPUs that programs see."""
    count = 0

    @classmethod
    def find(cls):
        """Counts them, by a process that ends: a driver that was started does not
        survive a fork."""
        done = subprocess.run([sys.executable, os.path.abspath(__file__)],
                              env=environment(), capture_output=True, text=True)
        cls.count = int(done.stdout) if done.returncode == 0 else 0

    @classmethod
    def ids(cls):
        """A value of CUDA_VISIBLE_DEVICES for each."""
        return (visible() or [str(gpu) for gpu in range(cls.count)])[:cls.count]

    @classmethod
    def keep(cls, count):
        """Hides all but the first ones."""
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(cls.ids()[:count])
        cls.count = count


def shared(ranks):
    """The environment of so many ranks: where each can have a GPU of its own, it
    has one, and NCCL the links between them."""
    return {"PCC_SHARE_DEVICES": "1"} if ranks > max(Gpus.count, 1) else {}


def count_devices():
    """How many devices the driver finds that programs open."""
    folders = os.environ.get("PCC_CUDA_LIBRARIES", "").split(":")
    for folder in [f for f in folders if f] + [""]:
        try:
            driver = ctypes.CDLL(os.path.join(folder, "libcuda.so.1"))
        except OSError:
            continue
        count = ctypes.c_int()
        if driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)):
            return 0
        return count.value
    return 0


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """A program that is about to be run ends when this process does."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def run(command, most=None, cwd=None, **more):
    """Runs a program to its end, or to that of the time: of `most` seconds, and
    of the Limit. Then it ends, with all that it has started, with OUT_OF_TIME."""
    limits = [limit for limit in (most, Limit.left()) if limit is not None]
    started = subprocess.Popen(
        command, cwd=cwd, env=environment(**more), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=end_with_parent)
    try:
        out, err = started.communicate(timeout=min(limits) if limits else None)
        return subprocess.CompletedProcess(command, started.returncode, out, err)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        out, err = started.communicate()
        seconds = f"{min(limits):.0f} s were over\n"
        return subprocess.CompletedProcess(command, OUT_OF_TIME, out, err + seconds)


def call(command, most):
    """Runs a command that prints where this one does, for `most` seconds; returns
    its code, OUT_OF_TIME if it was ended. What it runs by run() ends with it."""
    started = subprocess.Popen(command)
    try:
        return started.wait(most)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()
        return OUT_OF_TIME


if __name__ == "__main__":
    print(count_devices())
