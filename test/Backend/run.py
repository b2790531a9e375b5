#!/usr/bin/python3
"""Compiles the cases of ONNX's official backend tests and compares outputs.

Each case is a model with inputs and expected outputs. Operands that define
shapes and axes are graph inputs there; they become constants first, since every
shape of a compiled program is known. `pcc --forward` then compiles the model
for one CPU rank, the program reads the inputs and writes the outputs. Cases of
the same opset share a program, except with PCC_TEST_ALL=1; those that do not
pass there have their own.

    test/Backend/run.py                 # all cases; the last line sums up
    test/Backend/run.py --newer         # also those of ONNX 1.23, from PyPI
    test/Backend/run.py --sample 60     # as many, spread over the list
    test/Backend/run.py --part 1/2      # the first, third, ... case
    test/Backend/run.py test_add        # cases whose name contains this
    test/Backend/run.py --together 1    # one case in a program

A case is unsupported where pcc refuses it with a reason (exit code 1), and
failed where anything else goes wrong. Exits with 1 if a case failed, or fewer
passed than --at-least.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import onnx_wire as wire  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
DATA = "/usr/share/libonnx-testdata/data"

#: Operands that must be known when a program is compiled, by operator.
CONSTANT_OPERANDS = {
    "ConstantOfShape": {0}, "CumSum": {1}, "Dropout": {1, 2}, "Expand": {1},
    "OneHot": {1}, "Pad": {1, 2}, "Range": {0, 1, 2}, "ReduceSum": {1},
    "Reshape": {1}, "Resize": {1, 2, 3}, "Slice": {1, 2, 3, 4}, "Split": {1},
    "Squeeze": {1}, "Tile": {1}, "TopK": {1}, "Trilu": {1}, "Unsqueeze": {1},
    "Upsample": {1},
}

#: A file that disagrees with its own expected values: they are those of
#: epsilon 0.01, which the model leaves at its default.
MENDED = {"test_adam_multiple": {"Adam": wire.float_attribute("epsilon", 0.01)}}

#: Names of inputs that mean something to the compiler, so they must not get a
#: prefix; see frontend/import/Inputs.cpp.
NAMES_WITH_MEANING = re.compile(r"past_key|position_ids$|.*attention_mask$")

RTOL, ATOL = 1e-3, 1e-7  # those of ONNX's own runner
#: For fp16 and bf16: two machine epsilons. The expected values round, or
#: truncate, each intermediate result, a program only the last: in fp16 an
#: expected value of exact attention is off by 0.00049, a program's by 0.00039.
FLOAT16_RTOL, BFLOAT16_RTOL = 2 / 1024, 2 / 128


class Case:
    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(folder)
        self.model = wire.Model(os.path.join(folder, "model.onnx"))

    def data_sets(self):
        return sorted(os.path.join(self.folder, d)
                      for d in os.listdir(self.folder)
                      if d.startswith("test_data_set_"))

    def promoted(self):
        """Names of inputs that become constants."""
        names = set()
        for node in self.model.nodes:
            operands = [n.decode() for n in wire.get_all(node, 1)]
            for i in CONSTANT_OPERANDS.get(
                    wire.get(node, 4, b"").decode(), ()):
                if i < len(operands) and operands[i] in self.model.inputs:
                    names.add(operands[i])
        return names


def find_cases():
    for kind in sorted(os.listdir(DATA)):
        for name in sorted(os.listdir(os.path.join(DATA, kind))):
            folder = os.path.join(DATA, kind, name)
            if os.path.exists(os.path.join(folder, "model.onnx")):
                yield folder


def write_newer_cases(folder):
    """The cases that the package in .onnx has and Debian's data lack."""
    package = os.path.join(TOP, ".onnx")
    if not os.path.isdir(package):
        sys.exit("--newer needs .onnx: run scripts/install-deps --onnx")
    subprocess.run(
        ["/usr/bin/python3",
         os.path.join(os.path.dirname(__file__), "newer_cases.py"), folder,
         os.path.join(DATA, "node")],
        env={**os.environ, "PYTHONPATH": package}, check=True)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def read_all(folder, stem, names):
    """The TensorProtos of a data set, by their names in the graph."""
    tensors = {}
    for i, name in enumerate(names):
        path = os.path.join(folder, f"{stem}_{i}.pb")
        if os.path.exists(path):
            with open(path, "rb") as file:
                tensors[name] = file.read()
    return tensors


def file_name(name):
    for c in "/\\:":
        name = name.replace(c, "_")
    return name + ".npy"


def differs(actual, expected, rtol):
    """Describes how an output differs from the expected one; None if equal."""
    if actual.shape != expected.shape:
        return f"shape {actual.shape}, expected {expected.shape}"
    if actual.dtype != expected.dtype:
        return f"elements {actual.dtype}, expected {expected.dtype}"
    if numpy.allclose(actual, expected, rtol=rtol, atol=ATOL,
                      equal_nan=actual.dtype.kind == "f"):
        return None
    wrong = ~numpy.isclose(actual, expected, rtol=rtol, atol=ATOL,
                           equal_nan=actual.dtype.kind == "f")
    at = tuple(numpy.argwhere(wrong)[0])
    return (f"{wrong.sum()} of {wrong.size} elements differ, the first at "
            f"{list(map(int, at))}: {actual[at]}, expected {expected[at]}")


def tolerance(model, name, array):
    """The relative tolerance of an output."""
    if model.is_bfloat16(name):
        return BFLOAT16_RTOL
    return FLOAT16_RTOL if array.dtype == "float16" else RTOL


def reason(text):
    """The first error of a tool, with a note about its operator, without the
    names that only this case has."""
    lines = text.strip().splitlines()
    for i, line in enumerate(lines):
        if "error: " not in line:
            continue
        message = line.split("error: ", 1)[1]
        if "not supported at opset" in message and i + 1 < len(lines):
            operator, what = lines[i + 1].split("note: ", 1)[-1].split(" (", 1)
            what = what.split("): ", 1)[-1]
            return (f"{operator}: {what}" if what.startswith("it")
                    else "no operator " + operator)
        return re.sub(r"^(\w+) '[^']*'(:| has)", r"\1\2", message)
    return lines[-1] if lines else "no message"


#: verdict: of pcc and the program; text: why; stderr: of what went wrong;
#: outputs: their folder.
Result = collections.namedtuple("Result", "verdict text stderr outputs")


def run_program(tools, model, inputs, work):
    """Compiles and runs; a Result."""
    program, outputs = os.path.join(work, "program"), os.path.join(work, "out")
    made = subprocess.run([os.path.join(tools, "pcc"), model, "--forward",
                           "-q", "-o", program], capture_output=True,
                          text=True, timeout=300)
    if made.returncode == 1:
        return Result("unsupported", reason(made.stderr), made.stderr, None)
    if made.returncode:
        return Result("failed", f"pcc exits with {made.returncode}: " +
                      reason(made.stderr), made.stderr, None)
    ran = subprocess.run([program, "--data", inputs, "--outputs", outputs],
                         capture_output=True, text=True, timeout=300,
                         env={**os.environ, "OMP_NUM_THREADS": "1"})
    if ran.returncode:
        return Result("failed", f"the program exits with {ran.returncode}: " +
                      reason(ran.stderr), ran.stderr, None)
    return Result("passed", "", "", outputs)


def known_operators():
    """The operators of the compiler's import table, by its documentation."""
    with open(os.path.join(TOP, "docs/SupportedOps.md")) as file:
        rows = [line.split("|")[1].strip() for line in file
                if line.startswith("| ")]
    return set(rows[1:])


class Loaded:
    """The model, inputs and expected outputs of a data set of a case. Raises
    wire.Unreadable if the case cannot run."""

    def __init__(self, case, data_set):
        if not case.model.has_tensors_only:
            raise wire.Unreadable("a value that is no tensor")
        inputs = read_all(data_set, "input", case.model.inputs)
        expected = read_all(data_set, "output", case.model.outputs)
        promoted = case.promoted()
        constants = {n: t for n, t in inputs.items() if n in promoted}
        self.case = case
        self.model = case.model.changed(constants, MENDED.get(case.name, {}))
        self.inputs = {}
        for name, data in inputs.items():
            if name in constants:
                continue
            array = case.model.typed(name, wire.tensor(data)[1])
            if not case.model.declares(name, array.shape):
                raise wire.Unreadable("data of other shapes than the model's")
            self.inputs[name] = array
        self.wanted = {n: case.model.typed(n, wire.tensor(t)[1])
                       for n, t in expected.items()}

    def compare(self, outputs, prefix=""):
        """(verdict, text) of the outputs in a folder."""
        for name, array in self.wanted.items():
            path = os.path.join(outputs, file_name(prefix + name))
            wrong = differs(numpy.load(path), array,
                            tolerance(self.case.model, name, array))
            if wrong:
                return "failed", f"output '{name}': {wrong}"
        return "passed", ""


def run_loaded(loaded, tools, work):
    """Runs the program of one or several loaded data sets, by the prefix of
    their names; a Result."""
    model, folder = os.path.join(work, "model.onnx"), os.path.join(work, "in")
    models = {prefix: one.model for prefix, one in loaded.items()}
    with open(model, "wb") as file:
        file.write(models[""] if "" in models else wire.merged(models))
    os.makedirs(folder)
    for prefix, one in loaded.items():
        for name, array in one.inputs.items():
            numpy.save(os.path.join(folder, file_name(prefix + name)), array)
    return run_program(tools, model, folder, work)


def judge(case, tools):
    """(verdict, text) of a case, whose data sets run one by one."""
    try:
        for data_set in case.data_sets():
            with tempfile.TemporaryDirectory(prefix="pcc-backend-") as work:
                loaded = Loaded(case, data_set)
                verdict, text, _, outputs = run_loaded({"": loaded}, tools,
                                                       work)
                if verdict == "passed":
                    verdict, text = loaded.compare(outputs)
            if verdict != "passed":
                return verdict, text
        return "passed", ""
    except wire.Unreadable as error:
        return "unsupported", str(error)
    except subprocess.TimeoutExpired:
        return "failed", "takes more than 300 s"


def passed_together(cases, tools):
    """The cases that pass in one program. If pcc rejects the program, or it
    ends with an error, the cases that the message names are left out, or if it
    names none, each half has a program."""
    loaded = {}
    for i, case in enumerate(cases):
        try:
            loaded[f"case{i}."] = Loaded(case, *case.data_sets())
        except wire.Unreadable:
            pass
    if len(loaded) < 2:
        return set()
    try:
        with tempfile.TemporaryDirectory(prefix="pcc-backend-") as work:
            ran = run_loaded(loaded, tools, work)
            if ran.verdict == "passed":
                return {one.case for prefix, one in loaded.items()
                        if one.compare(ran.outputs, prefix)[0] == "passed"}
    except subprocess.TimeoutExpired:
        return set()
    named = set(re.findall(r"\bcase\d+\.", ran.stderr))
    rest = [one.case for prefix, one in loaded.items() if prefix not in named]
    if named:
        return passed_together(rest, tools)
    half = len(rest) // 2
    return (passed_together(rest[:half], tools) |
            passed_together(rest[half:], tools))


def run_group(cases, tools):
    """(verdict, text) by case. A case that does not pass together with others
    runs again alone, and this result counts."""
    passed = passed_together(cases, tools)
    return {case: ("passed", "") if case in passed else judge(case, tools)
            for case in cases}


def groups(cases, known, size):
    """Lists of cases of which one model can be made."""
    alike = collections.defaultdict(list)
    for case in cases:
        imports = case.model.imports()
        if (size > 1 and imports and case.model.operators() <= known and
                len(case.data_sets()) == 1 and
                not any(map(NAMES_WITH_MEANING.match, case.model.inputs))):
            alike[imports].append(case)
        else:
            yield [case]
    for some in alike.values():
        for i in range(0, len(some), size):
            yield some[i:i + size]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tools", default=os.path.join(TOP, "build/bin"))
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--part", default="1/1", metavar="K/N",
                        help="every Nth case, from the Kth")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(),
                        metavar="N", help="how many cases run at once")
    parser.add_argument("--together", type=int, metavar="N",
                        default=1 if os.environ.get("PCC_TEST_ALL") else 8,
                        help="how many cases share a program at most")
    parser.add_argument("--at-least", type=int, default=0, metavar="N",
                        help="how many must pass")
    parser.add_argument("--list", action="store_true",
                        help="a line for every case")
    parser.add_argument("--newer", action="store_true",
                        help="also the cases of .onnx; see scripts/install-deps")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pcc-cases-") as newer:
        run(options, write_newer_cases(newer) if options.newer else [])


def run(options, newer):
    """Runs the cases that the options name, sums up and exits."""
    cases = [c for c in [*find_cases(), *newer] if not options.names or
             any(n in os.path.basename(c) for n in options.names)]
    if not cases:
        sys.exit(f"no cases found below {DATA}")
    if options.sample:
        step = len(cases) / options.sample
        cases = [cases[int(i * step)] for i in range(options.sample)]
    part, parts = map(int, options.part.split("/"))
    if not 1 <= part <= parts:
        sys.exit(f"--part takes K/N with 1 <= K <= N, not '{options.part}'")
    cases = cases[part - 1::parts]
    results = collections.defaultdict(list)
    known, inside = known_operators(), collections.Counter()
    cases = [Case(folder) for folder in cases]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {}
        for group in groups(cases, known, options.together):
            future = pool.submit(run_group, group, options.tools)
            futures.update(dict.fromkeys(group, future))
        for case in cases:
            verdict, text = futures[case].result()[case]
            results[verdict].append((case.name, text))
            inside[verdict] += case.model.operators() <= known
            if options.list:
                print(f"{verdict:12} {case.name}: {text}", flush=True)
    reasons = collections.defaultdict(list)
    for name, text in results["unsupported"]:
        reasons[text].append(name)
    for text, names in sorted(reasons.items(), key=lambda r: -len(r[1])):
        print(f"unsupported: {len(names):3} {text}: {', '.join(names)}")
    for name, text in results["failed"]:
        print(f"FAILED: {name}: {text}")
    passed, failed = len(results["passed"]), len(results["failed"])
    print(f"passed {passed}, unsupported {len(results['unsupported'])}, "
          f"failed {failed} of {len(cases)} cases; with operators of the "
          f"import table alone: passed {inside['passed']} of "
          f"{sum(inside.values())}")
    sys.exit(1 if failed or passed < options.at_least else 0)


if __name__ == "__main__":
    main()
