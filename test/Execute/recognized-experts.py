# Recognized experts compute what their primitives do: the interpreter runs each
# function of test/Passes/Recognition/experts.mlir before and after nn-recognize
# on the same numbers. Five of its functions have experts.
# RUN: rm -rf %t && mkdir %t
# RUN: %python %s %root/test/Passes/Recognition/experts.mlir %t

import os
import re
import subprocess
import sys

import numpy as np

file, folder = sys.argv[1:]
with open(file) as text:
    functions = text.read().split("// -----\n")
rng = np.random.default_rng(7)
recognized = 0
for number, text in enumerate(functions):
    text = re.sub(r"//.*", "", text)
    # Parameters become arguments.
    reads = re.findall(r"(%\w+) = nn.read @\w+ : (tensor<\S+>)", text)
    text = re.sub(r"nn\.param .*|%\w+ = nn.read .*", "", text)
    head, body = text.split(") -> tensor", 1)
    start, arguments = head.split("(", 1)
    arguments = re.findall(r"(%\w+): (tensor<\S+?>)", arguments) + reads
    declared = [f'{name}: {kind} {{nn.name = "{name[1:]}", '
                f'nn.role = #nn.role<data>}}' for name, kind in arguments]
    text = f"{start}({', '.join(declared)}) -> tensor{body}"
    before, after = (os.path.join(folder, f"{number}-{name}.mlir")
                     for name in ("before", "after"))
    with open(before, "w") as out:
        out.write(text)
    subprocess.run(["pcc-opt", before, "-nn-recognize", "-o", after],
                   check=True)
    given = []
    for name, kind in arguments:
        shape = [int(n) for n in re.findall(r"(\d+)x", kind)]
        path = os.path.join(folder, name[1:] + ".npy")
        # Above and below the limit of u, 7.
        np.save(path, rng.normal(size=shape, scale=2).astype("f4"))
        given.append(f"--arg={name[1:]}={path}")
    result = os.path.join(folder, "result.npy")
    subprocess.run(["pcc-run", before, *given, f"--save=0={result}",
                    "--print=none"], check=True)
    assert np.abs(np.load(result)).min() > 0 or "relu" in text
    done = subprocess.run(["pcc-run", after, *given, f"--expect=0={result}",
                           "--rtol=2e-6", "--print=none"],
                          capture_output=True, text=True)
    assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
    with open(after) as out:
        recognized += "nn.experts" in out.read()
assert recognized == 5, recognized
