"""A case: a folder with a module, its data, its export and its curve."""

import importlib.util
import json
import os

import numpy as np
import torch

import choices as grammar
import model_source

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__)))))
BUILD = os.environ.get("PCC_BUILD", os.path.join(ROOT, "build"))
STEPS = 5
# A constant learning rate, large enough that a parameter that is trained
# wrongly or not at all shows in the losses. With a larger eps than usual,
# gradients that are zero up to rounding (a key's bias) have no effect.
TRAINING = dict(steps=STEPS, lr=5e-3, lr_schedule="constant", weight_decay=0.1,
                beta1=0.9, beta2=0.95, eps=1e-5, clip_grad=1.0)


class Case:
    """choices: from choices.py. folder: the folder of its files; an existing
    module.py there is used unchanged."""

    def __init__(self, choices, folder, seed):
        self.choices, self.folder, self.seed = choices, folder, seed
        # Whether --seq is given, and --freeze left out; judge.py changes both
        # if pcc requires it.
        self.length_told = choices["length"] == "told"
        self.freezes_itself = False
        os.makedirs(folder, exist_ok=True)
        self.source = self.path("module.py")
        if not os.path.exists(self.source):
            with open(self.source, "w") as file:
                file.write(model_source.source(choices))
            with open(self.path("choices.json"), "w") as file:
                json.dump(dict(choices, seed=seed), file, indent=1)
        # With a unique name, since exporters read sys.modules.
        name = f"fuzzed_{abs(hash(folder))}"
        spec = importlib.util.spec_from_file_location(name, self.source)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def build(self, dtype=torch.float32):
        torch.manual_seed(self.seed)
        return self.module.Model().to(dtype)

    @property
    def pcc(self):
        return os.path.join(BUILD, "bin", "pcc")

    def plan(self):
        """(tp, pp, dp) and the number of microbatches."""
        c = self.choices
        return (c["tp"], c["pp"], c["dp"]), c["microbatches"]

    def micro_batch(self):
        (_, _, dp), count = self.plan()
        return model_source.BATCH // (dp * count)

    def dim_flags(self):
        """Extents of dims that the file leaves open."""
        if self.choices["static"]:
            return []
        used = {d for s in self.module.INPUTS.values() for d in s["shape"]}
        extents = self.extents()
        # --seq is for tokens; other inputs have a dim named seq.
        seq = "--dim=seq" if self.choices["kind"] == "features" else "--seq"
        told = "T" in used and self.length_told
        return ([f"{seq}={extents['T']}"] if told else []) + (
            [f"--dim=source={extents['S']}"] if "S" in used else [])

    def flags(self, alone):
        """The command line of pcc; `alone`: for one rank."""
        c = self.choices
        (tp, pp, dp), _ = self.plan()
        if alone:
            tp = pp = dp = 1
        flags = self.dim_flags() + [
            f"--tp={tp}", f"--pp={pp}", f"--dp={dp}",
            f"--micro-batch-size={self.micro_batch()}",
            f"--global-batch-size={model_source.BATCH}"]
        if pp > 1:
            flags.append(f"--schedule={c['schedule']}")
        if c["sp"] and tp > 1:
            flags.append("--sequence-parallel")
        if self.module.LOSS:
            flags.append(f"--loss={self.module.LOSS}")
        elif "attention_mask" in self.module.INPUTS:
            flags.append("--padding-mask")  # otherwise all ones, for text
        return flags + self.told()

    def told(self):
        """Facts that a bare file does not express, but a user knows: frozen
        parameters and, for TorchScript, the tensors that are buffers."""
        how = self.choices["exporter"]
        if how == "pcc-export":
            return []
        # A tied parameter is known by any of its names.
        every = self.build().named_parameters(remove_duplicate=False)
        names = [n for n, p in every if not p.requires_grad]
        if how in ("train", "eval"):
            names += self.module.TOLD["torchscript"]
        if not names or self.freezes_itself:
            return []
        return ["--freeze=^(" + "|".join(n.replace(".", "[.]")
                                         for n in names) + ")$"]

    # Sizes. An encoder's sequence has another length.
    def extents(self):
        seq = self.choices["seq"]
        return {"T": seq, "S": seq - 2}

    def shape(self, spec):
        return tuple(self.extents().get(d, d) for d in spec["shape"])

    def data(self):
        """Inputs by name, for all steps: arrays of STEPS * BATCH samples, and
        the targets of --loss or None."""
        count = STEPS * model_source.BATCH
        generator = np.random.default_rng(self.seed)
        m = self.module
        if m.LOSS == "causal-lm":
            seq = self.extents()["T"]
            tokens = generator.integers(0, model_source.VOCAB, count * seq + 1)
            return ({"input_ids": tokens[:-1].reshape(count, seq)},
                    tokens[1:].reshape(count, seq))
        arrays = {n: self.draw(s, count, generator)
                  for n, s in m.INPUTS.items()}
        targets = m.TARGETS and self.draw(m.TARGETS, count, generator)
        return arrays, targets

    def draw(self, spec, count, generator):
        shape = (count, *self.shape(spec))
        kind = spec["kind"]
        if kind == "values":
            return generator.normal(size=shape).astype(np.float32)
        if kind == "weights":
            return (generator.random(shape) + 0.5).astype(np.float32)
        if kind == "bits":
            return generator.integers(0, 2, shape).astype(np.float32)
        if kind == "mask":
            length = generator.integers(shape[1] // 2, shape[1] + 1,
                                        (count, 1))
            return (np.arange(shape[1])[None] < length).astype(np.int64)
        ids = generator.integers(0, spec["bound"], shape)
        if spec.get("ignore") and len(shape) > 1:
            ids[generator.random(shape) < 0.1] = -100
        return ids

    def write_data(self, arrays, targets):
        """The argument of --data."""
        if self.module.LOSS == "causal-lm":
            tokens = np.append(arrays["input_ids"].reshape(-1),
                               targets.reshape(-1)[-1:])
            tokens.astype(np.uint16).tofile(self.path("tokens.bin"))
            return "tokens.bin"
        os.makedirs(self.path("data"), exist_ok=True)
        for name, array in arrays.items():
            np.save(self.path("data", name + ".npy"), array)
        if targets is not None:
            np.save(self.path("data", "labels.npy"), targets)
        return "data"


def of_seed(seed, folder):
    return Case(grammar.draw(seed), folder, seed)


def of_folder(folder):
    """A case that --reproduce left, maybe edited."""
    with open(os.path.join(folder, "choices.json")) as file:
        choices = dict(grammar.PLAIN, **json.load(file))
    return Case(choices, folder, choices["seed"])


