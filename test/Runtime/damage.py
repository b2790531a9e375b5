"""A checkpoint that has changed since it was saved is rejected by name, and the
next older one is offered: flipped bits in every file, files of another step or
rank, missing files, on any rank and any mesh. With PCC_TEST_ALL=1 at more
offsets.

RUN: rm -rf %t && mkdir %t %t/wide && cd %t && toy-files .
RUN: toy-wide-files wide
RUN: %python %s
"""

import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from checkpoints import rows, withoutHashes

environment = dict(os.environ)
ALL = bool(os.environ.get("PCC_TEST_ALL"))
OLDER = "note: --resume work/step-00000003 continues from the one before"
NONE = "note: there is no older checkpoint in its folder"
NEWER, STATE = "work/step-00000006", "trainer_state.json"


def run(program, *arguments):
    done = subprocess.run([program, *arguments], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, timeout=60,
                          env=environment)
    return done.returncode, done.stderr


def must(program, *arguments):
    code, err = run(program, *arguments)
    assert code == 0, (program, arguments, code, err)
    return err


def refused(program, *texts, arguments=("--resume", "work"), exit=8):
    """Requires that the run ends with these lines, from one rank."""
    code, err = run(program, *arguments)
    assert code == exit, (program, code, err, texts)
    lines = [re.sub(r"^\[rank \d+\] ", "", line) for line in err.splitlines()
             if "error: " in line or "note: " in line]
    assert len(lines) == len(texts), (err, texts)
    for line, text in zip(lines, texts):
        assert text in line, (line, text)
    return err


def fresh(of="base"):
    shutil.rmtree("work", ignore_errors=True)
    shutil.copytree(of, "work", symlinks=True)


def flip(path, place, bit=0):
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 1 << bit]))


OPTIONS = ["--data", "tokens.bin", "--steps", "8", "--lr", "1e-2"]
must("toy-pp2", *OPTIONS, "--save", "base", "--save-every", "3",
     "--stop-after", "6", "--log-json", "whole.json")
MODEL, FIRST, SECOND = ("model.safetensors",
                        "optimizer/optim-rank-00000.safetensors",
                        "optimizer/optim-rank-00001.safetensors")
size = {name: os.path.getsize(f"base/step-00000006/{name}")
        for name in (MODEL, FIRST, SECOND, STATE)}

# A flipped bit: in the length of the header, in its text, in the data.
for name in MODEL, FIRST, SECOND:
    with open(f"base/step-00000006/{name}", "rb") as file:
        header = 8 + int.from_bytes(file.read(8), "little")
    places = [0, 8, header // 2, header, size[name] - 1]
    if ALL:
        places += [7, header - 1, (header + size[name]) // 2]
    for place in places:
        fresh()
        flip(f"{NEWER}/{name}", place, place % 8)
        last = header - 1 if place < header else size[name] - 1
        text = f"error: '{NEWER}/{name}' is damaged: its bytes 0 to {last}"
        refused("toy-1", text, OLDER)

# In the state: at any offset.
with open(f"base/step-00000006/{STATE}", "rb") as file:
    state = file.read()
places = {0, len(state) - 1, len(state) - 2, len(state) // 2}
for word in (b'"format"', b'"step": 6', b'"hashes"', b'"kind"', b'"blocks"',
             b'"hash": "', b'"lr"', b'"files"'):
    at = state.index(word)
    places |= {at, at + len(word)}
    if ALL:
        places |= {at + 1, at + len(word) - 1}
for place in sorted(places):
    fresh()
    flip(f"{NEWER}/{STATE}", place, place % 7)
    refused("toy-1", f"error: '{NEWER}/{STATE}' ", OLDER)
for kept in range(0, len(state), 301 if ALL else 903):
    fresh()
    os.truncate(f"{NEWER}/{STATE}", kept)
    refused("toy-1", f"error: '{NEWER}/{STATE}' ", OLDER)

# Only one of the two fields is damage, too.
for gone in "hash", "hashes":
    fresh()
    with open(f"{NEWER}/{STATE}") as file:
        values = json.load(file)
    del values[gone]
    with open(f"{NEWER}/{STATE}", "w") as file:
        json.dump(values, file, indent=2)
    refused("toy-1", f"error: '{NEWER}/{STATE}' was changed or damaged", OLDER)

# Files of another step, where all sizes are the same.
for name in MODEL, FIRST, SECOND:
    for here, other, note in (6, 3, OLDER), (3, 6, NONE):
        for program in ("toy-1", "toy-pp2") if ALL else ("toy-pp2",):
            fresh()
            folder = f"work/step-{here:08}"
            shutil.copy(f"work/step-{other:08}/{name}", f"{folder}/{name}")
            refused(program, f"error: '{folder}/{name}' is of step {other}, "
                    f"the checkpoint is of step {here}", note,
                    arguments=("--resume", folder))
fresh()
shutil.copy(f"work/step-00000003/{STATE}", NEWER)
refused("toy-1", f"error: '{NEWER}' holds the checkpoint of step 3", OLDER)

# Files of another rank, a missing file, a short file, and an additional one.
fresh()
shutil.copy(f"{NEWER}/{FIRST}", f"{NEWER}/{SECOND}")
refused("toy-1", f"error: '{NEWER}/{SECOND}' has {size[FIRST]} bytes, but had "
        f"{size[SECOND]} when it was saved", OLDER)
for name in MODEL, SECOND:
    fresh()
    os.remove(f"{NEWER}/{name}")
    for program in "toy-1", "toy-dp2":
        refused(program, f"error: '{NEWER}/{name}' is missing", OLDER)
fresh()
os.truncate(f"{NEWER}/{SECOND}", size[SECOND] - 1)
refused("toy-1", f"error: '{NEWER}/{SECOND}' has {size[SECOND] - 1} bytes, "
        f"but had {size[SECOND]} when it was saved", OLDER)
fresh()
with open(f"{NEWER}/optimizer/optim-rank-00007.safetensors", "w") as file:
    file.write("no tensors")
must("toy-pp2", "--resume", "work", "--log-json", "rest.json")

# 'latest' names a checkpoint without its state, and one that is gone.
fresh()
os.remove(f"{NEWER}/{STATE}")
refused("toy-1", f"error: checkpoint '{NEWER}' has no {STATE}", OLDER)
fresh()
shutil.rmtree(NEWER)
code, text = run("toy-1", "--resume", "work", "--stop-after", "3")
assert code == 0 and ("warning: 'work/latest' names step-00000006, which is "
                      "missing: the run continues from step-00000003") in text, text

# With the offered older checkpoint the run has the same results.
must("toy-pp2", *OPTIONS, "--log-json", "whole.json")
must("toy-pp2", "--resume", "work/step-00000003", "--log-json", "older.json")
whole = rows("whole.json")
for log in "rest.json", "older.json":
    assert all(whole[step] == row for step, row in rows(log).items()), log
    assert max(rows(log)) == 8

# A folder may have another name, but not another step's name. An incomplete
# checkpoint is not offered.
fresh()
os.rename(NEWER, "work/mine")
must("toy-1", "--resume", "work/mine/", "--stop-after", "7")
os.rename("work/mine", "work/step-00000005")
refused("toy-1", "error: 'work/step-00000005' holds the checkpoint of step 6",
        OLDER, arguments=("--resume", "work/step-00000005"))
fresh()
os.remove(f"work/step-00000003/{STATE}")
flip(f"{NEWER}/{MODEL}", size[MODEL] - 1)
refused("toy-1", f"error: '{NEWER}/{MODEL}' is damaged", NONE)

# A damaged 'latest' that names no checkpoint, or an older one.
fresh()
flip("work/latest", 2)
refused("toy-tp2", "error: 'work/latest' does not name a checkpoint",
        "note: --resume work/step-00000006 continues from the newest one")
for name, said in ("step-00000003", 1), ("step-00000006", 0):
    with open("work/latest", "w") as file:
        file.write(name + "\n")
    err = must("toy-tp2", "--resume", "work", "--stop-after", "7")
    assert err.count("step-00000006 in the same folder is complete and "
                     "newer") == said

# Without hashes, as older versions wrote them: a warning, from one rank, and
# the same losses.
fresh()
withoutHashes(NEWER)
err = must("toy-dp2-tp2", "--resume", "work", "--stop-after", "7")
assert err.count("warning: ") == 1, err
assert f"[rank 0] warning: checkpoint '{NEWER}' has no hashes" in err, err
must("toy-pp2", "--resume", "work", "--log-json", "plain.json")
assert all(whole[step] == row for step, row in rows("plain.json").items())

# --init accepts the model of a checkpoint if it has not changed.
INIT = f"{NEWER}/{MODEL}"
SHORT = ["--data", "tokens.bin", "--steps", "1", "--init"]
fresh()
must("toy-tp2", *SHORT, INIT)
flip(INIT, size[MODEL] - 1)
for program in "toy-1", "toy-tp2":
    refused(program, f"error: '{INIT}' is damaged: its bytes 0 to",
            "note: a copy in a folder without trainer_state.json is not "
            "verified", arguments=(*SHORT, INIT), exit=4)
shutil.copy(INIT, "copy.safetensors")
must("toy-1", *SHORT, "copy.safetensors")
fresh()
flip(f"{NEWER}/{STATE}", len(state) - 20)
refused("toy-1", f"error: '{NEWER}/{STATE}' was changed or damaged", "note: ",
        arguments=(*SHORT, INIT), exit=4)
# Files with these names may come from other programs.
for text, warned in ('{"epoch": 1, "global_step": 500}', False), ("{", True):
    with open(f"{NEWER}/{STATE}", "w") as file:
        file.write(text)
    assert ("warning: " in must("toy-1", *SHORT, INIT)) == warned

# A rank reads the blocks of its shards: only these ranks report a damaged
# block.
must("toy-wide", "--data", "tokens.bin", "--steps", "2", "--init", "random",
     "--save", "base2")
path = f"work/step-00000002/{MODEL}"
size = os.path.getsize(f"base2/step-00000002/{MODEL}")
block = 1 << 24
assert 2 * block < size < 3 * block
for place, ranks in (block - 1, [0]), (block, [0, 1]), (2 * block, [1]):
    fresh("base2")
    flip(path, place)
    begin = place // block * block
    text = f"error: '{path}' is damaged: its bytes {begin} to " \
           f"{min(begin + block, size) - 1} are"
    # A rank computes hashes on a second thread, or on its only thread.
    for threads in "1", "2":
        environment["OMP_NUM_THREADS"] = threads
        refused("toy-wide", text, NONE)
    del environment["OMP_NUM_THREADS"]
    err = refused("toy-wide-pp2", text, NONE)
    assert int(re.match(r"\[rank (\d)\]", err)[1]) in ranks, err
fresh("base2")
must("toy-wide-pp2", "--resume", "work", "--steps", "3")

# The model file: its first and last bytes, and one of the sampled pages.
model = os.path.getsize("wide/toy.bin")
pages = model // 4096
for place in 9, model - 1, model - 65536, 511 * pages // 1024 * 4096 + 4095:
    flip("wide/toy.bin", place)
    refused("toy-wide", "error: model file 'wide/toy.bin' is not the one this "
            "program was compiled from: its contents differ",
            "note: compile again for a changed model",
            arguments=(*OPTIONS, "--model", "wide/toy.bin"), exit=4)
    flip("wide/toy.bin", place)
must("toy-wide", "--data", "tokens.bin", "--steps", "1", "--model",
     "wide/toy.bin")
