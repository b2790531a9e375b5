#!/usr/bin/env python3
"""All commands of docs/Tutorial.md, with the Python of benchmarks/setup:

    .venv/bin/python test/Export/tutorial.py [--bin build/bin] [--cuda]

Makes and exports the page's model, trains it, loads the checkpoint by
from_pretrained, and compares the loss there with the program's. With --cuda the
lines for GPUs are run, too, up to where they need a device.
"""

import argparse
import os
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "test", "Scripts"))

import tutorial  # noqa: E402


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--cuda", action="store_true")
    options = parser.parse_args()
    binaries = os.path.abspath(options.bin)
    with open(os.path.join(ROOT, "docs", "Tutorial.md")) as file:
        text = file.read()
    os.environ["HF_HUB_OFFLINE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        tutorial.set_up(ROOT, os.path.dirname(binaries))
        if not os.path.exists(".venv"):
            # If the tree has no .venv: the Python that runs this script.
            os.makedirs(".venv/bin")
            with open(".venv/bin/python", "w") as file:
                file.write(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
            os.chmod(".venv/bin/python", 0o755)
        tutorial.write_files(text)
        outputs = tutorial.run_all(text, has_pytorch=True,
                                   has_cuda=options.cuda)
    tutorial.check(outputs)
    said = [o for c, o in outputs.items() if "compare.py" in c][0].split()
    by_pytorch = float(said[said.index("val_loss") + 1])
    by_pcc = max(tutorial.losses(outputs, "./train --resume")[-1:])
    assert abs(by_pytorch - by_pcc) < 1e-5 * by_pcc, (by_pytorch, by_pcc)
    print(f"{len(outputs)} commands; val_loss {by_pcc} by the program, "
          f"{by_pytorch} by PyTorch")


if __name__ == "__main__":
    main()
