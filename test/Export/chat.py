#!/usr/bin/env python3
"""Compares pcc-data with transformers, with the Python of benchmarks/setup:

    .venv/bin/python test/Export/chat.py

Tokens of texts: those of a tokenizer's call, for tokenizers of several kinds. Chat
templates of test/Data/Inputs/templates and of transformers' own kind: text and
tokens are those of apply_chat_template; learned tokens are those of its
return_assistant_tokens_mask, or lie between its renderings of the messages before
and with each reply. Prints a line for each; exits with 1 if one differs.
"""

import glob
import json
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
INPUTS = os.path.join(ROOT, "test/Data/Inputs")
sys.path.insert(0, os.path.join(ROOT, "tools"))
os.environ["HF_HUB_OFFLINE"] = "1"

import transformers  # noqa: E402
from tokenizers import (Tokenizer as Backend, decoders, models,  # noqa: E402
                        normalizers, pre_tokenizers, processors, trainers)

from pcc_data.conversations import Conversation, with_reasoning  # noqa: E402
from pcc_data.encoders import Tokenizer  # noqa: E402
from pcc_data.messages import Refused  # noqa: E402
from pcc_data.replies import Replies  # noqa: E402
from pcc_data.samples import Left, Samples  # noqa: E402
from pcc_data.template import Template  # noqa: E402

TEXTS = ["", "Hello", " a  b\n\n\tc\n", "naïve café 日本語 🙂", "x" * 300,
         "It's 12345 o'clock.\r\nNew line\n \n", "<unk> text", "\n", " "]

U, A, S = (lambda text, role=role: {"role": role, "content": text}
           for role in ("user", "assistant", "system"))
CHATS = [
    [U("Hi"), A("Hello")],
    [U("Hi"), A("Hello"), U("And?"), A("So.\nTwo lines"), U("Ω"), A("🙂 é")],
    [S("Be brief."), U("Why?"), A("Because.")],
    [U("Only a question")],
    [U("Spaces "), A(" around \n"), U("x"), A("\n\nnewlines first")],
    [U("a"), A("<|im_end|> inside"), U("b"), A("end")],
    [U("sum?"), {**A("3"), "reasoning_content": "1 + 2"}],
    [U("a"), A("b"), A("c")],
    [U("a"), A("")],
]
failures = 0


def report(name, problems, number):
    global failures
    failures += bool(problems)
    print(f"{name}: " + (f"{len(problems)} of {number} differ: {problems[0]}"
                         if problems else f"{number} agree"))


def make_tokenizers(folder):
    """Writes directories of tokenizers of several kinds; returns them."""
    with open("/usr/share/common-licenses/GPL-3", encoding="utf-8") as file:
        text = file.read()
    made = [os.path.join(INPUTS, "tokenizer")]

    def save(name, backend, **config):
        path = os.path.join(folder, name)
        os.makedirs(path)
        backend.save(os.path.join(path, "tokenizer.json"))
        with open(os.path.join(path, "tokenizer_config.json"), "w",
                  encoding="utf-8") as file:
            json.dump({"tokenizer_class": "PreTrainedTokenizerFast", **config},
                      file)
        made.append(path)

    backend = Backend(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.train_from_iterator([text], trainers.BpeTrainer(
        vocab_size=500, special_tokens=["<|endoftext|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    save("gpt2", backend, eos_token="<|endoftext|>")
    # These flags do not matter beside a tokenizer.json.
    save("gpt2-flags", backend, eos_token={"content": "<|endoftext|>", "__type": "AddedToken"},
         bos_token="<|endoftext|>", add_bos_token=True, add_eos_token=True)

    backend = Backend(models.BPE(byte_fallback=True, unk_token="<unk>",
                                 fuse_unk=True))
    backend.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{i:02X}>" for i in range(256)]
    backend.train_from_iterator(text.split(), trainers.BpeTrainer(
        vocab_size=700, special_tokens=special, show_progress=False))
    value = json.loads(backend.to_str())
    value["added_tokens"] = value["added_tokens"][:3]
    backend = Backend.from_str(json.dumps(value))
    backend.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    save("llama2", backend, eos_token="</s>", bos_token="<s>", unk_token="<unk>")

    backend = Backend(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.train_from_iterator([text], trainers.WordPieceTrainer(
        vocab_size=500, special_tokens=["[UNK]", "[CLS]", "[SEP]"],
        show_progress=False))
    backend.post_processor = processors.BertProcessing(("[SEP]", 2),
                                                       ("[CLS]", 1))
    save("bert", backend, eos_token="[SEP]", unk_token="[UNK]")

    backend = Backend(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.train_from_iterator([text], trainers.UnigramTrainer(
        vocab_size=400, special_tokens=["<unk>", "</s>"], unk_token="<unk>",
        show_progress=False))
    backend.post_processor = processors.TemplateProcessing(
        single="$A </s>", pair="$A </s> $B </s>", special_tokens=[("</s>", 1)])
    save("t5", backend, eos_token="</s>", unk_token="<unk>")
    return made


def check_texts(folder):
    """A text's tokens, with those at its ends, then the end of text once."""
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ours = Tokenizer(folder)
    problems = []
    for text in TEXTS:
        # Special tokens in a text are plain text here.
        wanted = theirs(text, split_special_tokens=True).input_ids
        if wanted[-1:] != [theirs.eos_token_id] or len(ours.suffix) == 0:
            wanted = wanted + [theirs.eos_token_id]
        found = ours.prefix + ours.encode(text) + ours.suffix
        if found != wanted:
            problems.append((text, found, wanted))
    report(f"texts of {os.path.basename(folder)}", problems, len(TEXTS))


def prefix_mask(theirs, chat, ids, end):
    """Learned tokens by transformers' renderings; None if they do not show."""
    def render(messages, asks):
        return theirs.apply_chat_template(
            messages, add_generation_prompt=asks, tokenize=True,
            return_dict=False)

    mask = [0] * len(ids)
    for i, message in enumerate(chat):
        if message["role"] != "assistant":
            continue
        before, after = render(chat[:i], True), render(chat[:i + 1], False)
        if ids[:len(before)] != before or ids[:len(after)] != after:
            return None
        reply = after[len(before):]
        while reply and not theirs.decode(reply[-1]).strip():
            if not any(token in end for token in reply):
                break
            reply.pop()
        for at in range(len(before), len(before) + len(reply)):
            mask[at] = 1
    return mask


def marked_mask(out):
    """Learned tokens by transformers' mask. It ends at the first token of the
    last character; a character of several tokens is learned whole."""
    mask = list(out["assistant_masks"])
    for at in range(1, len(mask)):
        if mask[at - 1] and out.token_to_chars(at) == out.token_to_chars(at - 1):
            mask[at] = 1
    return mask


def check_template(folder, path):
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    with open(path, encoding="utf-8") as file:
        theirs.chat_template = file.read()
    ours = Tokenizer(folder, "none", True)
    template = Template(ours, path)
    replies = Replies(template, ours.added_pattern, False)
    samples = Samples(ours, 1000, 0, True, False)
    problems, numbers = [], {"learned": 0, "hidden": 0, "refused": 0}
    end = set(ours.model.get_added_tokens_decoder())
    for chat in CHATS:
        plain = [with_reasoning(message) for message in chat]
        try:
            text = theirs.apply_chat_template(chat, tokenize=False)
        except Exception:  # pylint: disable=broad-except
            try:
                replies.renderings(Conversation("x:1", plain, None))
                problems.append((chat, "is not refused"))
            except Refused:
                numbers["refused"] += 1
            continue
        mine, _ = template.render(plain, None, False)
        out = theirs.apply_chat_template(chat, tokenize=True, return_dict=True,
                                         return_assistant_tokens_mask=True)
        ids = out["input_ids"]
        if mine != text or ours.encode(mine) != ids:
            problems.append((chat, mine, text))
            continue
        wanted = (marked_mask(out) if template.has_marks else
                  prefix_mask(theirs, chat, ids, end))
        try:
            rendering, = replies.renderings(Conversation("x:1", plain, None))
            found = [int(x) for x in samples.learned(rendering, ids)]
            numbers["learned"] += 1
        except (Refused, Left):
            found = None
            numbers["hidden"] += 1
        if found is None and template.has_marks:
            # transformers learns the whole of a token at the border.
            continue
        if found != wanted:
            problems.append((chat, found, wanted))
    report(f"{os.path.basename(path)} with {os.path.basename(folder)} "
           f"{json.dumps(numbers)}", problems, len(CHATS))


with tempfile.TemporaryDirectory() as work:
    folders = make_tokenizers(work)
    for each in folders:
        check_texts(each)
    for each in folders[:2] + folders[3:4]:
        for file_name in sorted(glob.glob(f"{INPUTS}/templates/*.jinja")):
            check_template(each, file_name)
sys.exit(1 if failures else 0)
