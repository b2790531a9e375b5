"""Sends SIGTERM to a run whose host is a step ahead: it saves the last step
that it has reported, which is then checked."""

import json
import os
import re
import signal
import sys

sys.path.insert(0, os.path.dirname(__file__))
from runs import begin, rows, until

for program in ("toy-1", "toy-dp2-tp2"):
    log = f"signal.{program}.json"
    run = begin(program, "--data", "tokens.bin", "--steps", "10000000",
                "--log-json", log, "--save", f"signal.{program}",
                env=dict(os.environ, TOY_PAUSE_MS="20", PCC_AHEAD="1"))
    until(lambda: rows(log) > 1 or run.poll() is not None)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=20)
    assert run.returncode == 0, (run.returncode, out, err)
    ended = int(re.search(r"stopped by SIGTERM after step (\d+)", out).group(1))
    with open(log) as file:
        last = [json.loads(line)["step"] for line in file]
    assert last == list(range(1, ended + 1)), (last, ended)
    with open(f"signal.{program}/step-{ended:08}/trainer_state.json") as file:
        assert json.load(file)["step"] == ended
