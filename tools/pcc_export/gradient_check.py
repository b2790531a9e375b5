"""Compares the gradients of pcc's program with autograd's.

pcc compiles the file to its training step (`--emit=train`). pcc-run interprets
one step of AdamW on one batch in f64, with beta1 = 0, no clipping and a
learning rate of 0: the first moment is then the gradient of the batch's loss.
It is compared with autograd's, also in f64, per parameter in the 2-norm. The
difference may be 1e-4 relative, or ten times the difference between PyTorch's
f32 and f64: the gradient of a parameter without effect (the bias of keys) is
only noise. If the module does not run in f64, or is too large, autograd's are
in f32.

A parameter of the program is a view of the file's tensor or of a slice of it
("c_attn.weight[0:32]"); base and strides of its source locate its elements
there.
"""

import dataclasses
import json
import os
import re
import shutil
import subprocess
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from .forward_check import cast, runs_in_double
from .messages import AttemptFailed, Refused
from .recorder import Recorder
from .runtime import end_of
from .subject import INTEGERS, array_file, as_it_was, computing_in

TOLERANCE = 1e-4
# Relative to the largest gradient: f32's rounding, without a reference in f64,
# and f64's, which limits a gradient that cancels to 0.
ROUNDING = 1e-7
ROUNDING_IN_DOUBLE = 1e-14
PARAM = re.compile(
    r'nn\.param @"?([^\s"]+)"? : tensor<((?:\d+x)*)f32>.*? source '
    r'<name = "([^"]*)".*?type = tensor<((?:\d+x)*)\w+>.*?base = (\d+), '
    r"strides = \[([^\]]*)\](.*)")
STATE = re.compile(r'nn\.state @"?exp_avg\.([^\s"]+)"? ')


@dataclasses.dataclass
class Tools:
    pcc: str
    run: str


def find_tools(given=None):
    """pcc and pcc-run: `given`, else from $PCC, else on PATH, next to the running
    command or in this checkout's build. None if they are missing; an error if
    `given` is."""
    beside = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "pcc")
    checkout = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "..", "..", "build", "bin", "pcc")
    wanted = given or os.environ.get("PCC")
    for candidate in [wanted] if wanted else [shutil.which("pcc"), beside,
                                              checkout]:
        if (candidate and os.path.isfile(candidate)
                and os.access(candidate, os.X_OK)):
            run = os.path.join(os.path.dirname(candidate), "pcc-run")
            if os.access(run, os.X_OK):
                return Tools(candidate, run)
    if given:
        raise Refused(f"there are no pcc and pcc-run at '{given}'")
    return None


def call(command):
    done = subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode < 0:
        raise AttemptFailed(f"{os.path.basename(command[0])} ended "
                            f"{end_of(done.returncode)}")
    if done.returncode:
        lines = [l for l in done.stdout.splitlines()
                 if re.search(r"\b(error|note):", l)] or [
                     done.stdout.strip() or f"exit {done.returncode}"]
        first = next((i for i, l in enumerate(lines) if "error:" in l), 0)
        tool = os.path.basename(command[0])
        text = "\n".join(re.sub(r"^.*?(error|note): ", "", l)
                         for l in lines[first:first + 4])
        raise AttemptFailed(f"{tool} rejects the file: {text}")
    return done.stdout


def flags(subject, loss):
    """The flags of pcc for the example inputs."""
    batch = next(iter(subject.inputs.values())).shape[0]
    result = [f"--micro-batch-size={batch}", f"--global-batch-size={batch}"]
    batches = {dims.get(0) for dims in subject.dynamic.values()}
    result += [f"--dim={label}={extent}"
               for label, extent in subject.extents().items()
               if label not in batches]
    if not subject.returns_loss:
        result.append(f"--loss={loss}")
    if "attention_mask" in subject.inputs:
        result.append("--padding-mask")
    return result


def labels_for(loss, shape):
    generator = torch.Generator().manual_seed(1)
    if loss == "mse":
        return torch.randn(shape, generator=generator)
    return torch.randint(shape[-1], shape[:-1], generator=generator)


def loss_of(output, labels, loss):
    if labels is None:
        return output
    if loss == "mse":
        return F.mse_loss(output, labels.to(output.dtype))
    return F.cross_entropy(output.flatten(0, -2), labels.flatten())


def by_autograd(subject, facts, labels, loss, dtype):
    """The loss of the example inputs, and parameter's name -> gradient.

    Attention does not use PyTorch's fused CPU kernel, which is wrong for rows
    that a mask of finfo.min hides completely."""
    module = subject.module
    inputs = cast(subject.inputs, dtype)

    def run():
        wrapper = subject.wrapper(Recorder(dropout=False)).train()
        value = loss_of(wrapper(*inputs.values()), labels, loss)
        trained = [p.tensor for p in facts.trained()]
        gradients = torch.autograd.grad(value, trained, allow_unused=True)
        return value.item(), {
            p.name: dense(torch.zeros_like(p.tensor) if g is None else g)
            .double().numpy() for p, g in zip(facts.trained(), gradients)}

    with as_it_was(module), computing_in(module, dtype), \
            sdpa_kernel(SDPBackend.MATH):
        return run()


def dense(gradient):
    """The dense gradient: with a `sparse` embedding it holds only the rows that
    were looked up."""
    return gradient.to_dense() if gradient.is_sparse else gradient


def numbers(text, separator):
    return [int(n) for n in text.split(separator) if n.strip()]


def by_pcc(subject, labels, loss, path, folder, tools):
    """The loss, and source's name -> gradient in the file's shape."""
    program = os.path.join(folder, "program.mlir")
    log = os.path.join(folder, "log.jsonl")
    data = os.path.join(folder, "data")
    call([tools.pcc, path, "--emit=train", "-q", "--no-dropout", "-o", program,
          *flags(subject, loss)])
    os.makedirs(data, exist_ok=True)
    arrays = dict(subject.inputs)
    if labels is not None:
        arrays["labels"] = labels
    for name, value in arrays.items():
        kind = torch.int64 if value.dtype in INTEGERS else torch.float32
        np.save(os.path.join(data, array_file(name)), value.to(kind).numpy())
    with open(program) as file:
        text = file.read()
    views = {m[1]: m for m in PARAM.finditer(text)}
    trained = [name for name in STATE.findall(text) if name in views]
    command = [tools.run, program, "--exact", "--data", data, "--steps=1",
               "--lr=0", "--min-lr=0", "--beta1=0", "--clip-grad=0",
               "--print=none", "--log-json", log]
    saved = {}
    for i, name in enumerate(trained):
        saved[name] = os.path.join(folder, f"gradient{i}.npy")
        command += ["--save", f"@exp_avg.{name}={saved[name]}"]
    call(command)
    with open(log) as file:
        value = json.loads(file.readline())["loss"]
    result = {}
    for name in trained:
        _, _, source, shape, base, strides, rest = views[name].groups()
        renamed = re.search(r'nn\.source_name = "([^"]*)"', rest)
        source = renamed[1] if renamed else source
        gradient = np.load(saved[name])
        whole = result.setdefault(source, np.zeros(numbers(shape, "x")))
        index = np.full(gradient.shape, int(base))
        for dim, stride in enumerate(numbers(strides, ",")):
            steps = np.arange(gradient.shape[dim]) * stride
            index += steps.reshape([-1] + [1] * (gradient.ndim - dim - 1))
        whole.reshape(-1)[index] += gradient
    return value, result


def of_parameters(found, matches):
    """Gradients by the module's names, in the module's layout."""
    result = {}
    for source, gradient in found.items():
        owner, transposed = matches.get(source, (source, False))
        value = gradient.T if transposed else gradient
        result[owner] = result.get(owner, 0) + value
    return result


def noise_of(wanted, single):
    """The uncertainty of each parameter's gradient. `single`: the gradients in
    f32 if `wanted` is in f64, else None."""
    largest = max(map(np.linalg.norm, wanted.values()))
    if single is None:
        return dict.fromkeys(wanted, ROUNDING * largest)
    return {name: max(10 * np.linalg.norm(single[name] - gradient),
                      ROUNDING_IN_DOUBLE * largest)
            for name, gradient in wanted.items()}


def compare(wanted, found, noise):
    """The problems, as texts, and the largest relative difference of gradients
    above the noise."""
    problems, worst = [], 0.0
    for name in found:
        if name not in wanted:
            problems.append(f"'{name}' is trained by pcc, not by the module")
    for name, gradient in wanted.items():
        if name not in found:
            problems.append(f"'{name}' is trained by the module, not by pcc")
            continue
        size = np.linalg.norm(gradient)
        allowed = max(TOLERANCE * size, noise[name])
        difference = np.linalg.norm(
            found[name].reshape(gradient.shape) - gradient)
        if not difference <= allowed:
            relative = f"{difference / size:.1e} relative" if size else \
                f"{difference:.1e}, where autograd's is zero"
            problems.append(f"gradient of '{name}' differs by {relative}")
        elif size and allowed == TOLERANCE * size:
            worst = max(worst, difference / size)
    return problems, worst


def check(subject, facts, matches, loss, path, folder, tools, log):
    """Compares the gradients and returns the result as text. Raises
    AttemptFailed if one differs."""
    labels = None if subject.returns_loss else labels_for(
        loss, facts.output_shape)
    double = runs_in_double(subject, log)
    wanted_loss, wanted = by_autograd(
        subject, facts, labels, loss,
        torch.float64 if double else torch.float32)
    single = by_autograd(subject, facts, labels, loss,
                         torch.float32)[1] if double else None
    found_loss, found = by_pcc(subject, labels, loss, path, folder, tools)
    problems, worst = compare(wanted, of_parameters(found, matches),
                              noise_of(wanted, single))
    if not abs(found_loss - wanted_loss) <= 1e-5 * abs(wanted_loss):
        problems.insert(0, f"the loss is {found_loss:.9g}, autograd's "
                           f"{wanted_loss:.9g}")
    if problems:
        more = [f"and {len(problems) - 8} more"] if len(problems) > 8 else []
        raise AttemptFailed("gradients of pcc differ from autograd's:\n"
                            + "\n".join(problems[:8] + more))
    precision = "f64" if double else "f32"
    return f"agree with autograd in {precision} to {worst:.1e}"
