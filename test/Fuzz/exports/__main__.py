"""Random modules of PyTorch, exported, train as in PyTorch.

    scripts/fuzz exports --count 100
    scripts/fuzz exports --count 20 --only scalars --only train
    scripts/fuzz exports --reproduce 123     prints the module, keeps its files
    scripts/fuzz exports --case DIR          runs such files, edited or not
    scripts/fuzz exports --reduce 123        the smallest such failure
    scripts/fuzz exports --summary           summarizes previous runs

Draws a small transformer (choices.py) and writes it as a module of PyTorch;
exports it by TorchScript in training or eval mode, by dynamo optimized or raw,
or by tools/pcc-export; compiles it for a random plan: tp, pp, dp, microbatches,
sequence parallelism. Then
  - the compiled forward pass must be ONNX Runtime's;
  - the losses of five steps and the gradient norm of the first must be
    PyTorch's, which sees the whole global batch at once: within 1e-5 and 1e-4
    relative, or ten times what PyTorch's own f32 and f64 differ by.

If numbers differ, warnings must name every tensor that one step of SGD moves
otherwise than in PyTorch (blame.py), or the module counts as wrong. Files of
pcc-export count as wrong in any case.

A bare file does not state which tensors are frozen, nor, by TorchScript, which
are buffers: such names are passed by --freeze, as a user would. Some modules
leave --seq to pcc, which may require it. Detached values and padding rows of
tables are drawn for files of pcc-export alone.

The result of each seed is appended to results.jsonl in --folder; seeds with a
result are not run again. Needs the Python of benchmarks/setup.
"""

import argparse
import gc
import importlib.util
import multiprocessing
import os
import shutil
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, HERE)


def parse():
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz exports", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10,
                        help="modules (default: 10)")
    parser.add_argument("--seed", type=int, default=0,
                        help="of the first; the next has the next one")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", action="append", default=[],
                        metavar="FEATURE",
                        help="modules that have it: a feature of the summary, "
                             "an exporter, or CHOICE=VALUE")
    parser.add_argument("--without", action="append", default=[],
                        metavar="FEATURE", help="modules that lack it")
    parser.add_argument("--folder", default="build/fuzz-exports",
                        help="of results.jsonl and of what fails "
                             "(default: build/fuzz-exports)")
    parser.add_argument("--build", metavar="DIR",
                        help="build tree of pcc (default: build)")
    parser.add_argument("--python", metavar="FILE",
                        default=os.path.join(ROOT, ".venv", "bin", "python"),
                        help="that has PyTorch (default: .venv/bin/python)")
    parser.add_argument("--no-forward", action="store_true",
                        help="does not compare the forward pass")
    parser.add_argument("--again", action="append", default=[],
                        metavar="CLASS",
                        help="runs seeds again that ended so")
    parser.add_argument("--reproduce", type=int, metavar="SEED")
    parser.add_argument("--reduce", type=int, metavar="SEED")
    parser.add_argument("--case", metavar="DIR")
    parser.add_argument("--summary", action="store_true")
    return parser.parse_args()


def run(seed, options):
    """Runs a seed and returns its result; its files are kept only if it
    fails."""
    import case as cases
    import judge
    folder = os.path.join(options.folder, str(seed))
    shutil.rmtree(folder, ignore_errors=True)
    start = time.time()
    case = cases.of_seed(seed, folder)
    result = judge.judge(case, not options.no_forward)
    row = dict(seed=seed, exporter=case.choices["exporter"], **result,
               seconds=round(time.time() - start, 1))
    del case
    if row["class"] not in judge.FAULTS:
        shutil.rmtree(folder, ignore_errors=True)
    gc.collect()
    return row


def run_safely(arguments):
    seed, options = arguments
    try:
        return run(seed, options)
    except Exception:  # an error of this program must not end the other seeds
        return dict(seed=seed, exporter="?", warnings=[],
                    reason=traceback.format_exc().splitlines()[-1],
                    seconds=0, **{"class": "fuzzer"})


def chosen(options, known):
    """The seeds to run, and all seeds of the summary."""
    import choices as grammar
    seeds, seed = [], options.seed
    while len(seeds) < options.count:
        choices = grammar.draw(seed)
        if all(grammar.has(choices, f) for f in options.only) and not any(
                grammar.has(choices, f) for f in options.without):
            seeds.append(seed)
        seed += 1
    left = [s for s in seeds if s not in known
            or known[s]["class"] in options.again + ["fuzzer"]]
    return left, seeds


def show(row):
    print(f"{row['seed']}: {row['class']}, {row['exporter']}"
          + (f": {row['reason']}" if row["reason"] else "")
          + f" ({row['seconds']} s)", flush=True)


def use_pytorch(options):
    """Restarts this program with the Python that has PyTorch."""
    if os.path.exists(options.python):
        if not os.environ.get("PCC_FUZZ_PYTHON"):
            os.environ["PCC_FUZZ_PYTHON"] = options.python
            os.execv(options.python, [options.python, HERE, *sys.argv[1:]])
    elif not importlib.util.find_spec("torch"):
        sys.exit(f"scripts/fuzz exports: no {options.python}: run "
                 "benchmarks/setup, or name a Python with PyTorch by --python")


def start(options):
    """Loads PyTorch; one thread for each job."""
    if options.build:
        os.environ["PCC_BUILD"] = os.path.abspath(options.build)
    os.environ["OMP_NUM_THREADS"] = "1"
    import torch
    torch.set_num_threads(1)


def single(options):
    """Runs --reproduce, --case or --reduce; returns the exit code."""
    import case as cases
    import judge
    import reduce as reducing
    forward = not options.no_forward
    if options.reduce is not None:
        folder = os.path.join(options.folder, f"reduced-{options.reduce}")
        reducing.reduce_(options.reduce, folder, forward)
        print(folder)
        return 0
    if options.case:
        case = cases.of_folder(os.path.abspath(options.case))
    else:
        folder = os.path.join(options.folder, str(options.reproduce))
        shutil.rmtree(folder, ignore_errors=True)
        case = cases.of_seed(options.reproduce, folder)
        with open(case.source) as file:
            print(file.read())
        print(f"# {case.choices}")
    result = judge.judge(case, forward)
    print(f"# pcc {' '.join(case.flags(False))}")
    print(f"# {result['class']}: {result['reason']}")
    for warning in result.get("warnings", ()):
        print(f"# warning: {warning}")
    print(f"# {case.folder}")
    return int(result["class"] in judge.FAULTS)


def main():
    options = parse()
    use_pytorch(options)
    options.folder = os.path.abspath(options.folder)
    os.makedirs(options.folder, exist_ok=True)
    start(options)
    if (options.reproduce, options.reduce, options.case) != (None,) * 3:
        return single(options)
    import judge
    import report
    path = os.path.join(options.folder, "results.jsonl")
    known = report.load(path)
    if options.summary:
        print(report.summary(known.values()))
        return 0
    left, seeds = chosen(options, known)
    work = [(seed, options) for seed in left]
    if options.jobs > 1:
        # Exporters leak: a worker is replaced after a while.
        pool = multiprocessing.get_context("fork").Pool(
            options.jobs, maxtasksperchild=100)
        rows = pool.imap_unordered(run_safely, work)
    else:
        rows = map(run_safely, work)
    for row in rows:
        show(row)
        report.append(path, row)
        known[row["seed"]] = row
    print(report.summary(known[s] for s in seeds))
    faults = [s for s in seeds
              if known[s]["class"] in judge.FAULTS + ("fuzzer",)]
    if faults:
        print(f"faults: seeds {' '.join(map(str, faults))}; "
              f"their files are in {options.folder}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
