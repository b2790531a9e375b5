"""The --prepare step of scripts/gpu-check, on a machine where pcc is built."""

import atexit
import dataclasses
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import attention
import cases
import machine
import plans

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAKE = os.path.join(ROOT, "test", "Inputs", "models", "make.py")
# Size limits of the package for one GPU, and for several.
MOST_BYTES, MOST_BYTES_OF_SEVERAL = 60 << 20, 200 << 20
# Every GPU machine supports it; the host only issues work.
CPU = "x86-64-v2"
TOKENS = "tokens.bin"
# Times NCCL's collectives: benchmarks/collectives.cpp.
COLLECTIVES = "collectives"


def write_tokens(path, count=400000, classes=101):
    """Writes tokens with learnable structure."""
    import array
    tokens = array.array("H")
    at = 1
    for i in range(count):
        at = (at * 31 + i * i % 7) % classes
        tokens.append(at)
    with open(path, "wb") as file:
        tokens.tofile(file)


def write_model(case, path):
    text = subprocess.run([sys.executable, MAKE, *case.model], check=True,
                          capture_output=True, text=True).stdout
    with open(path, "w") as file:
        file.write('module attributes {pcc.phase = "nn"} {\n' + text + "}\n")


def compile_case(case, build, target, path, *flags):
    """Compiles a case; exits with an error if it fails."""
    model = path + ".mlir"
    write_model(case, model)
    try:
        done = subprocess.run(
            [os.path.join(build, "bin", "pcc"), model, *case.compile_flags(target),
             "--target", target, *flags, "-o", path],
            capture_output=True, text=True)
    finally:
        os.remove(model)
    if done.returncode:
        sys.exit(f"error: '{case.name}' does not compile for {target}\n"
                 + done.stdout + done.stderr)


def dump_kernels(case, build, path, *flags):
    """Dumps a case's kernels to a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        text = os.path.join(scratch, "rt.mlir")
        compile_case(case, build, "cuda", text, "--emit=rt", "-q")
        done = subprocess.run(
            [os.path.join(build, "bin", "pcc-kernels"), text, "--dump=" + path,
             *flags], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"error: '{case.name}'\n{done.stderr}")


def train(command, data, log, save=None, most=None, init="random", **environment):
    """Runs a program for at most `most` seconds; returns the process's result
    and, if it succeeded, its log."""
    command = [*command, "--data", data, "--init", init, "--log-json", log,
               "--log-every", "1000"]
    if save:
        command += ["--save", save]
    done = machine.run(command, most, **environment)
    if done.returncode:
        return done, None
    with open(log) as file:
        return done, [json.loads(line) for line in file]


def alone(case):
    """Returns the case without its parallelism, on one rank."""
    flags, parallel = [], ("--tp", "--pp", "--dp", "--cp", "--ep", "--etp", "--zero",
                           "--schedule")
    skip = False
    for flag in case.flags:
        if not skip and flag not in parallel and flag != "--sequence-parallel":
            flags.append(flag)
        skip = flag in parallel
    return dataclasses.replace(case, flags=flags)


def packed_name(folder):
    """Returns the path of the folder's archive, next to it."""
    return folder.rstrip("/") + ".tar.xz"


def pack(folder):
    """Packs the folder and returns the archive's path. It compresses well,
    since the programs share most of their code."""
    path = packed_name(folder)
    with tarfile.open(path + ".part", "w:xz", preset=6) as file:
        file.add(folder, arcname=".")
    os.replace(path + ".part", path)
    return path


def unpack(folder):
    """Returns the folder, or a new one with the archive's contents."""
    path = packed_name(folder)
    if os.path.exists(os.path.join(folder, "manifest.json")) or \
            not os.path.exists(path):
        return folder
    place = tempfile.mkdtemp(prefix="gpu-check-")
    atexit.register(shutil.rmtree, place)
    try:
        with tarfile.open(path) as file:
            file.extractall(place)
    except (tarfile.TarError, lzma.LZMAError, EOFError) as error:
        sys.exit(f"error: '{path}' is damaged: {str(error).splitlines()[0]}\n"
                 "note: copy it once more, and compare what sha256sum says")
    return place


def copy_collectives(build, folder):
    """Copies the program that times NCCL into the folder."""
    path = os.path.join(folder, COLLECTIVES)
    built = os.path.join(build, "test", "Cuda", "bin", "cuda-collectives")
    if not os.path.exists(built):
        sys.exit(f"error: there is no '{built}'\nnote: scripts/build builds it where "
                 "CUDA is found")
    shutil.copy(built, path)
    subprocess.run(["strip", path], check=True)


def run(build, folder, only, gpus, others):
    """Creates the folder for `gpus` GPUs; `others` adds more files to it."""
    pcc = os.path.join(build, "bin", "pcc")
    if not os.path.exists(pcc):
        sys.exit(f"error: there is no '{pcc}'\nnote: scripts/build builds it; "
                 "--build says where")
    # The previous package is removed first, so it cannot be mistaken for this
    # one.
    shutil.rmtree(folder, ignore_errors=True)
    packed = packed_name(folder)
    if os.path.exists(packed):
        os.remove(packed)
    try:
        os.makedirs(folder)
    except OSError as error:
        sys.exit(f"error: cannot make '{folder}': {error.strerror}")
    write_tokens(os.path.join(folder, TOKENS))
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    manifest = {"commit": commit or "an unknown commit", "gpus": gpus, "curves": {}}
    if gpus > 1:
        copy_collectives(build, folder)
    curves = {}
    for case in (cases.ALONE + plans.together(gpus) + cases.RACES +
                 plans.scaled(gpus) + attention.CASES):
        if only not in case.name:
            continue
        print(case.name, flush=True)
        path = os.path.join(folder, cases.file_of(case))
        compile_case(case, build, "cuda", path, "--target-cpu", CPU)
        subprocess.run(["strip", path], check=True)
        if isinstance(case, cases.Race) or case in attention.CASES:
            continue
        # Plans with the same global batch have the same losses as one rank. The
        # cases of one rank come first and run all steps.
        same = alone(case)
        key = (*same.model, same.precision, *same.flags)
        if key not in curves:
            with tempfile.TemporaryDirectory() as scratch:
                program = os.path.join(scratch, "cpu")
                compile_case(same, build, "cpu", program)
                done, rows = train([program, "--steps", str(cases.STEPS),
                                    "--stop-after", str(case.steps)],
                                   os.path.join(folder, TOKENS),
                                   os.path.join(scratch, "log"))
            if rows is None:
                sys.exit(f"error: '{case.name}' fails on a CPU\n{done.stderr}")
            curves[key] = [{k: row[k] for k in ("loss", "norm")} for row in rows]
        manifest["curves"][case.name] = curves[key]
    others(build, folder, only, CPU)
    for case, with_data in cases.KERNELS:
        if only in case.name:
            print(case.name, flush=True)
            dump_kernels(case, build, os.path.join(folder, cases.file_of(case)),
                         *["--shapes-only"] * (not with_data))
    with open(os.path.join(folder, "manifest.json"), "w") as file:
        json.dump(manifest, file)
    size = sum(os.path.getsize(os.path.join(place, name))
               for place, _, names in os.walk(folder) for name in names)
    packed = pack(folder)
    carried = os.path.getsize(packed)
    print(f"{size / (1 << 20):.1f} MiB in {folder}, "
          f"{carried / (1 << 20):.1f} MiB in {packed}")
    most = MOST_BYTES if gpus == 1 else MOST_BYTES_OF_SEVERAL
    if carried > most:
        sys.exit(f"error: more than {most >> 20} MiB")
    return 0
