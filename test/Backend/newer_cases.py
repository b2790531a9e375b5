#!/usr/bin/python3
"""Writes the operator tests of the `onnx` package into a folder, with the paths
of ONNX's own data: NAME/model.onnx, NAME/test_data_set_0/input_0.pb, ...

    PYTHONPATH=.onnx test/Backend/newer_cases.py FOLDER KNOWN

Cases whose names are in folder KNOWN, those of Debian's older data, are left
out, and so are cases with a value that is not a tensor.
"""
import os
import sys
import warnings

# Cases divide by zero, and compute with NaN, on purpose.
warnings.filterwarnings("ignore")

from onnx import TensorProto, numpy_helper  # noqa: E402
from onnx.backend.test.case.node import collect_testcases  # noqa: E402


def write(path, message):
    with open(path, "wb") as file:
        file.write(message.SerializeToString())


def write_values(folder, stem, values, infos):
    for i, (value, info) in enumerate(zip(values, infos)):
        if not isinstance(value, TensorProto):
            value = numpy_helper.from_array(value, info.name)
        write(os.path.join(folder, f"{stem}_{i}.pb"), value)


def main():
    folder, known = sys.argv[1], set(os.listdir(sys.argv[2]))
    for case in collect_testcases(None):
        graph = case.model.graph
        if case.name in known or not all(
                info.type.HasField("tensor_type")
                for info in [*graph.input, *graph.output]):
            continue
        top = os.path.join(folder, case.name)
        os.makedirs(top)
        write(os.path.join(top, "model.onnx"), case.model)
        for i, (inputs, outputs) in enumerate(case.data_sets):
            data = os.path.join(top, f"test_data_set_{i}")
            os.makedirs(data)
            write_values(data, "input", inputs, graph.input)
            write_values(data, "output", outputs, graph.output)


if __name__ == "__main__":
    main()
