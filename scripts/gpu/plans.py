"""The programs of several ranks that scripts/gpu-check --gpus N compiles: plans
of N ranks, whose losses are compared, and races of 1, 2, 4, ... N ranks."""

import dataclasses

import cases

# The program that faults are planted in: every package has it.
FAULTY = "gpt f32 dp 2 zero 1"


def wide(gpus):
    """A GPT that so many ranks can share along each axis."""
    count = max(gpus, 8)
    return ["gpt", "--layers", str(count), "--batch", str(gpus), "--seq", "128",
            "--width", str(32 * count), "--inner", str(32 * count), "--heads",
            str(count), "--vocab", "512"]


def along_one_axis(gpus):
    """(precision, flags) of plans that have one axis."""
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
    """(precision, flags) of plans that have several, of which each takes two
    ranks or more."""
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
    """Programs of several ranks: those that share one GPU where there is no other
    one, and for more GPUs programs with a rank for each."""
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
    """A race of several ranks, whose batch is that of all."""
    # The races that differ in the number of ranks alone.
    family: str = ""


def counts(gpus):
    """The numbers of GPUs that are compared: 1, 2, 4, ..."""
    return [1 << i for i in range(gpus.bit_length())]


# Family, shape, samples of a GPU, flags, and those of more than one rank.
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
    """The races, of each family the one of most ranks first: where time is short,
    that is what has to be known."""
    made = []
    for family, model, batch, flags, more in FAMILIES:
        for n in reversed(counts(gpus)):
            plan = [flag.format(n=n) for flag in more] if n > 1 else []
            shape = [*model, "--batch", str(batch * n)]
            given = ["--global-batch-size", str(batch * n), *flags, *plan]
            # One rank has no axis by which families differ.
            if all((case.model, case.flags) != (shape, given) for case in made):
                made.append(Scaled(f"{family}, ranks: {n}", shape, "bf16", given,
                                   batch=batch * n, peer=shape, family=family))
    return made if gpus > 1 else []
