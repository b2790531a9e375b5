"""A data file that is truncated while a run reads it ends the run with exit
code 4 and the file's name, on one rank and on several.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files . && %python %s
"""

import os
import shutil
import subprocess
import time

for program in "toy-1", "toy-dp2-tp2":
    shutil.copy("tokens.bin", "cut.bin")
    run = subprocess.Popen([program, "--data", "cut.bin", "--steps", "100000",
                            "--log-json", "log.json"],
                           env=dict(os.environ, TOY_PAUSE_MS="10"),
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           text=True)
    deadline = time.time() + 30
    while not os.path.exists("log.json") or not os.path.getsize("log.json"):
        assert time.time() < deadline and run.poll() is None
        time.sleep(0.01)
    os.truncate("cut.bin", 0)
    _, err = run.communicate(timeout=30)
    os.remove("log.json")
    assert run.returncode == 4, (run.returncode, err)
    assert "'cut.bin': it was cut short during the run" in err, err
    assert err.count("error:") == 1, err
