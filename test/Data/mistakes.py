"""A diagnostic for each mistake in options, inputs and the files of tokenizers,
and no exception: all in one process. No file is written.

REQUIRES: tokenizers
RUN: rm -rf %t && mkdir %t && cd %t
RUN: env PYTHONPATH=%root/.tokenizers %python %s %root %S/Inputs
"""

import contextlib
import io
import json
import os
import sys

ROOT, INPUTS = sys.argv[1:]
sys.path.insert(0, os.path.join(ROOT, "tools"))
from pcc_data import cli  # noqa: E402

TOKENIZER = os.path.join(INPUTS, "tokenizer")
TEMPLATES = os.path.join(INPUTS, "templates")
failures = []


def write(name, data):
    if isinstance(data, str):
        data = data.encode()
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "wb") as file:
        file.write(data)


def run(options, code=0, epoch=None):
    """Returns what the tool writes to standard error."""
    os.environ.pop("SOURCE_DATE_EPOCH", None)
    if epoch is not None:
        os.environ["SOURCE_DATE_EPOCH"] = epoch
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            found = cli.main(["--processes=1", *options])
    except SystemExit as error:
        found = error.code
    except Exception as error:  # pylint: disable=broad-except
        found = repr(error)
    if found != code:
        failures.append(f"{options}: {found}, not {code}:\n{said.getvalue()}")
    return said.getvalue()


def expect(options, *texts, code=1, epoch=None):
    """Each text is in what the tool says."""
    said = run(options, code, epoch)
    for text in texts:
        if text not in said:
            failures.append(f"{options}: not '{text}' in:\n{said}")
    if code and (os.path.exists("out") or os.path.exists("out.bin")):
        failures.append(f"{options}: out was written")


def chat(value, *texts, template="gemma", code=1, options=(), epoch=None):
    """A conversation, or its messages, or a line of JSON."""
    if isinstance(value, list):
        value = {"messages": value}
    write("chat.jsonl", value if isinstance(value, str) else json.dumps(value))
    if os.path.exists(os.path.join(TEMPLATES, template + ".jinja")):
        template = os.path.join(TEMPLATES, template + ".jinja")
    options = ["--seq=90", *options]
    expect(["--chat", "--tokenizer", TOKENIZER, "--chat-template", template,
            "-o", "out", "chat.jsonl", *options], *texts, code=code,
           epoch=epoch)


USER = {"role": "user", "content": "Hi"}
REPLY = {"role": "assistant", "content": "Hello"}
PARTS = 'it is a string, or a list of parts such as {"type": "text", "text": '


def check_content():
    for value, text in (
            (5, "message 1: 'content' is not text but '5'"),
            (True, "message 1: 'content' is not text but 'true'"),
            ({"a": 1}, "message 1: 'content' is not text but '{\"a\": 1}'"),
            (["a"], "message 1: part 1 of 'content' is not text but '\"a\"'"),
            ([{"type": "text", "text": "a"}, {"type": "text", "text": 5}],
             "part 2 of 'content' is not text but"),
            ([{"type": "image_url", "image_url": {"url": "a.png"}}],
             "part 1 of 'content' has type 'image_url', and programs take text "
             "only")):
        chat([{"role": "user", "content": value}, REPLY],
             "error: chat.jsonl:1: message 1", text, "note: " + PARTS)
    chat([{"role": "user", "content": None}, REPLY],
         "error: chat.jsonl:1: message 1: 'content' is null",
         "only a message with 'tool_calls' may have none")
    chat({"conversations": [{"from": "human", "value": 5}]},
         "message 1: 'value' is not text but '5'")
    chat([USER, {**REPLY, "thinking": 5}],
         "message 2: 'thinking' is not text but '5'")
    chat([USER, {**REPLY, "tool_calls": "f"}],
         "message 2: 'tool_calls' is not a list of objects but '\"f\"'")
    chat({"messages": [USER, REPLY], "tools": "f"},
         "chat.jsonl:1: 'tools' is not a list of objects but '\"f\"'")
    # A list of texts is their text.
    split = [{"type": "text", "text": "H"}, {"type": "text", "text": "i"}]
    for messages in ([USER, REPLY], [{"role": "user", "content": split}, REPLY]):
        chat(messages, code=0)
        with open("out/input_ids.npy", "rb") as file:
            messages.append(file.read())
        remove_output()
        if messages[0] == USER:
            wanted = messages[-1]
    assert messages[-1] == wanted


def remove_output():
    for name in os.listdir("out"):
        os.unlink(os.path.join("out", name))
    os.rmdir("out")


def check_roles():
    roles = ("roles are system, developer, user, assistant and tool, and others "
             "that the template has; the text of 'assistant' is learned")
    chat([USER, {"role": "model", "content": "Hello"}],
         "message 2 has role 'model' instead of 'assistant'", roles)
    chat([USER, {"role": "Assistant", "content": "Hello"}],
         "message 2 has role 'Assistant' instead of 'assistant'", roles)
    chat([USER, {"role": 5, "content": "Hello"}],
         "message 2: 'role' is not text but '5'")
    chat([{"role": "system", "content": "words " * 90}],
         "1 with no message of role 'assistant', such as chat.jsonl:1, which "
         "has role 'system'", template="chatml")
    chat([USER, {"role": "bot", "content": "Hello"}],
         "chat.jsonl:1, which has roles 'user', 'bot'", template="chatml")


def check_odd_json():
    for name in "messages", "tools":
        chat({"messages": [USER, REPLY], name: [{**USER, "x": "\ud800"}]},
             "of the text is half of a surrogate pair, \\ud800",
             template="chatml")
    for value in ('{"messages": ' + "9" * 5000 + "}",
                  '{"messages": [], "x": [' + "9" * 5000 + "]}"):
        chat(value, "error: chat.jsonl:1: an integer of the JSON has more than "
             "4,300 digits")
    chat('{"messages": [{"role": "user", "x": ' + "[" * 990 + "]" * 990 + "}]}",
         "error: chat.jsonl:1")


def check_templates():
    write("bad.jinja", b"a\n\xff")
    chat([USER, REPLY], "error: bad.jinja:2: byte 0xff is not UTF-8",
         template="bad.jinja")
    for text, said in (
            ("{{ '\\ud800' }}", "it renders half of a surrogate pair, \\ud800"),
            ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "recursion"),
            ("{% for m in messages %}" * 25 + "{% endfor %}" * 25,
             "the chat template cannot be compiled: too many")):
        write("bad.jinja", text)
        chat([USER, REPLY], "pcc-data: error: ", said, template="bad.jinja")
    for epoch in "9" * 30, "9" * 5000, "now":
        chat([USER, REPLY], "error: SOURCE_DATE_EPOCH is '", "which is no time",
             template="llama-3", epoch=epoch)


def check_tokenizers():
    """Files of a model directory."""
    with open(os.path.join(TOKENIZER, "tokenizer.json")) as file:
        model = json.load(file)
    write("text", "the sum")
    write("tok/tokenizer.json", json.dumps(model))
    options = ["--tokenizer", "tok", "-o", "out", "text"]
    for value, shown in ((-1, "-1"), (True, "true"), (10 ** 20, str(10 ** 20)),
                         ("x", '"x"'), ({}, "{}")):
        write("tok/config.json", json.dumps({"eos_token_id": value}))
        expect(options, "config.json has eos_token_id " + shown +
               ", which is not an id of tokenizer.json")
    write("tok/config.json", json.dumps({"eos_token_id": [0, -1]}))
    expect(options, "2 eos_token_id: 0 (<|endoftext|>), -1 (no token)")
    for text, said in (
            ('{"x": ' + "9" * 5000 + "}", "more than 4,300 digits"),
            ("[" * 100000, "nested too deeply"),
            (b'{\n"a": "\xff"}', "config.json:2: byte 0xff is not UTF-8")):
        write("tok/config.json", text)
        expect(options, "'tok/config.json" if said[0] != "c" else "tok/", said)
    os.unlink("tok/config.json")
    for value, said in (("\ud800", "eos_token '\\ud800' of 'tok' is not in"),):
        write("tok/tokenizer_config.json", json.dumps({"eos_token": value}))
        expect(options, said)
    os.unlink("tok/tokenizer_config.json")
    # Ids that no file can have; a model without a token for other words.
    for change, said in (
            (lambda v: v["model"]["vocab"].update({"zz": 2**32 - 1}),
             "tokenizer 'tok' has the id 4,294,967,295"),
            (lambda v: v.update(model={"type": "WordLevel", "vocab": {"b": 0},
                                       "unk_token": "u"}),
             "tokenizer 'tok' cannot encode 'a': WordLevel error")):
        value = json.loads(json.dumps(model))
        change(value)
        write("tok/tokenizer.json", json.dumps(value))
        expect([*options, "--eot=none"], said)
    # Added tokens that are not special always become the token.
    value = json.loads(json.dumps(model))
    value["added_tokens"][11]["special"] = False
    write("tok/tokenizer.json", json.dumps(value))
    for text, marks in (("a <|user|> b", 0), ("a <|end|> b", 1)):
        write("text", text)
        said = run(["--tokenizer", "tok", "-o", "marks", "--eot=none", "text"])
        assert said.count("marks:     1 piece of text with names") == marks, said
        with open("marks.bin", "rb") as file:
            has_token = b"\x0b\0" in file.read()
        assert has_token == (not marks)


def check_inputs():
    """Links, and files that are not text."""
    write("real/a", "a")
    write("in/b/c", "c")
    os.symlink("../real", "in/linked")
    os.symlink("..", "in/b/up")
    os.symlink("../b", "in/b/same")
    said = run(["-o", "linked", "in"])
    assert "documents: 2 from 2 files, 2 bytes of text" in said, said
    os.symlink("nowhere", "in/b/broken")
    text = ["-o", "out.bin", "--eot=none"]
    for name in "in", "in/b/broken":
        expect([*text, name], "error: 'in/b/broken' is a link to 'nowhere', which "
               "does not exist")
    os.unlink("in/b/broken")
    os.symlink("loop", "in/loop")
    expect([*text, "in"], "error: 'in/loop': Too many levels of symbolic links")
    os.unlink("in/loop")
    os.mkfifo("in/pipe")
    expect([*text, "in"], "error: 'in/pipe' is neither a file nor a folder")
    os.rename("in/pipe", "pipe.bin")
    expect(["-o", "pipe", "real"], "error: 'pipe.bin' is not a regular file")
    os.unlink("pipe.bin")
    # Compressed files and earlier outputs, also without a tokenizer.
    for name, data, said in (
            ("in/a.gz", b"\x1f\x8b\x08abc", "is compressed by gzip"),
            ("in/a.npy", b"\x93NUMPY\1\0", "is an array of NumPy"),
            ("in/zero", b"a\nb\0", "is not text: line 2 has byte 0")):
        write(name, data)
        expect([*text, "in"], f"error: '{name}' {said}", "note: ")
        os.unlink(name)
    for kind, said in (("llm.c", "has tokens in llm.c's format"),
                       ("megatron", "has the tokens of a Megatron data set"),
                       ("nanogpt", "is not text: line 1 has byte 0")):
        run(["--format", kind, "-o", "in/z.bin", "real"])
        expect([*text, "in"], f"error: 'in/z.bin' {said}")
        # Such text has to be called text.
        run(["--input-format=text", "--eot=none", "-o", "bytes", "in"])
        os.unlink("in/z.bin")
        if kind == "megatron":
            expect([*text, "in"], "'in/z.idx' is the index of a Megatron data set")
            os.unlink("in/z.idx")
    write("in/v.jsonl", '{"text": ' + "9" * 5000 + "}")
    expect([*text, "in/v.jsonl"], "in/v.jsonl:1: an integer of the JSON has more")


def check_options():
    write("text", "the sum")
    for options, said in (
            (["--seq=" + "9" * 30], "is too large: pcc accepts at most 1000000000"),
            (["--seq=" + "9" * 5000], "is not a positive integer"),
            (["--input-name=.a"], "'.a' is not the name of an input"),
            (["--val=1e-999999999"], "is neither a fraction between 0 and 1"),
            (["--val=1e999999999"], "is neither a fraction between 0 and 1"),
            (["--separator=a\nb"], "'a\\nb' is more than one line"),
            *(([option, ""], f"{option}: the name is empty") for option in
              ("-o", "--tokenizer", "--chat-template", "--val-output"))):
        expect(["-o", "out", "text", *options], said, code=2)
    expect(["-o", "out", "text", "--tokenizer", TOKENIZER, "--eot=\udcff"],
           "--eot '\\udcff' is not a token")
    run(["-o", "bytes", "text", "--separator=\udcff"])
    expect(["-o", "real/", "text"], "'real/' is the name of a folder, not of a")
    expect(["-o", "out.bin", "--val=.5", "--val-output=./out.bin", "text"],
           "'out.bin' is named for both parts")
    write("same/a.jsonl", "")
    both = ["--chat", "--tokenizer", TOKENIZER, "--seq=8", "same", "-o"]
    expect([*both, "same"], "error: 'same' is both input and output")
    expect([*both, "out", "--val=1", "--val-output=out/val"],
           "of the folders 'out' and 'out/val' one is in the other")
    # Programs read these names so.
    chat([USER, REPLY], "wrote:     out: 1 sample, a_b_c.npy, labels.npy",
         code=0, options=["--input-name=a:b/c"])
    remove_output()


for check in (check_content, check_roles, check_odd_json, check_templates,
              check_tokenizers, check_inputs, check_options):
    check()
assert not [name for name in os.listdir(".") if name.endswith(".part")]
sys.exit("\n".join(failures) or 0)
