"""Injects faults into runs on several GPUs, and checks the exit code, the
message and that no process remains."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import cases
import checks
import machine
import plans
import prepare

# --timeout detects a stopped rank; the others must end soon after.
TIMEOUT = 10
# Seconds that a program may take to start, and to end after a fault.
START, END = 240, 60
LAST_STEP = 1000000
NUMBER = re.compile(rb"\0PCC_RANK=(\d+)\0")


class Wrong(Exception):
    """A run that does not behave as expected."""


def session_of(process):
    """Returns a process's session, and its state as in ps; (None, "Z") if it
    has ended."""
    try:
        with open(f"/proc/{process}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except OSError:
        return None, "Z"
    return int(fields[3]), fields[0]


def processes_of(session):
    """Returns the running processes of a session."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and
            session_of(name)[0] == session and session_of(name)[1] != "Z"]


def ranks_of(session):
    """Returns {rank: process} of the ranks that a program started."""
    found = {}
    for process in processes_of(session):
        try:
            with open(f"/proc/{process}/environ", "rb") as file:
                number = NUMBER.search(b"\0" + file.read())
        except OSError:
            continue
        if number:
            found[int(number[1])] = process
    return found


class Run:
    """A training run whose end is checked."""

    def __init__(self, program, folder, scratch, *flags, steps=LAST_STEP, **more):
        self.log = os.path.join(scratch, f"log{len(os.listdir(scratch))}")
        self.err = open(self.log + ".err", "w+")
        self.process = subprocess.Popen(
            [program, "--data", os.path.join(folder, prepare.TOKENS), "--init",
             "random", "--steps", str(steps), "--log-json", self.log, "--log-every",
             "1000", *flags], env=machine.environment(**more),
            stdout=subprocess.DEVNULL, stderr=self.err, start_new_session=True,
            preexec_fn=machine.end_with_parent)

    def steps(self):
        """Returns the number of logged steps."""
        try:
            with open(self.log) as file:
                return len(file.readlines())
        except FileNotFoundError:
            return 0

    def said(self):
        self.err.seek(0)
        return self.err.read()

    def await_steps(self, count):
        """Waits for a number of steps; returns the ranks."""
        end = time.monotonic() + START
        while self.steps() < count:
            if self.process.poll() is not None:
                raise Wrong(f"ended with {self.process.returncode} before the fault: "
                            f"{self.said()[-300:]}")
            if time.monotonic() > end:
                raise Wrong(f"made {self.steps()} steps in {START} s")
            time.sleep(0.05)
        return ranks_of(self.process.pid)

    def end(self, code, text, seconds):
        """Requires that the program ends within `seconds` with this code, or
        one of several, and a matching message, and leaves no process."""
        due = code if isinstance(code, tuple) else (code,)
        try:
            ended = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Wrong(f"has not ended after {seconds:.0f} s") from None
        if ended not in due:
            raise Wrong(f"ends with {ended}, due {code}: {self.said()[-300:]}")
        if not re.search(text, self.said()):
            raise Wrong(f"does not say '{text}' but: {self.said()[-300:]}")
        end = time.monotonic() + END
        while processes_of(self.process.pid):
            if time.monotonic() > end:
                raise Wrong(f"leaves processes {processes_of(self.process.pid)}")
            time.sleep(0.05)

    def close(self):
        """Kills the remaining processes."""
        for process in processes_of(self.process.pid):
            os.kill(process, signal.SIGKILL)
        self.process.wait()
        self.err.close()


class Trial:
    """A program of several ranks."""

    def __init__(self, folder, case, scratch):
        self.folder, self.scratch = folder, scratch
        self.program = os.path.join(folder, cases.file_of(case))
        self.ranks = case.ranks

    def start(self, *flags, **more):
        return Run(self.program, self.folder, self.scratch, *flags,
                   **{**machine.shared(self.ranks), **more})

    def check(self, code, text, **more):
        """Checks a run that ends by itself."""
        run = self.start(**more)
        try:
            run.end(code, text, START)
        finally:
            run.close()

    def disturb(self, number, text, seconds, *flags):
        """Sends a signal to the last rank after a few steps."""
        run = self.start(*flags)
        try:
            ranks, victim = run.await_steps(3), self.ranks - 1
            if len(ranks) != self.ranks:
                raise Wrong(f"has ranks {sorted(ranks)}, due {self.ranks}")
            os.kill(ranks[victim], number)
            run.end(7, text.format(rank=victim), seconds)
        finally:
            run.close()

    def killed(self):
        self.disturb(signal.SIGKILL, r"rank {rank} .*killed by signal 9", END)

    def stopped(self):
        begun = time.monotonic()
        self.disturb(signal.SIGSTOP, r"rank {rank} .*made no progress for \d+ s",
                     TIMEOUT + END, "--timeout", str(TIMEOUT))
        if time.monotonic() - begun < TIMEOUT:
            raise Wrong(f"ended before --timeout {TIMEOUT} was over")

    def too_few_devices(self):
        self.check(9, rf"{self.ranks} ranks need a device each, and this host has 1",
                   CUDA_VISIBLE_DEVICES=machine.Gpus.ids()[0], PCC_SHARE_DEVICES="0")

    def no_such_device(self):
        """CUDA also hides the devices listed after an invalid number."""
        listed = [*machine.Gpus.ids()[:self.ranks - 1], "99"]
        self.check(9, rf"{self.ranks} ranks need a device each, and this host has "
                   f"{self.ranks - 1}", CUDA_VISIBLE_DEVICES=",".join(listed),
                   PCC_SHARE_DEVICES="0")

    def no_device(self):
        self.check(9, "no CUDA device", CUDA_VISIBLE_DEVICES="99")

    def one_device_for_all(self):
        """Starts ranks as a launcher that shows all of them the same device."""
        gpu, runs = machine.Gpus.ids()[0], []
        with socket.socket() as agent:
            agent.bind(("127.0.0.1", 0))
            agent.listen()
            port = str(agent.getsockname()[1])
            try:
                for rank in range(self.ranks):
                    # As torchrun starts them.
                    runs.append(self.start(
                        RANK=str(rank), LOCAL_RANK=str(rank),
                        WORLD_SIZE=str(self.ranks), LOCAL_WORLD_SIZE=str(self.ranks),
                        MASTER_ADDR="localhost", MASTER_PORT=port,
                        TORCHELASTIC_RUN_ID="none",
                        TORCHELASTIC_USE_AGENT_STORE="True",
                        CUDA_VISIBLE_DEVICES=gpu, PCC_SHARE_DEVICES="0"))
                runs[0].end(9, "error: ranks .* have the same device", START)
                for run in runs[1:]:
                    run.end((7, 9), "", START)
            finally:
                for run in runs:
                    run.close()

    def works(self):
        """Checks that no remains of earlier runs block the GPUs."""
        run = self.start(steps=2)
        try:
            run.end(0, "", START)
        finally:
            run.close()


# The fault, whether it needs several GPUs, and its function.
FAULTS = (
    ("a rank is killed", False, Trial.killed),
    ("a rank is stopped", False, Trial.stopped),
    ("too few devices", True, Trial.too_few_devices),
    ("a device that does not exist", True, Trial.no_such_device),
    ("no device", False, Trial.no_device),
    ("one device for all ranks", True, Trial.one_device_for_all),
    ("the run after these", False, Trial.works),
)


def case_of(manifest, folder):
    """Chooses the program: of the plans with a GPU per rank the one with the
    most ranks and axes, else one whose ranks share a GPU. None if the package
    has neither."""
    there = [case for case in plans.together(manifest["gpus"])
             if os.path.exists(os.path.join(folder, cases.file_of(case)))]
    fits = [case for case in there if case.precision == "f32" and
            case.ranks <= machine.Gpus.count]
    named = [case for case in there if case.name == plans.FAULTY]
    return max(fits, key=lambda case: (case.ranks, len(case.flags))) if fits else \
        next(iter(named), None)


def run(manifest, folder, only):
    """Runs all faults."""
    case, results, wrong = case_of(manifest, folder), [], []
    if not case:
        print("The package has no program of several ranks\n")
        return results, wrong
    several = machine.Gpus.count >= case.ranks
    for name, takes_several, method in FAULTS:
        if only not in name and only not in case.name:
            continue
        if takes_several and not several:
            continue
        if not machine.Limit.has(checks.LEAST):
            wrong.append(f"the time is over; not run: {name}")
            break
        scratch, begun, said = tempfile.mkdtemp(), time.monotonic(), "as it should be"
        try:
            method(Trial(folder, case, scratch))
        except Wrong as error:
            said = str(error)
            wrong.append(f"{name}: {said}")
        shutil.rmtree(scratch)
        results.append({"fault": name, "case": case.name, "ends": said,
                        "seconds": time.monotonic() - begun})
    checks.table((f"fault, {case.name}", "how it ends", "s"),
                 [(found["fault"], found["ends"], f"{found['seconds']:.0f}")
                  for found in results])
    return results, wrong
