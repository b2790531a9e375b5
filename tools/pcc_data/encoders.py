"""Tokens of bytes, or of a model's tokenizer."""

import array
import os
import re
import sys

from .messages import Refused, missing_package, shortened
from .reading import half_of_pair, not_utf8, read_json
from .special_tokens import REWRITE, SpecialTokens


# Tokens of files and elements of arrays are int32.
MOST_IDS = 1 << 31


def packed(ids, code):
    """Returns little-endian elements of an array type code."""
    values = array.array(code, ids)
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


class Bytes:
    """A token per byte. Byte 0, which text does not contain, ends a document."""

    name = "bytes"
    vocabulary = 256
    config_vocabulary = None
    prefix = []

    def __init__(self, eot):
        if eot not in (None, "none"):
            raise Refused(f"--eot '{eot}' needs --tokenizer DIR",
                          "without one, byte 0 ends a document, or --eot none")
        self.suffix = [] if eot == "none" else [0]
        self.end_text = "byte 0" if self.suffix else ""

    def text_of(self, piece):
        """Returns the text of a piece of a text file, in the form of encode."""
        return piece.data

    def encode_piece(self, text, piece):
        """Returns the ids of a piece's text."""
        data = text.encode() if isinstance(text, str) else text
        if self.suffix and 0 in data:
            line = piece.line + (0 if piece.is_json else
                                 data.count(b"\n", 0, data.index(0)))
            raise Refused(f"{piece.path}:{line}: byte 0 is in the text, where "
                          "it ends a document",
                          "--eot none writes no ends of documents")
        return data

    def keeps_tokens(self, left, right):
        return True


class Tokenizer:
    """The tokenizer of a model directory: its tokenizer.json."""

    def __init__(self, folder, eot=None, parse_special=False):
        if os.path.isfile(folder):
            folder = os.path.dirname(folder) or "."
        self.folder, self.name = folder, f"'{folder}'"
        self.special = None
        self.model = load(folder)
        self.special = SpecialTokens(folder)
        self.model.encode_special_tokens = not parse_special
        ids = self.model.get_vocab(with_added_tokens=True)
        self.vocabulary = max(ids.values(), default=0) + 1
        if self.vocabulary > MOST_IDS:
            raise Refused(f"tokenizer {self.name} has the id "
                          f"{self.vocabulary - 1:,}; files can have ids up to "
                          f"{MOST_IDS - 1:,}")
        size = read_json(folder, "config.json").get("vocab_size")
        self.config_vocabulary = size if type(size) is int and size > 0 else None
        self.prefix, self.suffix = self.affixes()
        self.end_text = self.add_end(eot)
        added = self.model.get_added_tokens_decoder().values()
        self.added_pattern = pattern_of(added)
        # Their names in a text are encoded as plain text; those of other added
        # tokens, such as Qwen's <think>, always become the token.
        self.special_pattern = pattern_of(
            token for token in added if token.special)

    def id_of(self, token):
        """Returns the id of a token; None if there is none."""
        return None if half_of_pair(token) else self.model.token_to_id(token)

    def token_of(self, number):
        """Returns the token of an id, which may be any value; None if there is
        none."""
        if type(number) is int and 0 <= number < self.vocabulary:
            return self.model.id_to_token(number)
        return None

    def encode(self, text):
        """Returns the ids of a text, without those that mark its ends."""
        return self.ids_of(text, False)

    def ids_of(self, text, adds_ends):
        try:
            return self.model.encode(text, add_special_tokens=adds_ends).ids
        # tokenizers raises plain Exceptions, and panics that are none.
        except BaseException as error:  # pylint: disable=broad-except
            if isinstance(error, (MemoryError, SystemExit)):
                raise
            raise Refused(f"tokenizer {self.name} cannot encode "
                          f"{shortened(text, 40)}: {error}") from None

    def affixes(self):
        """Returns the ids that the tokenizer puts before and after each text. As
        in transformers, tokenizer.json decides."""
        plain = self.encode("a")
        full = self.ids_of("a", True)
        for at in range(len(full) - len(plain) + 1):
            if full[at:at + len(plain)] == plain:
                return full[:at], full[at + len(plain):]
        raise Refused(f"tokenizer {self.name} changes a text when it adds the "
                      "tokens that mark its ends")

    def add_end(self, eot):
        """Appends the token that ends a document, unless the tokenizer does;
        returns its description."""
        if eot == "none":
            return ""
        if eot is None:
            eot = self.special.find_end_of_text(self.id_of, self.token_of)
        number = self.id_of(eot)
        if number is None:
            near = [token.content for token in
                    self.model.get_added_tokens_decoder().values()]
            raise Refused(
                f"--eot {shortened(eot)} is not a token of {self.name}",
                "its added tokens: " + (", ".join(near[:12]) or "none") +
                (", ..." if len(near) > 12 else ""))
        if self.suffix[-1:] != [number]:
            self.suffix = [*self.suffix, number]
        return f"{eot} ({number})"

    def text_of(self, piece):
        """Returns the text of a piece of a text file."""
        try:
            return piece.data.decode()
        except UnicodeDecodeError as error:
            line = piece.line + piece.data.count(b"\n", 0, error.start)
            raise not_utf8(piece.path, line, piece.data[error.start]) from None

    def encode_piece(self, text, piece):
        """Returns the ids of a piece's text; one that continues a document
        follows a newline."""
        if not text or piece.begins:
            return self.encode(text)
        return self.encode("\n" + text)[len(self.encode("\n")):]

    def keeps_tokens(self, left, right):
        """Whether the tokens of left + right are those of the two, with right
        encoded after a newline."""
        left, right = (part.decode(errors="ignore") for part in (left, right))
        newline, after = self.encode("\n"), self.encode("\n" + right)
        return (after[:len(newline)] == newline and
                self.encode(left) + after[len(newline):] ==
                self.encode(left + right))


def pattern_of(tokens):
    """Returns a pattern of the names of added tokens, the longest first."""
    names = sorted((token.content for token in tokens if token.content.strip()),
                   key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)) or "(?!)")


def load(folder):
    if not os.path.isdir(folder):
        raise Refused(
            f"--tokenizer '{folder}' is not a folder",
            "it takes the folder of a model; 'hf download NAME --local-dir DIR' "
            "fetches a model of the hub")
    path = os.path.join(folder, "tokenizer.json")
    if not os.path.exists(path):
        others = [name for name in ("tokenizer.model", "spiece.model",
                                    "sentencepiece.bpe.model", "vocab.json",
                                    "vocab.txt", "tekken.json")
                  if os.path.exists(os.path.join(folder, name))]
        if others:
            raise Refused(f"'{folder}' has {others[0]}, but no tokenizer.json, "
                          "which --tokenizer reads", *REWRITE)
        raise Refused(f"'{folder}' has no tokenizer.json",
                      "it is in the folder that save_pretrained of a tokenizer "
                      "wrote")
    # This process forks; each process encodes on one thread.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        import tokenizers
    except ImportError:
        raise missing_package("tokenizers", "--tokenizer") from None
    with open(path, "rb") as file:
        text = file.read()
    try:
        model = tokenizers.Tokenizer.from_buffer(text)
    # tokenizers raises plain Exceptions, and panics that are none.
    except BaseException as error:  # pylint: disable=broad-except
        if isinstance(error, (MemoryError, SystemExit)):
            raise
        raise Refused(f"'{path}' is not a tokenizer that tokenizers "
                      f"{tokenizers.__version__} reads: {error}") from None
    model.no_truncation()
    model.no_padding()
    return model
