"""Chat templates, rendered as transformers renders them."""

import datetime
import json
import os

from .messages import Refused, missing_package, shortened
from .reading import half_of_pair, read_json, read_text

# Earlier ones let a template out of its sandbox.
LEAST_JINJA = (3, 1, 6)
REASONING = ("reasoning_content", "thinking", "reasoning")


def import_jinja():
    try:
        import jinja2
        import jinja2.ext
        import jinja2.sandbox
    except ImportError:
        raise missing_package("jinja2", "--chat") from None
    version = tuple(int(part) for part in jinja2.__version__.split(".")[:3]
                    if part.isdecimal())
    if version < LEAST_JINJA:
        raise Refused(f"--chat needs jinja2 3.1.6 or later, this is "
                      f"{jinja2.__version__}: earlier ones let a template run "
                      "any code", "pip install --upgrade jinja2")
    return jinja2


def find(folder, file):
    """Returns the text of the template and its path: --chat-template, or that
    of a tokenizer."""
    if file:
        return read_text(file), file
    path = os.path.join(folder, "chat_template.jinja")
    if os.path.exists(path):
        return read_text(path), path
    path = os.path.join(folder, "tokenizer_config.json")
    value = read_json(folder, "tokenizer_config.json").get("chat_template")
    if isinstance(value, list):
        named = {entry.get("name"): entry.get("template") for entry in value
                 if isinstance(entry, dict) and
                 isinstance(entry.get("name"), str)}
        value = named.get("default")
        if value is None and named:
            raise Refused(f"'{path}' has chat templates "
                          f"{', '.join(named)}, and none is the "
                          "default", "--chat-template FILE takes one in a file")
    if not isinstance(value, str):
        raise Refused(f"'{folder}' has no chat template: neither "
                      "chat_template.jinja nor chat_template in "
                      "tokenizer_config.json",
                      "it is in the files of an instruction-tuned model; or "
                      "--chat-template FILE")
    return value, path


def time_of_rendering():
    """Returns the time that templates may print: SOURCE_DATE_EPOCH, or now."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    if not seconds:
        return datetime.datetime.now()
    try:
        return datetime.datetime.fromtimestamp(int(seconds),
                                               datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        raise Refused(f"SOURCE_DATE_EPOCH is {shortened(seconds)}, which is no "
                      "time",
                      "it is a number of seconds since 1970, such as "
                      "1767225600; unset it for the present time") from None


def environment(jinja2, now):
    """Returns transformers' environment of chat templates. `now` is the time of
    strftime_now."""

    class Marks(jinja2.ext.Extension):
        """{% generation %} ... {% endgeneration %}: assistant's text."""

        tags = {"generation"}

        def __init__(self, env):
            super().__init__(env)
            env.extend(marks=self)
            self.blocks = self.spans = None

        def parse(self, parser):
            line = next(parser.stream).lineno
            body = parser.parse_statements(["name:endgeneration"],
                                           drop_needle=True)
            return jinja2.nodes.CallBlock(self.call_method("_mark"), [], [],
                                          body).set_lineno(line)

        def _mark(self, caller):
            text = caller()
            if self.blocks is not None:
                begin = sum(map(len, self.blocks))
                self.spans.append((begin, begin + len(text)))
            return text

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(value, ensure_ascii=False, indent=None, separators=None,
               sort_keys=False):
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent,
                          separators=separators, sort_keys=sort_keys)

    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True,
        extensions=[Marks, jinja2.ext.loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = now.strftime
    return env


class Template:
    """A chat template with the special tokens of its tokenizer."""

    def __init__(self, tokenizer, file=None):
        jinja2 = import_jinja()
        text, self.path = find(tokenizer.folder, file)
        self.uses_date = "strftime_now" in text
        # One time for all conversations.
        now = (time_of_rendering() if self.uses_date else
               datetime.datetime.now())
        self.date = now.strftime("%Y-%m-%d")
        try:
            self.env = environment(jinja2, now)
            self.template = self.env.from_string(text)
            tree = self.env.parse(text)
        except jinja2.exceptions.TemplateSyntaxError as error:
            raise Refused(f"{self.path}: line {error.lineno} of the chat "
                          f"template: {error.message}") from None
        # Of Python, such as too many blocks in each other.
        except Exception as error:  # pylint: disable=broad-except
            raise Refused(f"{self.path}: the chat template cannot be compiled: "
                          f"{error or type(error).__name__}") from None
        self.has_marks = any(
            isinstance(node.call, jinja2.nodes.Call) and
            getattr(node.call.node, "name", "") == "_mark"
            for node in tree.find_all(jinja2.nodes.CallBlock))
        self.tokens = tokenizer.special.tokens

    def render(self, messages, tools, asks):
        """Returns the text and the marked spans of it. `asks`: the text ends
        where the assistant's reply begins. The code of the template may raise
        any exception."""
        marks = self.env.marks
        marks.blocks, marks.spans = [], []
        try:
            for block in self.template.generate(
                    messages=messages, tools=tools, documents=None,
                    add_generation_prompt=asks, **self.tokens):
                marks.blocks.append(block)
            text = "".join(marks.blocks)
            half = half_of_pair(text)
            if half:
                raise ValueError(f"it renders half of a surrogate pair, "
                                 f"{half[1]}")
            return text, marks.spans
        finally:
            marks.blocks = marks.spans = None


def with_reasoning(message):
    """Returns the message with its reasoning under the names that templates
    read."""
    value = next((message[key] for key in REASONING
                  if message.get(key) is not None), None)
    if value is None:
        return message
    return {"thinking": value, **message, "reasoning_content": value}
