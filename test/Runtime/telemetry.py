"""Outputs of a run in addition to its log lines: TensorBoard's events, a trace,
a report, and a progress bar on a terminal.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files .
RUN: %python %s
"""

import fcntl
import glob
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios

sys.path.append(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from eventfiles import events, scalars, values


def run(program, *arguments, code=0, **environment):
    result = subprocess.run([program, "--data", "tokens.bin", *arguments],
                            capture_output=True, text=True,
                            env=dict(os.environ, TERM="xterm", **environment))
    assert result.returncode == code, (arguments, result)
    return result


run("toy-1", "--steps", "6", "--val-data", "tokens.bin", "--eval-every", "3",
    "--tensorboard-dir", "runs/a", "--log-json", "log.json", "--save", "ckpt",
    "--stop-after", "4")
path, = glob.glob("runs/a/events.out.tfevents.*")
first = next(events(path))
assert first[3] == b"brain.Event:2" and len(first[1]) == 8
found = scalars(path)
count = 0
with open("log.json") as file:
    for row in map(json.loads, file):
        pairs = {"loss": "train/loss", "norm": "train/grad_norm",
                 "lr": "train/lr", "val_loss": "val/loss"}
        for key, tag in pairs.items():
            if key in row:
                assert abs(found[tag, row["step"]] - row[key]) <= \
                    1e-6 * abs(row[key]), (tag, row)
                count += 1
assert count == 13 and ("perf/tokens_per_sec", 4) in found, count
# A resumed run invalidates its steps in an earlier file.
run("toy-1", "--resume", "ckpt", "--tensorboard-dir", "runs/b")
path, = glob.glob("runs/b/*")
start = list(events(path))[1]
assert start[2] == 5 and values(start[7]) == {1: 1}
assert ("train/loss", 5) in scalars(path)

# A trace: a process for each rank, named spans that lie within their step.
run("toy-dp2-tp2", "--steps", "6", "--trace", "t.json", "--trace-steps", "3:4")
with open("t.json") as file:
    trace = json.load(file)["traceEvents"]
processes = {event["pid"]: event["args"]["name"] for event in trace
             if event["name"] == "process_name"}
assert processes == {0: "rank 0 (dp 0, tp 0)", 1: "rank 1 (dp 0, tp 1)",
                     2: "rank 2 (dp 1, tp 0)", 3: "rank 3 (dp 1, tp 1)"}
for rank in processes:
    spans = [event for event in trace
             if event["pid"] == rank and event["ph"] == "X"]
    steps = [span for span in spans if span["name"] == "step"]
    assert [span["args"]["step"] for span in steps] == [3, 4]
    named = {track: {span["name"] for span in spans if span["tid"] == track}
             for track in range(3)}
    assert {"embed", "gemm"} <= named[1], named
    assert named[2] == {"all_reduce"}, named
    taken = [span for span in spans if span["name"] == "scalars"]
    assert [span["args"]["step"] for span in taken] == [3, 4]
    for span in spans:
        assert span["dur"] >= 0
        if span in taken:
            continue
        assert any(step["ts"] <= span["ts"] and span["ts"] + span["dur"] <=
                   step["ts"] + step["dur"] + 0.01 for step in steps), span
error = run("toy-1", "--trace", "t.json", "--trace-steps", "3:400",
            code=2).stderr
assert "--trace-steps 3:400: this run has steps 1 to 31" in error, error
error = run("toy-1", "--trace", "t.json", "--trace-steps", "3:2", code=2).stderr
assert "--trace-steps: '3:2' is no range of steps" in error, error
error = run("toy-1", "--trace", "no/t.json", code=8).stderr
assert "cannot write 'no/t.json'" in error, error
error = run("toy-1", "--tensorboard-dir", "toy.bin", code=8).stderr
assert "cannot make folder 'toy.bin'" in error, error


# The communication of each rank in a step: microbatches of 16 rows of 16
# floats.
run("toy-pp2-tp2", "--steps", "3", "--report", "report.json")
with open("report.json") as file:
    report = json.load(file)["step"]
assert [rank["rank"] for rank in report] == [0, 1, 2, 3]
for rank in report:
    found = {message.pop("kind"): message for message in rank["messages"]}

    def counted(count, size, sent):
        return {"stream": 0, "count": count, "bytes": size, "bytes_sent": sent}

    expected = {"all_reduce over pp tp": counted(1, 4, 6),
                "send over pp": counted(4, 4 * 1024, 4 * 1024),
                "receive over pp": counted(4, 4 * 1024, 0)}
    # The maximum, the sum and the target's logit of each row, and a gradient.
    if rank["rank"] >= 2:
        size = 4 * 4 * 16 * (1 + 2 + 16)
        expected["all_reduce over tp"] = counted(12, size, size)
    assert found == expected, rank
error = run("toy-1", "--report", "no/r.json", code=8).stderr
assert "cannot write 'no/r.json'" in error, error
error = run("toy-1", "--report", "x", "--trace", "x", code=8).stderr
assert "--trace and --report both write 'x'" in error, error


# A progress bar, only on a terminal.
def onTerminal(*command, columns=80, errors=subprocess.DEVNULL, **environment):
    """The exit code and the text of a run whose stdout is a terminal; its
    stderr, too, if `errors` is None."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ,
                struct.pack("HHHH", 24, columns, 0, 0))
    environment = dict(os.environ, TERM="xterm") | environment
    process = subprocess.Popen(command, stdout=child, env=environment,
                               stderr=child if errors is None else errors)
    text = b""
    # The terminal stays open here until all text is read, so that none is lost.
    ended = False
    while True:
        if select.select([parent], [], [], 0.1)[0]:
            text += os.read(parent, 65536)
        elif ended:
            break
        ended = process.poll() is not None
    os.close(child)
    os.close(parent)
    return process.wait(), text.decode()


# Failed checks print the text with escaped control characters.
DATA = ["--data", "tokens.bin"]
for program in "toy-1", "toy-tp2":
    shown = onTerminal(program, *DATA, "--steps", "30", "--log-every", "10",
                       TOY_PAUSE_MS="20")
    code, text = shown
    assert code == 0 and "\r[\x1b[32m=" in text, shown
    assert " 10/30, 0:0" in text and text.endswith("\r\x1b[K"), shown
    assert "\r\x1b[Kstep 20/30 | loss" in text, shown
    shown = onTerminal(program, *DATA, "--steps", "3", NO_COLOR="1")
    assert "\r[=" in shown[1] and "\x1b[3" not in shown[1], shown
    shown = onTerminal(program, *DATA, "--steps", "3", TERM="dumb")
    assert shown[0] == 0 and "[=" not in shown[1], shown
    assert "\r" not in run(program, "--steps", "3").stdout
# On narrow terminals only the numbers are printed.
shown = onTerminal("toy-1", *DATA, "--steps", "3", columns=16)
assert shown[0] == 0 and "[=" not in shown[1], shown
assert "\r 33% 1/3" in shown[1], shown
# An error is not printed on the bar's line.
shown = onTerminal("toy-1", *DATA, "--lr", "1e30", "--clip-grad", "0",
                   "--lr-schedule", "constant", errors=None)
assert shown[0] == 5 and "\r\x1b[Kerror: the " in shown[1], shown
