"""The counts of `pcc --report=json` are those of a run: every collective and
transfer of every rank, with its stream and bytes, and the buffers by kind
that make up its memory. For four plans; with PCC_TEST_ALL=1 for three more.

RUN: rm -rf %t && mkdir %t && cd %t
RUN: %python %s %root
"""

import json
import os
import random
import subprocess
import sys

GPT2 = os.path.join(sys.argv[1], "examples", "gpt2", "gpt2.onnx")
LLAMA = os.path.join(sys.argv[1], "examples", "models", "llama-dynamo.onnx")
PLANS = (
    (GPT2, "--tp 2 --pp 2 --sequence-parallel --micro-batch-size 1"),
    (GPT2, "--pp 3 --micro-batch-size 2 --schedule gpipe"),
    (LLAMA, "--dp 2 --cp 2 --micro-batch-size 2"),
    (GPT2, "--tp 2 --cp 2 --zero 3 --sequence-parallel --micro-batch-size 2 "
     "--precision bf16"),
)
if os.environ.get("PCC_TEST_ALL"):
    PLANS += (
        (GPT2, "--pp 2 --dp 2 --zero 2 --micro-batch-size 1"),
        (GPT2, "--tp 2 --dp 2 --micro-batch-size 1 --precision bf16"),
        (GPT2, "--micro-batch-size 4"),
    )

tokens = random.Random(1)
with open("tokens.bin", "wb") as data:
    data.write(bytes(value for _ in range(4000)
                     for value in (tokens.randrange(64), 0)))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


for model, flags in PLANS:
    report = json.loads(run("pcc", model, "--seq", "16", "-o", "train",
                            "--global-batch-size", "8", "--report=json",
                            *flags.split()))
    # Clipping computes a norm, which adds collectives.
    run("./train", "--data", "tokens.bin", "--steps", "2", "--report",
        "sent.json")
    with open("sent.json") as file:
        ranks = json.load(file)["step"]
    mesh = report["mesh"]
    per_stage = mesh["tp"] * mesh["cp"] * mesh["dp"]
    assert len(ranks) == per_stage * mesh["pp"], (flags, len(ranks))
    for rank in ranks:
        stage = report["stages"][rank["rank"] // per_stage]

        def in_order(messages):
            return sorted(messages, key=lambda m: (m["stream"], m["kind"]))
        assert (in_order(stage["messages"]) ==
                in_order(rank["messages"])), (flags, rank, stage["messages"])
    sent = sum(message["bytes_sent"] for stage in report["stages"]
               for message in stage["messages"])
    assert (sent > 0) == (len(ranks) > 1), (flags, sent)
    for stage in report["stages"]:
        kinds = stage["buffer_bytes"]
        assert stage["parameter_bytes"] == (
            kinds["param"] + kinds.get("copy", 0) +
            kinds.get("rounded_part", 0)), stage
        assert stage["gradient_bytes"] == kinds["gradient"], stage
        assert stage["optimizer_bytes"] == kinds["state"], stage
        assert stage["arena_bytes"] == sum(
            stage[kind + "_bytes"] for kind in
            ("parameter", "gradient", "optimizer", "activation")), stage
        assert stage["arena_bytes"] <= sum(kinds.values()), stage
