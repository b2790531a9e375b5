"""Checkpoints of a program whose model file was exported from a directory are
such directories: tensors under its names and in its types, in shards with an
index, with its other files. A resume is exact, from and into any mesh.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files .
RUN: %python %s
"""

import itertools
import json
import os
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from byhand import prepare
from checkpoints import rows
from runs import good, run

prepare()
os.environ["TOY_EXPORTED"] = "1"
TYPES = {"emb.weight": "BF16", "head.weight": "F16", "head.bias": "F32"}
WIDE = dict.fromkeys(TYPES, "F32")
CONFIG = {"architectures": ["Toy"], "dtype": "bfloat16", "hidden_size": 16,
          "text_config": {"torch_dtype": "float16"},
          "quantization": {"dtype": "bfloat16"}}
STEP4, STEP8 = "step-00000004", "step-00000008"
TRAIN = ["--data", "tokens.bin", "--steps", "8", "--lr", "1e-2"]


def tensors(path):
    """{name: (type, shape, bytes)} of a safetensors file."""
    with open(path, "rb") as file:
        header = json.loads(file.read(*struct.unpack("<Q", file.read(8))))
        data = file.read()
    header.pop("__metadata__")
    return {name: (t["dtype"], t["shape"], data[slice(*t["data_offsets"])])
            for name, t in header.items()}


def typesOf(path):
    return {name: tensor[0] for name, tensor in tensors(path).items()}


def masters(folder):
    """The parameters that the optimizer's files hold in the type of training."""
    return {name[len("master."):] for file in os.listdir(folder + "/optimizer")
            for name in tensors(f"{folder}/optimizer/{file}")
            if name.startswith("master.")}


def refused(exit, text, *command, note="", **environment):
    code, _, err = run(*command, **environment)
    assert code == exit and text in err and note in err, (code, err, text)


def nearest(value, kind):
    """The bits of an f32 number in 16 bits, rounded to nearest, ties to even."""
    if kind == "F16":
        return struct.unpack("<H", struct.pack("<e", value))[0]
    bits, = struct.unpack("<I", struct.pack("<f", value))
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16


def save(program, folder, *flags):
    """Trains eight steps in two runs; each checkpoint has the first step's
    log."""
    good(program, *TRAIN, "--save", folder, "--stop-after", "4", *flags,
         "--log-json", folder + ".json")
    good(program, "--resume", folder, "--save", folder, *flags, "--log-json",
         folder + ".json")
    return rows(folder + ".json")


# The files are copied; without them a run does not begin.
FIRST = ["toy-dp2-tp2", *TRAIN, "--save", "saved"]
OTHER = [*FIRST[:-1], "other"]
missing = "error: cannot find 'config.json', 'chat/tool.jinja' of the model " \
          "directory, looked for in '.', 'source'"
refused(4, missing, *FIRST,
        note="note: checkpoints would not load without: copy them there, or "
             "save with --weights-only")
os.makedirs("source/chat")
with open("source/config.json", "w") as file:
    json.dump(CONFIG, file)
refused(4, "error: cannot find 'chat/tool.jinja' of the model", *FIRST)
with open("source/chat/tool.jinja", "wb") as file:
    file.write(b"{{ tool }}\n\xff\x00")
good("toy-dp2-tp2", *TRAIN, "--log-json", "whole.json")
whole = rows("whole.json")
out = good(*FIRST, "--stop-after", "4", "--log-json", "saved.json")
assert "saves      model directories, with 2 files of 'source'" in out, out
assert sorted(os.listdir("saved/" + STEP4)) == [
    "chat", "config.json", "model.safetensors", "optimizer",
    "trainer_state.json"]
for name in "config.json", "chat/tool.jinja":
    with open("source/" + name, "rb") as a, \
            open(f"saved/{STEP4}/{name}", "rb") as b:
        assert a.read() == b.read()

# A resumed run takes them from its checkpoint if nothing else has them.
os.rename("source", "moved")
good("toy-dp2-tp2", "--resume", "saved", "--save", "saved", "--log-json",
     "saved.json")
assert rows("saved.json") == whole
assert os.path.exists(f"saved/{STEP8}/chat/tool.jinja")
good("toy-1", *TRAIN, "--save", "only", "--weights-only", "--stop-after", "1")
assert not os.path.exists("only/step-00000001/config.json")
os.rename("moved", "source")

# The types are the directory's. What these cannot hold is in the optimizer's
# files, and there only.
assert typesOf(f"saved/{STEP8}/model.safetensors") == TYPES
assert masters(f"saved/{STEP8}") == {"emb.weight", "head.weight"}
wide = save("toy-dp2-tp2", "wide", "--save-dtype", "f32")
assert wide == whole
assert typesOf(f"wide/{STEP8}/model.safetensors") == WIDE
assert masters(f"wide/{STEP8}") == set()
with open(f"wide/{STEP8}/config.json") as file:
    assert json.load(file) == dict(CONFIG, dtype="float32",
                                   text_config={"torch_dtype": "float32"})
narrow = tensors(f"saved/{STEP8}/model.safetensors")
for name, (_, shape, data) in tensors(f"wide/{STEP8}/model.safetensors").items():
    kind, own, bits = narrow[name]
    assert own == shape
    values = struct.unpack(f"<{len(data) // 4}f", data)
    if kind == "F32":
        assert bits == data
    else:
        assert [nearest(v, kind) for v in values] == [
            b for b, in struct.iter_unpack("<H", bits)], name

# Every mesh continues either form, and writes the same files.
for program, form in zip(("toy-1", "toy-pp2-tp2", "toy-tp2", "toy-dp2"),
                         itertools.cycle(("saved", "wide"))):
    good(program, "--resume", f"{form}/{STEP4}", "--log-json", "other.json",
         "--save", f"other-{program}")
    assert min(rows("other.json")) == 5
    for step, (loss, norm) in rows("other.json").items():
        assert abs(loss - whole[step][0]) < 2e-6 * loss, (program, step)
    assert typesOf(f"other-{program}/{STEP8}/model.safetensors") == TYPES

# Programs of other forms continue it, too: this one has a file of f32.
del os.environ["TOY_EXPORTED"]
good("toy-dp2-tp2", "--resume", f"saved/{STEP4}", "--save", "plain",
     "--log-json", "plain.json")
assert rows("plain.json") == {s: r for s, r in whole.items() if s > 4}
assert masters(f"plain/{STEP8}") == set()
os.environ["TOY_EXPORTED"] = "1"

# Shards: each ends before the tensor that would exceed the size.
for size, count in ("3.3KB", 3), ("6.5KB", 2), ("0.01MB", 1):
    shutil.rmtree("shards", ignore_errors=True)
    assert save("toy-dp2-tp2", "shards", "--max-shard-size", size) == whole
    files = sorted(f for f in os.listdir("shards/" + STEP8) if "model" in f)
    if count == 1:
        assert files == ["model.safetensors"]
        continue
    names = [f"model-{i + 1:05}-of-{count:05}.safetensors"
             for i in range(count)]
    assert files == [*names, "model.safetensors.index.json"], files
    found = {}
    for name in names:
        found.update((tensor, (name, value)) for tensor, value in
                     tensors(f"shards/{STEP8}/{name}").items())
    assert {name: value for name, (_, value) in found.items()} == narrow
    with open(f"shards/{STEP8}/model.safetensors.index.json") as file:
        assert json.load(file) == {
            "metadata": {"total_size": sum(len(t[2]) for t in narrow.values())},
            "weight_map": {name: file for name, (file, _) in found.items()}}
shutil.rmtree("shards")
save("toy-dp2-tp2", "shards", "--max-shard-size", "3.3KB")
out = good("toy-pp2", "--resume", "shards/" + STEP4, "--log-json", "pp.json")
assert abs(rows("pp.json")[8][0] - whole[8][0]) < 1e-5

# Initial weights from a directory, an index or a file are the same.
START = ["toy-tp2", "--data", "tokens.bin", "--steps", "1", "--log-json"]
for number, path in enumerate((
        f"saved/{STEP8}", f"saved/{STEP8}/model.safetensors",
        f"shards/{STEP8}", f"shards/{STEP8}/model.safetensors.index.json")):
    good(*START, f"init{number}.json", "--init", path)
    assert rows(f"init{number}.json") == rows("init0.json")
INDEX = f"shards/{STEP8}/model.safetensors.index.json"
SHARD = f"shards/{STEP8}/model-00002-of-00003.safetensors"
refused(4, "error: 'saved' has no weights: neither model.safetensors nor "
           "model.safetensors.index.json", *START, "a.json", "--init", "saved",
        note=f"note: its newest checkpoint is --init saved/{STEP8}")
refused(4, f"error: '{SHARD}' has no tensor 'emb.weight'", *START, "a.json",
        "--init", SHARD)


# A tensor that the directory calls otherwise. Files with the module's name are
# read, too.
RENAMED = {"TOY_EXPORTED": "renamed"}
good("toy-pp2", "--resume", f"saved/{STEP4}", "--save", "renamed", **RENAMED)
path = f"renamed/{STEP8}/model.safetensors"
assert typesOf(path) == {"emb.weight": "BF16", "output.weight": "F16",
                         "head.bias": "F32"}
good(*START, "renamed.json", "--init", path, **RENAMED)
assert abs(rows("renamed.json")[1][0] - rows("init0.json")[1][0]) < 1e-3
refused(4, f"error: '{path}' has no tensor 'head.weight'", *START, "a.json",
        "--init", path)


# Damage, as with one file.
def flip(path):
    with open(path, "r+b") as file:
        file.seek(-1, 2)
        byte = file.read(1)[0]
        file.seek(-1, 2)
        file.write(bytes([byte ^ 4]))


with open(INDEX) as file:
    text = file.read()
for change, why in (
        (text[:40], "is not an index of safetensors files: it has no "
                    "\"weight_map\""),
        (text.replace("00002", "../2"), "is not an index of safetensors "
                                        "files: the file of tensor"),
        (text.replace("head.weight", "other"), "has no tensor 'other'")):
    with open(INDEX, "w") as file:
        file.write(change)
    refused(4, why, *START, "a.json", "--init", INDEX)
with open(INDEX, "w") as file:
    file.write(text)
flip(SHARD)
refused(4, f"error: '{SHARD}' is damaged", *START, "a.json", "--init", INDEX)
refused(8, f"error: '{SHARD}' is damaged", "toy-1", "--resume", "shards",
        note=f"note: --resume shards/{STEP4} continues from the one before")
os.remove(SHARD)
refused(8, f"error: '{SHARD}' is missing", "toy-1", "--resume", "shards")

# Flags.
refused(2, "error: --save-dtype: 'bf16' is not known", *FIRST, "--save-dtype",
        "bf16", note="note: valid values are source and f32")
for size in "5 GB", "GB", "0", "1e3", "-1":
    refused(2, f"error: --max-shard-size: '{size}' is no size in bytes", *FIRST,
            f"--max-shard-size={size}")
for flag in "--save-dtype=f32", "--max-shard-size=1GB", "--weights-only":
    refused(2, "needs --save DIR", "toy-1", *TRAIN, flag)
with open("source/config.json", "w") as file:
    file.write("{")
refused(4, "error: 'source/config.json' is not JSON", *OTHER, "--save-dtype",
        "f32")
os.remove("source/config.json")
os.mkdir("source/config.json")
refused(4, "error: cannot find 'config.json' of the model", *OTHER)

# --model names the file or its folder.
os.mkdir("there")
shutil.move("toy.bin", "there")
shutil.copytree(f"saved/{STEP8}/chat", "there/chat")
shutil.copy(f"saved/{STEP8}/config.json", "there")
for path in "there", "there/toy.bin":
    out = good("toy-1", *TRAIN, "--stop-after", "1", "--model", path, "--save",
               "there/saved")
    assert "2 files of 'there'" in out, out
    shutil.rmtree("there/saved")
refused(4, "error: cannot read model file 'source/toy.bin'", "toy-1", *TRAIN,
        "--model", "source")
