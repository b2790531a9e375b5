"""Compiled programs read the files of pcc-data. Conversations in which every token
is learned have the losses of the same tokens in a file: with the loss outside of
the ONNX file, whose labels are the next tokens, and with a loss inside, which
shifts labels.

REQUIRES: tokenizers
RUN: rm -rf %t && mkdir %t && cd %t
RUN: pcc %root/examples/gpt2/gpt2.onnx --global-batch-size 4 -q -o outside
RUN: pcc %root/examples/gpt2/gpt2-labels.onnx --global-batch-size 4 -q -o inside
RUN: env PYTHONPATH=%root/.tokenizers %python %s %root %S/Inputs
"""

import json
import os
import random
import re
import subprocess
import sys

ROOT, INPUTS = sys.argv[1:]
SEQ, SAMPLES = 64, 8
TOOL = ["/usr/bin/python3", os.path.join(ROOT, "tools/pcc-data"), "-q",
        "--tokenizer", os.path.join(INPUTS, "tokenizer")]


def tool(*options):
    subprocess.run([*TOOL, *options], check=True)


def losses(program, data):
    done = subprocess.run(
        [f"./{program}", "--data", data, "--steps", "2", "--log-json", "log"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert done.returncode == 0, done.stdout
    with open("log") as file:
        return re.findall(r'"loss":[^,]*', file.read())


# A digit is a token.
random.seed(0)
digits = "".join(random.choices("0123456789", k=SEQ * SAMPLES + 1))
with open("digits.txt", "w") as file:
    file.write(digits)
tool("-o", "megatron", "--eot", "none", "digits.txt")
tool("-o", "llmc.bin", "--format", "llm.c", "--eot", "none", "digits.txt")
for program, option, covered in (("outside", [], SEQ + 1),
                                 ("inside", ["--unshifted"], SEQ)):
    with open("chat.jsonl", "w") as file:
        for at in range(0, SEQ * SAMPLES, SEQ):
            file.write(json.dumps({"messages": [
                {"role": "assistant", "content": digits[at:at + covered]}]})
                + "\n")
    tool("--chat", "--seq", str(SEQ), "-o", program + "-chat", *option,
         "--chat-template", os.path.join(INPUTS, "templates/all.jinja"),
         "chat.jsonl")
    wanted = losses(program, "megatron.bin")
    assert len(wanted) == 2
    assert losses(program, "llmc.bin") == wanted
    assert losses(program, program + "-chat") == wanted, program
