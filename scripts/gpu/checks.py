"""Comparisons of scripts/gpu-check: programs on GPUs against CPUs, and against
repeated runs."""

import concurrent.futures
import filecmp
import glob
import os
import shutil
import tempfile

import cases
import machine
import plans
import prepare

NO_DEVICE = 9
# A case starts only if this many seconds are left.
LEAST = 20


class NoDevice(Exception):
    """The message of a program that finds no GPU."""


def table(header, rows):
    """Prints a table in Markdown."""
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |", flush=True)


def difference(rows, curve, key):
    """Returns the largest relative difference."""
    if len(rows) != len(curve):
        return float("inf")
    worst = 0.0
    for row, due in zip(rows, curve):
        if row[key] is None and due[key] is None:
            continue  # Skipped fp16 steps have no norm; they must be the same.
        if row[key] is None or due[key] is None or row[key] != row[key]:
            return float("inf")
        worst = max(worst, abs(row[key] - due[key]) / max(abs(due[key]), 1e-6))
    return worst


def within(chosen, wrong):
    """Yields the cases for which there is time; reports the others as missing."""
    for i, case in enumerate(chosen):
        if not machine.Limit.has(LEAST):
            missing = [case.name for case in chosen[i:]]
            wrong.append("the time is over; not run: " + ", ".join(missing))
            return
        yield case


def compared(rows):
    """Returns the values of each row that must be bitwise equal."""
    return [{key: row[key] for key in ("loss", "norm")} for row in rows]


def same_files(left, right):
    """Whether two runs saved the same parameters."""
    files = sorted(os.path.relpath(path, left) for path in
                   glob.glob(os.path.join(left, "*", "*.safetensors")))
    return bool(files) and all(
        os.path.exists(os.path.join(right, file)) and
        filecmp.cmp(os.path.join(left, file), os.path.join(right, file),
                    shallow=False)
        for file in files)


def run_thrice(case, folder, scratch):
    """Runs a program twice, and once with the other setting of CUDA graphs.
    Returns the first log, or None, and the problem, such as different bits."""
    program = os.path.join(folder, cases.file_of(case))
    environment = machine.shared(case.ranks)
    logs, saved = [], []
    # Programs with pipeline stages use graphs only on request.
    other = "--cuda-graphs" if case.stages > 1 else "--no-cuda-graphs"
    for turn, flags in enumerate(([], [], [other])):
        saved.append(os.path.join(scratch, f"saved{turn}"))
        done, rows = prepare.train(
            [program, "--steps", str(cases.STEPS), "--stop-after",
             str(case.steps), *flags], os.path.join(folder, prepare.TOKENS),
            os.path.join(scratch, f"log{turn}"), saved[-1], **environment)
        if done.returncode == NO_DEVICE and "no CUDA device" in done.stderr:
            raise NoDevice(done.stderr)
        if rows is None:
            return logs[0] if logs else None, (
                f"{' '.join(flags)} ends with {done.returncode}: "
                f"{done.stderr[-400:]}").lstrip()
        logs.append(compared(rows))
    if logs[0] != logs[1]:
        return logs[0], "two runs have other losses"
    if not same_files(*saved[:2]):
        return logs[0], "two runs leave other parameters"
    if logs[0] != logs[2] or not same_files(saved[0], saved[2]):
        return logs[0], f"{other} leaves other numbers"
    return logs[0], ""


def compare(chosen, manifest, folder, only):
    results, wrong = [], []
    for case in within([case for case in chosen if only in case.name and
                        case.name in manifest["curves"]], wrong):
        scratch = tempfile.mkdtemp()
        rows, problem = run_thrice(case, folder, scratch)
        shutil.rmtree(scratch)
        found = {"case": case.name, "bits": "same" if not problem else problem}
        if rows is not None:
            curve = manifest["curves"][case.name][:case.steps]
            for key, bound in cases.BOUNDS[case.precision].items():
                found[key] = difference(rows, curve, key)
                if found[key] > bound:
                    wrong.append(f"{case.name}: {key} differs by {found[key]:.1e} "
                                 f"from that of CPUs, at most {bound:g}")
        if problem:
            wrong.append(f"{case.name}: {problem}")
        results.append(found)
    table(("program", "loss, relative", "norm, relative", "bits of runs"),
          [(found["case"], f"{found.get('loss', float('nan')):.1e}",
            f"{found.get('norm', float('nan')):.1e}", found["bits"])
           for found in results])
    if not results:
        wrong.append("nothing was compared")
    return results, wrong


def losses(manifest, folder, only):
    """Compares programs of one rank."""
    return compare(cases.ALONE, manifest, folder, only)


def ranks(manifest, folder, only):
    """Compares programs of several ranks, each on its own GPU if there are
    enough."""
    return compare(plans.together(manifest["gpus"]), manifest, folder, only)


def run_on(gpu, case, folder, scratch):
    """Runs a program on one GPU; it saves to `scratch`. Returns the log and the
    problem."""
    done, rows = prepare.train(
        [os.path.join(folder, cases.file_of(case)), "--steps", str(cases.STEPS)],
        os.path.join(folder, prepare.TOKENS), scratch + ".log", scratch,
        CUDA_VISIBLE_DEVICES=gpu)
    if rows is None:
        return None, f"ends with {done.returncode}: {done.stderr[-400:]}"
    return compared(rows), ""


def same(manifest, folder, only):
    """Runs one rank on every GPU concurrently; results must be bitwise equal."""
    gpus, results, wrong = machine.Gpus.ids(), [], []
    if len(gpus) < 2:
        print(f"GPUs: {len(gpus)}; nothing to compare\n")
        return results, wrong
    for case in within([case for case in cases.ALONE if only in case.name and
                        case.name in manifest["curves"] and
                        case.name in cases.EVERYWHERE], wrong):
        scratch = tempfile.mkdtemp()
        saved = [os.path.join(scratch, str(i)) for i in range(len(gpus))]
        with concurrent.futures.ThreadPoolExecutor(len(gpus)) as pool:
            ended = list(pool.map(
                lambda gpu, own: run_on(gpu, case, folder, own), gpus, saved))
        said = [problem or ("other losses" if rows != ended[0][0] else
                            "" if same_files(saved[0], own) else "other parameters")
                for own, (rows, problem) in zip(saved, ended)]
        shutil.rmtree(scratch)
        results.append({"case": case.name, "gpus": len(gpus), "others": {
            gpu: problem for gpu, problem in zip(gpus, said) if problem}})
        wrong += [f"{case.name}: GPU {gpu}: {problem}"
                  for gpu, problem in zip(gpus, said) if problem]
    table(("program, on each GPU", "GPUs", "bits"),
          [(found["case"], found["gpus"],
            ", ".join(f"GPU {gpu}: {problem}" for gpu, problem
                      in found["others"].items()) or "same") for found in results])
    return results, wrong


def sanitizer(manifest, folder, only):
    """Runs compute-sanitizer's tools over two steps."""
    tool = shutil.which("compute-sanitizer", path=os.pathsep.join(
        (os.environ.get("PATH", ""), "/usr/local/cuda/bin")))
    if not tool:
        return [], ["compute-sanitizer is not installed"]
    results, wrong = [], []
    for case in within([c for c in cases.ALONE if only in c.name and
                        c.name in manifest["curves"] and
                        c.name in cases.SANITIZED], wrong):
        for check in ("memcheck", "racecheck", "synccheck"):
            scratch = tempfile.mkdtemp()
            done, rows = prepare.train(
                [tool, "--tool", check, "--target-processes", "all",
                 "--error-exitcode", "3",
                 os.path.join(folder, cases.file_of(case)), "--steps", "2"],
                os.path.join(folder, prepare.TOKENS),
                os.path.join(scratch, "log"))
            shutil.rmtree(scratch)
            if "no CUDA device" in done.stderr:
                raise NoDevice(done.stderr)
            lines = [line for line in done.stdout.splitlines() if "=====" in line]
            said = "nothing" if rows is not None else " / ".join(lines[-3:])
            results.append({"case": case.name, "tool": check, "finds": said})
            if rows is None:
                wrong.append(f"{case.name}: {check}: {said or done.stderr[-300:]}")
    table(("program", "tool", "finds"), [tuple(row.values()) for row in results])
    return results, wrong
