#!/usr/bin/env python3
"""Writes tokenizer/: a byte-level BPE with 256 tokens, as many as the GPT-2 example
takes: bytes of UTF-8 except for control characters, the special tokens of the
templates, and merges. Needs the package tokenizers.

    PYTHONPATH=.tokenizers test/Data/Inputs/make_tokenizer.py
"""

import json
import os

from tokenizers import (Regex, Tokenizer, decoders, models, pre_tokenizers,
                        trainers)

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT = "/usr/share/common-licenses/GPL-3"
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>",
           "<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>",
           "<|eot_id|>", "<start_of_turn>", "<end_of_turn>", "[INST]",
           "[/INST]", "<|user|>", "<|assistant|>", "<|end|>"]

tokenizer = Tokenizer(models.BPE())
# The words of Llama 3 and Qwen.
WORDS = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
         r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
    pre_tokenizers.Split(Regex(WORDS), "isolated"),
    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
tokenizer.decoder = decoders.ByteLevel()
CONTROL = {*map(chr, range(32)), "\x7f"} - {"\t", "\n", "\r"}
# Names of the bytes in text: of all bytes, those that occur in it.
encoder = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
ALPHABET = sorted({
    name for code in [*range(0x800), *range(0x800, 0xd800, 0x40),
                      *range(0xe000, 0x110000, 0x1000), *range(0x2000, 0x2040)]
    if chr(code) not in CONTROL
    for name in encoder.pre_tokenize_str(chr(code))[0][0]})
with open(TEXT, encoding="utf-8") as file:
    tokenizer.train_from_iterator([file.read()], trainers.BpeTrainer(
        vocab_size=256, special_tokens=SPECIAL,
        initial_alphabet=ALPHABET,
        show_progress=False))
folder = os.path.join(HERE, "tokenizer")
os.makedirs(folder, exist_ok=True)
value = json.loads(tokenizer.to_str())
with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as file:
    json.dump(value, file, separators=(",", ":"))
    file.write("\n")
with open(os.path.join(folder, "tokenizer_config.json"), "w",
          encoding="utf-8") as file:
    json.dump({"bos_token": "<|endoftext|>", "eos_token": "<|endoftext|>",
               "pad_token": "<|endoftext|>",
               "tokenizer_class": "PreTrainedTokenizerFast"}, file, indent=1)
    file.write("\n")
