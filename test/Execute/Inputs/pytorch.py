#!/usr/bin/env python3
"""Turns a case of test/Inputs/ops into NAME.mlir, NAME.inputs.json and
NAME.expected.json: usage pytorch.py forward|loss CASE.json DIRECTORY.

forward: function @forward, expecting the outputs; loss: function @loss of
parameters, expecting their gradients in @grad.* after @microbatch."""

import json
import os
import sys

import numpy as np

import case

mode, path, directory = sys.argv[1:]
with open(path) as file:
    record = json.load(file)


def arrays(group):
    kinds = {"f64": np.float64, "i64": np.int64}
    return {
        name: np.array(x["data"], kinds[x["type"]]).reshape(x["shape"])
        for name, x in record[group].items()
    }


name = os.path.splitext(os.path.basename(path))[0]
common = (directory, name, record["op"], record["attributes"])
inputs, outputs = arrays("inputs"), arrays("outputs")
if mode == "forward":
    case.forward(*common, inputs, list(outputs.values()))
else:
    case.loss(*common, inputs, outputs, arrays("cotangents"),
              arrays("gradients"))
