"""The programs that scripts/gpu-check --gpus N compiles: plans of N ranks,
whose losses are compared, and timed races of 1, 2, 4, ... N ranks."""

import dataclasses

import cases

# The program for fault injection, part of every package.
FAULTY = "gpt f32 dp 2 zero 1"


def wide(gpus):
    """Returns a GPT that can be sharded over this many ranks along each axis."""
    count = max(gpus, 8)
    return ["gpt", "--layers", str(count), "--batch", str(gpus), "--seq", "128",
            "--width", str(32 * count), "--inner", str(32 * count), "--heads",
            str(count), "--vocab", "512"]


def along_one_axis(gpus):
    """Returns (precision, flags) of plans with one axis."""
    n = str(gpus)
    return [
        ("f32", ["--tp", n]),
        ("f32", ["--tp", n, "--sequence-parallel"]),
        ("f32", ["--pp", n]),
        ("f32", ["--pp", n, "--schedule", "gpipe"]),
        ("f32", ["--cp", n]),
        *(("f32", ["--dp", n, "--zero", zero]) for zero in "0123"),
        ("bf16", ["--tp", n, "--sequence-parallel"]),
        ("bf16", ["--pp", n]),
        ("bf16", ["--cp", n]),
        *(("bf16", ["--dp", n, "--zero", zero]) for zero in "123"),
    ]


def combined(gpus):
    """Returns (precision, flags) of plans with several axes of two or more
    ranks each."""
    if gpus == 4:
        return [("f32", ["--tp", "2", "--pp", "2"]),
                ("f32", ["--tp", "2", "--cp", "2"]),
                ("bf16", ["--tp", "2", "--dp", "2", "--zero", "2",
                          "--sequence-parallel"]),
                ("bf16", ["--pp", "2", "--dp", "2", "--zero", "3"])]
    if gpus < 8:
        return []
    rest = str(gpus // 4)
    return [
        ("f32", ["--tp", "2", "--pp", "2", "--dp", rest, "--zero", "1"]),
        ("f32", ["--tp", "2", "--cp", "2", "--dp", rest, "--zero", "2"]),
        ("f32", ["--pp", "2", "--cp", "2", "--dp", rest, "--zero", "3"]),
        ("f32", ["--tp", "2", "--pp", "2", "--cp", rest]),
        ("bf16", ["--tp", "2", "--pp", "2", "--dp", rest, "--zero", "1",
                  "--sequence-parallel"]),
        ("bf16", ["--tp", "2", "--cp", "2", "--dp", rest, "--zero", "3"]),
        ("bf16", ["--pp", "4", "--dp", rest, "--zero", "2"]),
        ("bf16", ["--tp", "4", "--pp", rest]),
    ]


def case_of(what, model, precision, batch, flags):
    name = " ".join([what, precision, *flags]).replace("--", "")
    return cases.Case(name, model, precision,
                      ["--global-batch-size", str(batch), *flags], cases.FEW_STEPS)


def together(gpus):
    """Returns the programs of several ranks: on one GPU the ranks share it, on
    more GPUs each rank has its own."""
    if gpus == 1:
        return cases.TOGETHER
    made = [case_of(f"wide{gpus}", wide(gpus), precision, 4 * gpus, flags)
            for precision, flags in along_one_axis(gpus) + combined(gpus)]
    if gpus >= 8:
        # Heads of 64, so that attention is by cuDNN.
        made.append(case_of("llama", cases.LLAMA, "bf16", 16, [
            "--tp", "2", "--pp", "2", "--dp", "2", "--zero", "2"]))
    return cases.TOGETHER + made


@dataclasses.dataclass
class Scaled(cases.Race):
    """A race of several ranks; the batch is the global one."""
    # Races with equal values differ only in the number of ranks.
    family: str = ""


def counts(gpus):
    """Returns the compared numbers of GPUs: 1, 2, 4, ..."""
    return [1 << i for i in range(gpus.bit_length())]


# Family, shape, samples per GPU, flags, and flags for more than one rank.
FAMILIES = (
    ("GPT-2 124M, T 1024, B 64 a GPU, dp", cases.GPT2, 64, [],
     ["--dp", "{n}", "--zero", "1"]),
    ("LLaMA 1B, T 2048, B 4 a GPU, dp", cases.LLAMA_1B, 4, [],
     ["--dp", "{n}", "--zero", "1"]),
    ("LLaMA 8B, T 2048, B 2 a GPU, dp", cases.LLAMA_8B, 2,
     ["--recompute", "selective"], ["--dp", "{n}", "--zero", "3"]),
    ("LLaMA 8B, T 2048, B 2 a GPU, tp", cases.LLAMA_8B, 2,
     ["--recompute", "selective"], ["--tp", "{n}", "--sequence-parallel"]),
)


def scaled(gpus):
    """Returns the races, in each family the most ranks first: these matter
    most if time is short."""
    made = []
    for family, model, batch, flags, more in FAMILIES:
        for n in reversed(counts(gpus)):
            plan = [flag.format(n=n) for flag in more] if n > 1 else []
            shape = [*model, "--batch", str(batch * n)]
            given = ["--global-batch-size", str(batch * n), *flags, *plan]
            # On one rank families with different axes are the same program.
            if all((case.model, case.flags) != (shape, given) for case in made):
                made.append(Scaled(f"{family}, ranks: {n}", shape, "bf16", given,
                                   batch=batch * n, peer=shape, family=family))
    return made if gpus > 1 else []
