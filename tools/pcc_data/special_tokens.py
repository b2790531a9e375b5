"""Tokens that the files of a model directory name, with transformers' rules."""

from .messages import Refused, shortened
from .reading import quoted, read_json


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
        """Returns what generation_config.json or config.json gives as ids, and
        the file's name."""
        for name in "generation_config.json", "config.json":
            value = read_json(self.folder, name).get("eos_token_id")
            if value not in (None, []):
                return value if isinstance(value, list) else [value], name
        return [], ""

    def find_end_of_text(self, id_of, token_of):
        """Returns the token that ends a document. id_of and token_of look up
        the vocabulary and return None outside of it."""
        token = self.tokens.get("eos_token")
        if token:
            if id_of(token) is None:
                raise Refused(
                    f"eos_token {shortened(token)} of '{self.folder}' is not in "
                    "its tokenizer.json", *REWRITE)
            return token
        ids, name = self.eos_ids()
        if len(ids) == 1 and token_of(ids[0]) is not None:
            return token_of(ids[0])
        if len(ids) > 1:
            reason = f"{name} has {len(ids)} eos_token_id: " + ", ".join(
                f"{quoted(i)[1:-1]} ({token_of(i) or 'no token'})"
                for i in ids)
        elif ids:
            reason = (f"{name} has eos_token_id {quoted(ids[0])[1:-1]}, which "
                      "is not an id of tokenizer.json")
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
