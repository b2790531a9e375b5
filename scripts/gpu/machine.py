"""The GPU machine of scripts/gpu-check: its number of GPUs, running programs
with time limits, and the folders of the libraries that they load. Run as a
script, it prints the number of GPUs that CUDA finds."""

import ctypes
import glob
import importlib.util
import os
import signal
import site
import subprocess
import sys
import time

# Driver folders that a container's loader configuration may lack.
DRIVERS = ("/usr/local/nvidia/lib64", "/usr/lib/x86_64-linux-gnu",
           "/usr/lib64", "/usr/lib/wsl/lib")
OUT_OF_TIME = 124


class Limit:
    """The deadline of everything that runs; none by default."""
    end = None

    @classmethod
    def set(cls, seconds):
        cls.end = time.monotonic() + seconds

    @classmethod
    def left(cls):
        """Returns the seconds left; None without a deadline."""
        return None if cls.end is None else max(cls.end - time.monotonic(), 0)

    @classmethod
    def has(cls, seconds):
        """Whether this many seconds are left."""
        return cls.end is None or cls.left() >= seconds


def driver_folder():
    """Returns the folder of the driver's library, or None."""
    return next((folder for folder in DRIVERS
                 if os.path.exists(os.path.join(folder, "libcuda.so.1"))), None)


def package_folders():
    """Returns the library folders of this Python's NVIDIA packages and
    PyTorch's."""
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
    """Returns the environment of programs: library folders from the user first,
    then folders that the loader may not know."""
    folders = os.environ.get("PCC_CUDA_LIBRARIES", "").split(":")
    folders += package_folders()
    if driver_folder():
        folders.append(driver_folder())
    # With GOMP_SPINCOUNT set a program does not re-execute itself, which would
    # confuse tools that trace it. CUDA numbers GPUs as nvidia-smi does.
    return {"GOMP_SPINCOUNT": "20000", "CUDA_DEVICE_ORDER": "PCI_BUS_ID", **os.environ,
            "PCC_CUDA_LIBRARIES": ":".join(f for f in folders if f), **more}


def visible():
    """Returns the entries of CUDA_VISIBLE_DEVICES; None if it is not set."""
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    return None if given is None else [gpu.strip() for gpu in given.split(",")]


class Gpus:
    """The GPUs that programs see."""
    count = 0

    @classmethod
    def find(cls):
        """Counts the GPUs in a subprocess: an initialized driver does not
        survive a fork."""
        done = subprocess.run([sys.executable, os.path.abspath(__file__)],
                              env=environment(), capture_output=True, text=True)
        cls.count = int(done.stdout) if done.returncode == 0 else 0

    @classmethod
    def ids(cls):
        """Returns a value of CUDA_VISIBLE_DEVICES for each GPU."""
        return (visible() or [str(gpu) for gpu in range(cls.count)])[:cls.count]

    @classmethod
    def keep(cls, count):
        """Hides all GPUs but the first `count`."""
        os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(cls.ids()[:count])
        cls.count = count


def shared(ranks):
    """Returns the environment of ranks: they share a GPU only if there are more
    ranks than GPUs."""
    return {"PCC_SHARE_DEVICES": "1"} if ranks > max(Gpus.count, 1) else {}


def count_devices():
    """Returns the number of devices of the driver that programs load."""
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
    """Makes a new process end when this process ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def run(command, most=None, cwd=None, **more):
    """Runs a program for at most `most` seconds and until the Limit; then
    kills it with all processes that it started, and returns OUT_OF_TIME."""
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
    """Runs a command with this process's output for at most `most` seconds;
    returns its exit code, or OUT_OF_TIME. Programs that it runs by run() end
    with it."""
    started = subprocess.Popen(command)
    try:
        return started.wait(most)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()
        return OUT_OF_TIME


if __name__ == "__main__":
    print(count_devices())
