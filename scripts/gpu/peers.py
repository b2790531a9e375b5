"""The competitors of scripts/gpu-check on several GPUs: PyTorch's
DistributedDataParallel and torchtitan. If they are not installed, it prints the
commands to run."""

import importlib.util
import json
import os
import re
import sys
import tempfile

import cases
import checks
import machine
import speed

# A checkout of torchtitan at this tag, with its test tokenizer and texts.
TITAN, TITAN_TAG = "TORCHTITAN", "v0.2.2"
# With more parameters Adam's state does not fit a GPU of 80 GB.
MOST_REPLICATED = 3e9


def parameters(model):
    """Returns the approximate number of parameters."""
    return (speed.flops_per_token(model) / 6
            - speed.value(model, "--layers") * speed.value(model, "--width")
            * speed.value(model, "--seq"))


def torchrun(ranks):
    return [sys.executable, "-m", "torch.distributed.run", "--standalone",
            "--nproc-per-node", str(ranks)]


def ddp(case, log):
    """Returns the command of PyTorch DDP with the same batch."""
    return [*torchrun(case.ranks), speed.PEER, *case.peer, "--steps",
            str(speed.STEPS), "--json", log, "--compile"]


def titan(case):
    """Returns the command of torchtitan with a LLaMA of this shape."""
    flags = {"model.name": "llama3", "model.flavor": "8B",
             "model.hf_assets_path": "tests/assets/tokenizer",
             "training.dataset": "c4_test",
             "training.seq_len": speed.value(case.model, "--seq"),
             "training.local_batch_size": case.batch // case.ranks,
             "training.steps": speed.STEPS, "metrics.log_freq": 10,
             "activation_checkpoint.mode": "selective"}
    if "--tp" in case.flags:
        flags["parallelism.tensor_parallel_degree"] = case.ranks
        flags["training.local_batch_size"] = case.batch
    return [*torchrun(case.ranks), "--local-ranks-filter", "0", "--tee", "3", "-m",
            "torchtitan.train", "--compile.enable",
            *(word for name, given in flags.items()
              for word in ("--" + name, str(given)))]


def command_of(case, log):
    """Returns the competitor of a program, or None."""
    if case.ranks < 2:
        return None
    if parameters(case.model) < MOST_REPLICATED:
        return ddp(case, log) if "--dp" in case.flags else None
    return titan(case) if case.model[:-2] == cases.LLAMA_8B else None


def time_ddp(command, log):
    done = machine.run(command)
    if done.returncode:
        return None, done.stderr[-400:]
    with open(log) as file:
        return speed.rate([json.loads(line) for line in file]), ""


def time_titan(command, ranks):
    """Parses torchtitan's tokens per second of a GPU, since its previous line."""
    done = machine.run(command, cwd=os.environ[TITAN])
    found = re.findall(r"tps:\s*([\d,]+)", done.stdout + done.stderr)
    if done.returncode or not found:
        return None, done.stderr[-400:]
    return ranks * int(found[-1].replace(",", "")), ""


def run(races):
    """Runs the available competitors; prints the commands of the others."""
    has_torch = importlib.util.find_spec("torch") is not None
    results, left_out = [], []
    for case in races:
        with tempfile.TemporaryDirectory() as scratch:
            log = os.path.join(scratch, "log")
            command = command_of(case, log)
            if not command:
                continue
            is_titan = "torchtitan.train" in command
            if not has_torch or (is_titan and not os.environ.get(TITAN)) or \
                    not machine.Limit.has(checks.LEAST):
                left_out.append((case, is_titan, command_of(case, "log.json")))
                continue
            rate, why = time_titan(command, case.ranks) if is_titan else \
                time_ddp(command, log)
        peer = "torchtitan" if is_titan else "PyTorch DDP"
        if rate is None:
            print(f"\n{peer} fails at {case.name}: {why}")
        else:
            results.append({"peer": peer, "case": case.name, "peer_rate": rate})
    if results:
        print()
        checks.table(("beside", "of", "tokens/s"),
                     [(found["peer"], found["case"], f"{found['peer_rate']:,.0f}")
                      for found in results])
    if left_out:
        say(left_out)
    return results


def say(left_out):
    """Prints the commands that were not run."""
    print("\nNot run; beside these programs, by hand:\n")
    for case, is_titan, command in left_out:
        where = (f"in a checkout of torchtitan {TITAN_TAG}, which ${TITAN} names"
                 if is_titan else "with PyTorch")
        print(f"{case.name}, {where}:\n    {' '.join(command)}\n")
