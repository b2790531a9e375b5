"""The programs of scripts/gpu-check: models of test/Inputs/models/make.py, with
flags of pcc."""

import dataclasses

# Heads of 64, which cuDNN supports; widths that fill memory sectors.
GPT = ["gpt", "--layers", "3", "--batch", "2", "--seq", "128", "--width", "128",
       "--inner", "512", "--heads", "2", "--vocab", "512"]
LLAMA = ["llama", "--layers", "2", "--batch", "2", "--seq", "128", "--width",
         "256", "--inner", "384", "--heads", "4", "--kv-heads", "2", "--vocab",
         "512"]
# No size is a multiple of another.
ODD = ["gpt", "--layers", "2", "--batch", "3", "--seq", "37", "--width", "42",
       "--inner", "101", "--heads", "3", "--vocab", "131", "--untied"]
GPT2 = ["gpt", "--layers", "12", "--seq", "1024", "--width", "768", "--inner",
        "3072", "--heads", "12", "--vocab", "50257"]
LLAMA_1B = ["llama", "--layers", "16", "--seq", "2048", "--width", "2048",
            "--inner", "8192", "--heads", "32", "--kv-heads", "8", "--vocab",
            "32000"]

LLAMA_8B = ["llama", "--layers", "32", "--seq", "2048", "--width", "4096",
            "--inner", "14336", "--heads", "32", "--kv-heads", "8", "--vocab",
            "128256", "--untied"]

# For kernels one by one, whose data is part of the package.
SMALL_GPT = ["gpt", "--layers", "1", "--batch", "2", "--seq", "32", "--width",
             "64", "--inner", "128", "--heads", "2", "--vocab", "96"]
SMALL_LLAMA = ["llama", "--layers", "1", "--batch", "2", "--seq", "32", "--width",
               "64", "--inner", "96", "--heads", "4", "--kv-heads", "2",
               "--vocab", "96"]

# Experts of sizes that fill no tile. The choice of experts is not continuous:
# with few tokens and steps, no two scores are too close.
EXPERTS = ["moe", "--layers", "2", "--batch", "2", "--seq", "24", "--width", "64",
           "--inner", "44", "--heads", "4", "--kv-heads", "2", "--vocab", "128",
           "--experts", "6", "--choices", "2"]
# A rank's experts of a layer of Qwen3-30B-A3B, one of eight ranks.
EXPERT_LAYER = ["moe", "--layers", "1", "--batch", "4", "--seq", "4096", "--width",
                "2048", "--inner", "768", "--heads", "32", "--kv-heads", "4", "--vocab",
                "512", "--experts", "16", "--choices", "1"]

STEPS = 20
# Steps of ranks that share a GPU by time slices, which makes collectives slow.
FEW_STEPS = 6
# Relative bounds against CPUs, by precision; norms are sums of squares of
# gradients.
BOUNDS = {"f32": {"loss": 1e-4, "norm": 1e-3},
          "bf16": {"loss": 2e-2, "norm": 1e-1},
          "fp16": {"loss": 2e-2, "norm": 1e-1}}


@dataclasses.dataclass
class Case:
    """A program."""
    name: str
    model: list
    precision: str
    flags: list = dataclasses.field(default_factory=list)
    # The number of steps before the run stops.
    steps: int = STEPS
    # Flags of the GPU program only.
    device: list = dataclasses.field(default_factory=list)

    def count(self, *axes):
        """Returns the product of the values of these flags."""
        count = 1
        for flag, value in zip(self.flags, self.flags[1:] + [""]):
            if flag in axes:
                count *= int(value)
        return count

    @property
    def ranks(self):
        """The number of ranks."""
        return self.count("--tp", "--pp", "--dp", "--cp")

    @property
    def stages(self):
        """The number of pipeline stages."""
        return self.count("--pp")

    def compile_flags(self, target):
        return ["--loss", "causal-lm", "--precision", self.precision, *self.flags,
                *(self.device if target != "cpu" else [])]


# Selects generated kernels where cuDNN could compute attention, too.
TILES = ["--attention-backend", "tiles"]
# Enough microbatches for loops in CUDA graphs.
BATCH = ["--global-batch-size", "16"]
ALONE = [
    Case("gpt f32", GPT, "f32", BATCH),
    Case("gpt bf16", GPT, "bf16", BATCH),
    Case("gpt bf16 tiles", GPT, "bf16", BATCH, device=TILES),
    Case("gpt fp16", GPT, "fp16", BATCH),
    Case("gpt dropout bf16", GPT + ["--dropout", "0.1"], "bf16", BATCH),
    Case("gpt dropout bf16 recomputed", GPT + ["--dropout", "0.1"], "bf16",
         BATCH + ["--recompute", "full"]),
    Case("llama f32", LLAMA, "f32", BATCH),
    Case("llama bf16", LLAMA, "bf16", BATCH),
    Case("llama bf16 tiles", LLAMA, "bf16", BATCH, device=TILES),
    Case("experts f32", EXPERTS, "f32", ["--global-batch-size", "4"], FEW_STEPS),
    Case("experts bf16", EXPERTS, "bf16", ["--global-batch-size", "4"], FEW_STEPS),
    Case("odd f32", ODD, "f32", ["--global-batch-size", "6"]),
    Case("odd bf16", ODD, "bf16", ["--global-batch-size", "6"]),
    Case("small dropout bf16",
         SMALL_GPT + ["--seq", "160", "--vocab", "128", "--dropout", "0.1"], "bf16",
         ["--global-batch-size", "2"]),
]
# The cases that each GPU of a machine runs separately.
EVERYWHERE = ("gpt f32", "gpt bf16", "gpt dropout bf16", "llama bf16 tiles")
# The cases for the sanitizer, which is a hundred times slower.
SANITIZED = ("odd bf16", "small dropout bf16")
TOGETHER = [
    Case(f"gpt {precision} {' '.join(flags).replace('--', '')}", GPT, precision,
         BATCH + flags, FEW_STEPS)
    for precision, flags in (
        ("f32", ["--tp", "2"]),
        ("f32", ["--tp", "2", "--sequence-parallel"]),
        ("f32", ["--pp", "2"]),
        ("f32", ["--cp", "2"]),
        ("f32", ["--dp", "2", "--zero", "1"]),
        ("bf16", ["--tp", "2"]),
        ("bf16", ["--pp", "2"]),
        ("bf16", ["--dp", "2", "--zero", "2"]),
        ("bf16", ["--dp", "2", "--zero", "3"]),
        ("bf16", ["--tp", "2", "--pp", "2", "--dp", "2", "--zero", "1"]),
    )
] + [
    Case(f"experts f32 {' '.join(flags).replace('--', '')}", EXPERTS, "f32",
         ["--global-batch-size", "4", *flags], FEW_STEPS)
    for flags in (["--tp", "2"], ["--dp", "2", "--ep", "2", "--zero", "2"])
]


@dataclasses.dataclass
class Race(Case):
    """A program that is timed, with the flags of PyTorch's side."""
    batch: int = 0
    peer: list = dataclasses.field(default_factory=list)


def race(name, model, batch, *flags, peer=(), device=()):
    """Returns a race with this batch on one GPU, in bf16."""
    return Race(name, model + ["--batch", str(batch)], "bf16",
                ["--global-batch-size", str(batch), *flags], device=list(device),
                batch=batch, peer=[*model, "--batch", str(batch), *peer])


RACES = [
    race("GPT-2 124M, T 1024, B 64", GPT2, 64),
    race("GPT-2 124M, T 1024, B 64, attention by tiles", GPT2, 64, device=TILES),
    race("GPT-2 124M, T 1024, B 64, without epilogues", GPT2, 64,
         device=["--epilogues", "off"]),
    *(race(f"GPT-2 124M, T 1024, B 64, recompute {kind}", GPT2, 64,
           device=["--recompute", kind]) for kind in ("selective", "full")),
    race("GPT-2 124M, T 1024, B 16, dropout", GPT2 + ["--dropout", "0.1"], 16),
    race("LLaMA 1B, T 2048, B 4", LLAMA_1B, 4),
    race("LLaMA 1B, T 2048, B 4, attention by tiles", LLAMA_1B, 4, device=TILES),
]


# Layers of experts whose grouped GEMMs are timed.
EXPERT_KERNELS = [Case(f"layer of experts {precision}", EXPERT_LAYER, precision,
                       ["--global-batch-size", "8"]) for precision in ("bf16", "f32")]

# Folders of kernels, and whether they include the CPU's results.
KERNELS = [
    (Case(f"kernels {name} {precision}", model + dropout, precision), True)
    for name, model, dropout in (("gpt", SMALL_GPT, ["--dropout", "0.1"]),
                                 ("llama", SMALL_LLAMA, []), ("odd", ODD, []),
                                 ("experts", EXPERTS, []))
    for precision in ("f32", "bf16", "fp16")
] + [(Case("kernels-gpt2" + suffix, GPT2 + ["--batch", "16", *dropout], "bf16",
           device=TILES), False)
     for suffix, dropout in (("", []), ("-dropout", ["--dropout", "0.1"]))] + [
    (case, False) for case in EXPERT_KERNELS]


def file_of(case):
    """Returns the file name of a case's program."""
    return "".join(c if c.isalnum() else "-" for c in case.name)
