"""Tokens that the files of a model directory name, with transformers' rules."""

import json
import os

from .messages import Refused


def read_json(folder, name):
    """Returns a JSON object; an empty one if there is no such file."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        try:
            value = json.load(file)
        except ValueError as error:
            raise Refused(f"'{path}' is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise Refused(f"'{path}' is not a JSON object")
    return value


def content_of(value):
    """Returns a token's text: it is a string, or an object with `content`."""
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else None


class SpecialTokens:
    """The named tokens: of tokenizer_config.json and special_tokens_map.json.
    The latter takes precedence if the former is of an old form, without
    added_tokens_decoder."""

    NAMES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
             "cls_token", "mask_token")

    def __init__(self, folder):
        self.folder = folder
        self.config = read_json(folder, "tokenizer_config.json")
        named = read_json(folder, "special_tokens_map.json")
        files = [named, self.config]
        if "added_tokens_decoder" in self.config:
            files.reverse()
        self.tokens = {}
        for name in self.NAMES:
            token = (content_of(files[0].get(name)) or
                     content_of(files[1].get(name)))
            if token:
                self.tokens[name] = token

    def eos_ids(self):
        """Returns the ids of generation_config.json or config.json, and the
        file's name."""
        for name in "generation_config.json", "config.json":
            value = read_json(self.folder, name).get("eos_token_id")
            ids = value if isinstance(value, list) else [value]
            ids = [i for i in ids if isinstance(i, int)]
            if ids:
                return ids, name
        return [], ""

    def find_end_of_text(self, id_of, token_of):
        """Returns the token that ends a document. id_of and token_of look up
        the vocabulary and return None outside of it."""
        token = self.tokens.get("eos_token")
        if token:
            if id_of(token) is None:
                raise Refused(
                    f"eos_token '{token}' of '{self.folder}' is not in its "
                    "tokenizer.json", *REWRITE)
            return token
        ids, name = self.eos_ids()
        if len(ids) == 1 and token_of(ids[0]) is not None:
            return token_of(ids[0])
        if len(ids) > 1:
            reason = f"{name} has {len(ids)} eos_token_id: " + ", ".join(
                f"{i} ({token_of(i)})" for i in ids)
        elif ids:
            reason = (f"{name} has eos_token_id {ids[0]}, which tokenizer.json "
                      "lacks")
        else:
            reason = ("no eos_token in tokenizer_config.json or "
                      "special_tokens_map.json, no eos_token_id in "
                      "generation_config.json or config.json")
        raise Refused(f"the token that ends a text is unknown: {reason}",
                      "--eot TOKEN names it; --eot none writes none")


REWRITE = (
    "transformers writes a complete tokenizer.json: "
    "AutoTokenizer.from_pretrained(DIR).save_pretrained(NEW), then --tokenizer "
    "NEW",)
