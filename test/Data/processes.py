"""The bytes do not depend on the number of processes. A long text's tokens are
those of the whole, though its pieces are encoded apart. A run that is killed
leaves the old files, and the next run writes new ones; a killed process ends the
run.

REQUIRES: tokenizers
RUN: rm -rf %t && mkdir %t && cd %t
RUN: env PYTHONPATH=%root/.tokenizers %python %s %root %S/Inputs
"""

import json
import os
import random
import signal
import struct
import subprocess
import sys
import time

from tokenizers import Tokenizer

ROOT, INPUTS = sys.argv[1:]
TOOL = ["/usr/bin/python3", os.path.join(ROOT, "tools/pcc-data"), "--tokenizer",
        os.path.join(INPUTS, "tokenizer")]
sys.path.insert(0, os.path.join(ROOT, "tools"))
EOT = 0
CHAT = ["--chat", "--seq", "64", "--chat-template",
        os.path.join(INPUTS, "templates/chatml.jinja")]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run(*options, code=0, **kwargs):
    done = subprocess.run([*TOOL, *options], stderr=subprocess.PIPE, text=True,
                          timeout=300, **kwargs)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done.stderr


random.seed(0)
WORDS = read("/usr/share/common-licenses/GPL-3").decode().split() + ["é🙂", "  "]


def text(count):
    return " ".join(random.choices(WORDS, k=count))


documents = [text(random.randrange(60)) for _ in range(400)]
with open("documents.jsonl", "w") as file:
    for document in documents:
        file.write(json.dumps({"text": document}) + "\n")
# Three pieces, with a blank line before each cut.
lines = [text(12) + random.choice(["\n", "\n\n", " \n  \n"]) for _ in range(5000)]
with open("long.txt", "w") as file:
    file.write("".join(lines)[:400_000])
with open("chat.jsonl", "w") as file:
    for i in range(300):
        file.write(json.dumps({"messages": [
            {"role": "user", "content": text(3)},
            {"role": "assistant", "content": text(i % 30)}]}) + "\n")


def check_processes():
    from pcc_data import pieces
    # Many chunks.
    for n in "1", "2", "5":
        code = ("import sys; sys.path.insert(0, sys.argv.pop(1)); "
                "from pcc_data import cli, pieces; "
                "pieces.PIECE, pieces.CHUNK = 100_000, 20_000; "
                "sys.exit(cli.main())")
        for options in (["-o", f"text{n}", "--val", "0.1", "long.txt",
                         "documents.jsonl"],
                        ["-o", f"chat{n}", *CHAT, "--val", "20", "chat.jsonl"]):
            subprocess.run([sys.executable, "-c", code,
                            os.path.join(ROOT, "tools"), *TOOL[2:], *options,
                            "--processes", n, "-q"], check=True)
    assert pieces.PIECE == 1 << 20
    for name in ("text{}.bin", "text{}.idx", "text{}.val.bin", "text{}.val.idx",
                 "chat{}/input_ids.npy", "chat{}/labels.npy",
                 "chat{}.val/input_ids.npy", "chat{}.val/labels.npy"):
        one, two, five = (read(name.format(n)) for n in (1, 2, 5))
        assert one == two == five and one, name


def tokens_of(name):
    index, data = read(name + ".idx"), read(name + ".bin")
    count, = struct.unpack_from("<Q", index, 18)
    lengths = struct.unpack_from(f"<{count}i", index, 34)
    tokens = struct.unpack(f"<{len(data) // 2}H", data)
    found, at = [], 0
    for length in lengths:
        found.append(list(tokens[at:at + length]))
        at += length
    assert at == len(tokens)
    return found


def check_tokens():
    tokenizer = Tokenizer.from_file(os.path.join(INPUTS, "tokenizer/tokenizer.json"))
    every = [read("long.txt").decode()] + [d for d in documents if d]
    wanted = [tokenizer.encode(d).ids + [EOT] for d in every]
    # The empty ones count for the held-out part.
    numbers = [0] + [i for i, d in enumerate(documents, 1) if d]
    parts = [[w for i, w in zip(numbers, wanted) if ((i + 1) // 10 > i // 10) == p]
             for p in (False, True)]
    assert tokens_of("text1") == parts[0]
    assert tokens_of("text1.val") == parts[1]


def await_child(parent):
    """Returns a process that encodes, when there is one."""
    while True:
        children = read(f"/proc/{parent}/task/{parent}/children").split()
        if children:
            return int(children[0])
        time.sleep(0.01)


def others_here():
    """The processes in this folder but this one and the shell."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            folder = os.readlink(f"/proc/{name}/cwd")
        except OSError:  # it has ended
            continue
        if folder == os.getcwd() and \
                int(name) not in (os.getpid(), os.getppid()):
            found.append(name)
    return found


def check_kills():
    # The input is a pipe that stays open, so that the run waits in the middle.
    for number in (signal.SIGKILL, signal.SIGTERM):
        for output, options in (["text1.bin", []], ["chat1", CHAT]):
            files = ([output, "text1.idx"] if not options else
                     [os.path.join(output, name) for name in os.listdir(output)])
            before = [read(name) for name in files]
            running = subprocess.Popen(
                [*TOOL, "-o", output, *options, "--input-format", "jsonl",
                 "--processes", "2", "-"], stdin=subprocess.PIPE,
                stderr=subprocess.PIPE)
            lines = read("chat.jsonl" if options else "documents.jsonl")
            lines *= (9 << 17) // len(lines) + 1
            running.stdin.write(lines)
            running.stdin.flush()
            await_child(running.pid)
            if not options:
                busy = run("-o", output, "documents.jsonl", code=1)
                assert "another process writes 'text1.bin.part'" in busy, busy
            running.send_signal(number)
            assert running.wait(60) in (-number, 128 + number)
            running.stdin.close()
            assert before == [read(name) for name in files]
            deadline = time.monotonic() + 30
            while others_here():
                assert time.monotonic() < deadline, "a process outlives the run"
                time.sleep(0.05)
            if number == signal.SIGTERM:
                assert not os.path.exists(output + ".part")
    run("-q", "-o", "text1.bin", "documents.jsonl")
    run("-q", "-o", "chat1", *CHAT, "chat.jsonl")
    assert not [name for name in os.listdir(".") if name.endswith(".part")]
    assert len(tokens_of("text1")) == sum(map(bool, documents))


def check_killed_process():
    running = subprocess.Popen(
        [*TOOL, "-o", "new", "--input-format", "jsonl", "--processes", "2", "-"],
        stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    lines = read("documents.jsonl")
    lines *= (9 << 17) // len(lines) + 1
    running.stdin.write(lines)
    running.stdin.flush()
    os.kill(await_child(running.pid), signal.SIGKILL)
    error = running.communicate(lines)[1].decode()
    assert running.returncode == 1, error
    assert "a process ended before its result was there" in error, error
    assert not [name for name in os.listdir(".") if name.startswith("new")]


check_processes()
check_tokens()
check_kills()
check_killed_process()
