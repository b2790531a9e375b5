"""Makes a program for the emulated device poison temporaries too late, after
new data was written there. Each such fault must be detected.

    forgets.py BUILD -- --dp 1
"""

import pathlib
import sys

from streams import Compiler, model, run, tokens

FAULTS = 4


def forgotten_late(lines):
    """The programs in which one call of pcc_forget comes after the call that
    follows it, in up to FAULTS functions."""
    inside, seen = "", set()
    for i, line in enumerate(lines):
        if "llvm.func internal @" in line:
            inside = line.split("@")[1].split("(")[0]
        if "@pcc_forget(%" not in line or inside in seen:
            continue
        behind = next((k for k in range(i + 1, len(lines))
                       if "llvm.call @pcc_" in lines[k]), None)
        if behind is None or "@pcc_forget(" in lines[behind]:
            continue
        seen.add(inside)
        yield inside, [*lines[:i], *lines[i + 1:behind + 1], line,
                     *lines[behind + 1:]]
        if len(seen) == FAULTS:
            return


def main():
    compiler = Compiler(sys.argv[1])
    model(pathlib.Path("model.mlir"))
    tokens(pathlib.Path("tokens.bin"))
    lines = compiler.text(["--target", "cuda-emulated", *sys.argv[3:]])
    compiler.link(lines, "cuda-emulated", "program")
    due = run("program")
    if due is None:
        sys.exit("the program fails")
    tried = 0
    for function, changed in forgotten_late(lines):
        compiler.link(changed, "cuda-emulated", "program")
        if run("program") == due:
            sys.exit(f"@{function} reads what it was told to forget")
        tried += 1
    if tried < 2:
        sys.exit(f"{tried} functions have temporaries")


main()
