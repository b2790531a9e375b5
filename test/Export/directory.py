#!/usr/bin/env python3
"""pcc on directories of transformers, with the Python of benchmarks/setup:

    .venv/bin/python test/Export/directory.py [--bin build/bin] [NAME ...]
    .venv/bin/python test/Export/directory.py --all

Saves small models with random weights by save_pretrained, compiles each
directory for two ranks by 'pcc DIR --dp 2', trains two steps, and compares the
first loss with PyTorch's. NAME is a model of examples/models/models.py; --all
takes every one. By default: a GPT-2, and a Qwen3 in bf16
with a tokenizer made from scratch; and directories whose export is refused.
Prints a line for each; exits with 1 if one fails.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "examples", "models"),
                os.path.join(ROOT, "tools")]

import numpy as np  # noqa: E402
import onnx  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import transformers as hf  # noqa: E402

import models  # noqa: E402
from pcc_export.huggingface import TASKS, example, load  # noqa: E402

BATCH, SEQ = 4, 32
# Relative, of the first loss.
TOLERANCE = 1e-5
TASK_OF = {"bert-mlm": "masked-lm",
           "bert-classifier": "sequence-classification",
           "vit": "image-classification", "t5": "seq2seq-lm",
           "t5-gated": "seq2seq-lm"}
# Without tables of positions, and without a length in the configuration.
NEEDS_SEQ = ("t5", "t5-gated", "bloom")

# A model whose code is a part of its directory.
CODE = '''
import torch
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import CausalLMOutput


class SmallConfig(PretrainedConfig):
    model_type = "small-of-its-own"

    def __init__(self, vocab_size=128, hidden_size=16, **options):
        self.vocab_size, self.hidden_size = vocab_size, hidden_size
        super().__init__(**options)


class SmallForCausalLM(PreTrainedModel):
    config_class = SmallConfig

    def __init__(self, config):
        super().__init__(config)
        self.table = torch.nn.Embedding(config.vocab_size, config.hidden_size)
        self.head = torch.nn.Linear(config.hidden_size, config.vocab_size)
        self.post_init()

    def forward(self, input_ids, **options):
        return CausalLMOutput(logits=self.head(torch.tanh(
            self.table(input_ids))))
'''


def call(command, code=0, **variables):
    """Runs a command; returns its output and errors."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT,
                          env=dict(os.environ, **variables))
    assert done.returncode == code, (
        f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def build(name):
    """The model `name` with random weights."""
    torch.manual_seed(0)
    model = models.MODELS[name].build()
    with torch.no_grad():
        for key, p in model.named_parameters():
            if key.endswith("bias"):
                p.normal_(std=0.02)
    return model


def data_for(path, folder, task, vocab):
    """Writes data for a program of the file at `path`. Returns the path, the
    inputs of the first step by name, and its targets."""
    generator = torch.Generator().manual_seed(1)
    if task == "causal-lm":
        tokens = torch.randint(vocab, (8 * BATCH * SEQ + 1,),
                               generator=generator)
        data = os.path.join(folder, "tokens.bin")
        tokens.numpy().astype(np.uint16).tofile(data)
        count = BATCH * SEQ
        return data, {"input_ids": tokens[:count].view(BATCH, SEQ)}, (
            tokens[1:count + 1].view(BATCH, SEQ))
    config = hf.AutoConfig.from_pretrained(os.path.dirname(path))
    module = type("Module", (), {"config": config})
    graph = onnx.load(path, load_external_data=False).graph
    inputs = {i.name: example(module, i.name, 2 * BATCH, SEQ)
              for i in graph.input}
    shape, classes = (2 * BATCH, SEQ), vocab
    if task.endswith("-classification"):
        shape, classes = (2 * BATCH,), config.num_labels
    labels = torch.randint(classes, shape, generator=generator)
    data = os.path.join(folder, "data")
    os.makedirs(data)
    for name, value in dict(inputs, labels=labels).items():
        kind = np.float32 if value.is_floating_point() else np.int32
        np.save(os.path.join(data, name + ".npy"), value.numpy().astype(kind))
    return data, {n: v[:BATCH] for n, v in inputs.items()}, labels[:BATCH]


def loss_by_pytorch(directory, task, inputs, labels):
    model = load(directory, task).eval()
    with torch.no_grad():
        logits = model(**inputs).logits
    return F.cross_entropy(logits.flatten(0, -2), labels.flatten()).item()


def train(directory, options, task="causal-lm", flags=()):
    """Compiles a directory, trains two steps. Returns the exporter and the
    difference of the first loss from PyTorch's."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "train")
        command = [options.pcc, directory, "--dp=2", "--no-dropout",
                   f"--global-batch-size={BATCH}", "-o", program,
                   f"--python={sys.executable}", *flags]
        said = call(command)
        exported = program + ".model"
        again = call(command)
        assert f"reused:   {exported}, " in again, again
        for name in os.listdir(directory):
            if "safetensors" not in name:
                assert os.path.exists(os.path.join(exported, name)), name
        vocab = hf.AutoConfig.from_pretrained(directory)
        vocab = getattr(vocab.get_text_config(), "vocab_size", 0)
        data, inputs, labels = data_for(os.path.join(exported, "model.onnx"),
                                        folder, task, vocab)
        log = os.path.join(folder, "log.jsonl")
        call([program, "--data", data, "--steps=2", "--log-json", log])
        with open(log, encoding="utf-8") as file:
            found = [json.loads(line)["loss"] for line in file]
        wanted = loss_by_pytorch(directory, task, inputs, labels)
    assert len(found) == 2 and found[1] != found[0], found
    difference = abs(found[0] - wanted) / wanted
    assert difference <= TOLERANCE, (
        f"the first loss is {found[0]}, PyTorch's {wanted}")
    return re.search(r"exporter: (.*)", said)[1], difference


def run_model(name, options, folder):
    directory = os.path.join(folder, name)
    build(name).save_pretrained(directory)
    flags = [f"--seq={SEQ}"] if name in NEEDS_SEQ else []
    begin = time.monotonic()
    exporter, difference = train(directory, options,
                                 TASK_OF.get(name, "causal-lm"), flags)
    return (f"{difference:.1e}, by {exporter}, in "
            f"{time.monotonic() - begin:.0f} s")


def save_tokenizer(directory):
    """Makes a tokenizer of 200 tokens from this file's text, with a chat
    template."""
    from tokenizers import Tokenizer, decoders, models as kinds
    from tokenizers import pre_tokenizers, trainers

    tokenizer = Tokenizer(kinds.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    with open(__file__, encoding="utf-8") as file:
        tokenizer.train_from_iterator(file, trainers.BpeTrainer(
            vocab_size=200, special_tokens=["<|end|>"]))
    fast = hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer,
                                      eos_token="<|end|>")
    fast.chat_template = "{% for m in messages %}{{ m.content }}{% endfor %}"
    fast.save_pretrained(directory)


def run_tokenizer(options, folder):
    """A Qwen3 in bf16, in two files, with a tokenizer."""
    directory = os.path.join(folder, "qwen3")
    model = hf.Qwen3ForCausalLM(hf.Qwen3Config(
        vocab_size=200, hidden_size=32, intermediate_size=48,
        num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        head_dim=8, max_position_embeddings=SEQ, tie_word_embeddings=True))
    model.to(torch.bfloat16).save_pretrained(directory, max_shard_size="20KB")
    save_tokenizer(directory)
    names = os.listdir(directory)
    assert {"model.safetensors.index.json", "tokenizer.json",
            "chat_template.jinja", "generation_config.json"} <= set(names), names
    exporter, difference = train(directory, options)
    return f"{difference:.1e}, by {exporter}"


def refused(directory, options, *texts, flags=()):
    said = call([options.pcc, directory, f"--python={sys.executable}",
                 *flags, "-o", os.path.join(directory, "out")], code=1)
    for text in texts:
        assert text in said, said
    assert "note: " in said, said
    assert not os.path.exists(os.path.join(directory, "out.model"))


def run_code(options, folder):
    """Code in the directory runs only with --trust-remote-code."""
    directory = os.path.join(folder, "own")
    os.makedirs(directory)
    with open(os.path.join(directory, "small.py"), "w") as file:
        file.write(CODE)
    sys.path.insert(0, directory)
    import small
    model = small.SmallForCausalLM(small.SmallConfig())
    model.config.auto_map = {"AutoConfig": "small.SmallConfig",
                             "AutoModelForCausalLM": "small.SmallForCausalLM"}
    model.config.architectures = ["SmallForCausalLM"]
    model.save_pretrained(directory)
    refused(directory, options, "needs Python code of its own",
            "--trust-remote-code")
    said = call([options.pcc, directory, f"--python={sys.executable}",
                 "--trust-remote-code", "--seq=8", "--emit=import", "-o",
                 os.path.join(folder, "own.mlir")],
                HF_HOME=os.path.join(folder, "cache"))
    assert "exported: " in said, said
    return "ok"


def run_refused(options, folder):
    """The errors of transformers and of pcc-export are shown."""
    directory = os.path.join(folder, "unknown")
    build("gpt2").save_pretrained(directory)
    refused(directory, options, "does not load as image-classification",
            flags=["--task=image-classification"])
    path = os.path.join(directory, "config.json")
    with open(path) as file:
        config = json.load(file)
    with open(path, "w") as file:
        json.dump(dict(config, model_type="of-tomorrow"), file)
    refused(directory, options, "does not load as causal-lm", "of-tomorrow")
    with open(path, "w") as file:
        json.dump(config, file)
    with open(os.path.join(directory, "model.safetensors"), "r+b") as file:
        file.truncate(1000)
    refused(directory, options, "does not load as causal-lm")
    # The configuration is enough for random weights; broken files are named.
    tool = [sys.executable, os.path.join(ROOT, "tools", "pcc-export"), "--hf",
            directory, "--random-weights", "-o", os.path.join(folder, "a.onnx")]
    said = call([*tool, "--task=causal-lm"], code=1)
    assert "error: 'model.safetensors" in said.replace(directory + "/", ""), said
    assert "is not a file of safetensors: " in said, said
    weights = os.path.join(directory, "model.safetensors")
    said = call([*tool[:-1], weights, "--task=causal-lm"], code=1)
    assert f"'{weights}' is a file of the model" in said, said
    os.unlink(weights)
    # The model itself refuses the example: it has no padding token.
    said = call([*tool, "--task=sequence-classification"], code=1)
    assert "the module fails with the example inputs input_ids [" in said, said
    assert "Traceback" not in said, said
    return "ok"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--all", action="store_true", help="every model")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    options.pcc = os.path.join(os.path.abspath(options.bin), "pcc")
    cases = {"tokenizer": run_tokenizer, "code": run_code,
             "refused": run_refused}
    known = [name for name in models.MODELS
             if name not in ("nanogpt", "gpt2-eager")]
    names = options.names or ["gpt2", *cases]
    if options.all:
        names = [*cases, *known]
    failed = 0
    for name in names:
        folder = tempfile.mkdtemp()
        try:
            run = cases.get(name) or (
                lambda options, folder: run_model(name, options, folder))
            print(f"{name}: {run(options, folder)}", flush=True)
        except Exception as error:
            failed += 1
            print(f"{name}: FAILED: {error}", flush=True)
        finally:
            shutil.rmtree(folder)
    sys.exit(f"{failed} failed" if failed else 0)


if __name__ == "__main__":
    main()
