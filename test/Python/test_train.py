"""Program.train(): steps, errors, checkpoints."""

import json
import os
import signal
import subprocess
import threading

import pcc
import pytest
from conftest import DATA, ENDLESS, step_of, until


def test_steps(program):
    steps = list(program.train(data=DATA, val_data=[DATA], eval_every=2, steps=3,
                               eval_batches=1, lr=1e-3))
    assert [(s.step, s.is_evaluation) for s in steps] == [
        (1, False), (2, False), (2, True), (3, False)]
    subprocess.run(
        [program.path, "--data", DATA, "--val-data", DATA, "--eval-every=2",
         "--steps=3", "--eval-batches=1", "--lr=1e-3", "--log-json=log"],
        check=True, stdout=subprocess.DEVNULL)

    def numbers(step):
        return {key: value for key, value in step.items()
                if key not in ("ms", "tok_s")}
    with open("log") as file:
        logged = [json.loads(line) for line in file]
    assert list(map(numbers, steps)) == list(map(numbers, logged))
    assert steps[0].loss == steps[0]["loss"] and steps[0].val_loss is None
    assert steps[2].val_loss and steps[2].loss is None and steps[0].tok_s > 0


def test_step_that_is_not_finite():
    step = pcc.Step(step=1, loss=None, lr=1e-3, skipped=True)
    assert step["loss"] is None and step.loss != step.loss
    assert step.skipped and step.norm is None


def test_break_and_resume(program, marked):
    for step in program.train(data=DATA, steps=ENDLESS, save="saved",
                              lr_schedule="constant", env=marked.env):
        if step.step == 2:
            break
    assert not marked.processes()
    with open("saved/latest") as file:
        done = step_of(file.read().strip())
    assert done >= 2
    # The resumed losses are those of an uninterrupted run.
    with program.train(data=DATA, steps=ENDLESS, lr_schedule="constant") as run:
        whole = [next(run) for _ in range(done + 2)]
    assert run.is_finished and next(run, None) is None
    rest = program.train(resume="saved", save="saved", stop_after=done + 2)
    assert [s.loss for s in rest] == [s.loss for s in whole[done:]]
    assert step_of(rest.checkpoint) == done + 2
    assert any(line.startswith("resumed ") for line in rest.log)
    assert not any(line.startswith("step ") for line in rest.log)


def test_stop(program):
    run = program.train(data=DATA, steps=ENDLESS, save="saved")
    steps = []
    for step in run:
        if not steps:
            run.stop()
        steps.append(step)
    assert step_of(run.checkpoint) == steps[-1].step < ENDLESS
    assert run.log[-1].startswith("stopped by SIGTERM after step")


def test_exception_in_loop(program, marked):
    with pytest.raises(ZeroDivisionError):
        for step in program.train(data=DATA, steps=ENDLESS, save="saved",
                                  env=marked.env):
            1 / 0
    assert not marked.processes()
    assert os.path.exists("saved/latest")


def test_errors(program):
    run = program.train(data="absent.bin", steps=2)
    with pytest.raises(pcc.Error) as caught:
        next(run)
    assert caught.value.message == ("cannot read data file 'absent.bin': No such "
                                    "file or directory")
    assert caught.value.code == 4 and run.is_finished
    assert "--data=absent.bin" in caught.value.command
    run.close()
    with pytest.raises(pcc.Error, match="learning_rate=1: there is no flag"):
        program.train(data=DATA, learning_rate=1)
    with pytest.raises(pcc.Error, match="json.dumps"):
        program.train(data=DATA, log_json="log")
    # A run that fails while it ends.
    os.mkdir("saved")
    run = program.train(data=DATA, steps=ENDLESS, save="saved")
    next(run)
    os.rename("saved", "moved")
    open("saved", "w").close()
    with pytest.raises(pcc.Error) as caught:
        run.close()
    assert caught.value.code == 8


def test_reaped_by_another(program):
    """No error passes for success."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        with pytest.raises(pcc.Error, match="its exit code is unknown"):
            list(program.train(data=DATA, steps=1))
    finally:
        signal.signal(signal.SIGCHLD, before)


def test_nothing_leaks(program):
    def held():
        return len(os.listdir("/proc/self/fd")), threading.active_count()
    before = held()
    for _ in range(3):
        with pytest.raises(pcc.Error):
            list(program.train(data="absent.bin"))
    until(lambda: held() == before)


def test_two_at_once_with_output(program, capsys):
    two = [program.train(data=DATA, steps=3, seed=seed, verbose=seed == 0,
                         init="random") for seed in (0, 1)]
    pairs = list(zip(*two))
    assert len(pairs) == 3
    assert all(a.step == b.step and a.loss != b.loss for a, b in pairs)
    for run in two:
        assert next(run, None) is None
    shown = capsys.readouterr().out
    assert shown.count("\nstep ") == 3 and "\nstep 3/3 | loss " in shown


def test_slow_loop(program):
    """The program does not wait for the loop."""
    run = program.train(data=DATA, steps=40, lr=0)
    next(run)
    run._child._process.wait(60)
    assert len(list(run)) == 39


def test_thread(program, marked):
    """A run does not end with the thread that started it."""
    runs = []

    def start():
        runs.append(program.train(data=DATA, steps=ENDLESS, env=marked.env))
    thread = threading.Thread(target=start)
    thread.start()
    thread.join()
    run = runs.pop()
    assert [next(run).step for _ in range(3)] == [1, 2, 3]
    # A fork of Python neither ends it nor keeps it from ending.
    child = os.fork()
    if child == 0:
        try:
            run.close()
            next(run)
        except pcc.Error:
            os._exit(3)
        finally:
            os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    last = next(run).step
    assert next(run).step == last + 1
    del run
    assert not marked.processes()
