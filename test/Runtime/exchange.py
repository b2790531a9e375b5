"""Control messages and the rendezvous of ranks without MPI; ranks that are
killed, exit, disagree or never connect, and unauthenticated connections.

RUN: rm -rf %t && mkdir %t && cd %t && toy-files .
RUN: %cc -shared -fPIC -O1 %S/Inputs/strangers.c -o strangers.so -ldl
RUN: %cc -shared -fPIC -O1 %S/Inputs/mirror.c -o mirror.so -ldl
RUN: %{plain} %python %s
"""

import os
import re
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "Inputs"))
from runs import begin, good, requireEqual, run

RUN = ["--data", "tokens.bin", "--steps", "3", "--lr", "1e-2"]
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none", "-q"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def freePort():
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


class Torchrun:
    """Ranks started as torchrun would: its agent listens at MASTER_PORT."""

    def __init__(self, program, *arguments, ranks, only=None, **more):
        self.agent = socket.socket()
        self.agent.bind(("127.0.0.1", 0))
        self.agent.listen()
        self.command, self.size, self.more = (program, *arguments), ranks, more
        self.ranks = []
        for rank in only or range(ranks):
            self.begin(rank)

    def begin(self, rank):
        self.ranks.append(begin(*self.command, env=dict(
            os.environ, RANK=str(rank), WORLD_SIZE=str(self.size),
            LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE=str(self.size),
            MASTER_ADDR="localhost",
            MASTER_PORT=str(self.agent.getsockname()[1]),
            TORCHELASTIC_RUN_ID="none", TORCHELASTIC_USE_AGENT_STORE="True",
            TORCHELASTIC_RESTART_COUNT="0", **self.more)))

    def end(self):
        """(code, stderr, stdout) of each rank."""
        ended = [rank.communicate(timeout=100) for rank in self.ranks]
        self.agent.close()
        return [(rank.returncode, err, out)
                for rank, (out, err) in zip(self.ranks, ended)]


def torchrun(*command, **more):
    return Torchrun(*command, **more).end()


# A rank that never connects: the others wait for the start's time limit. The
# other tests run meanwhile.
waiting = Torchrun("toy-dp2-tp2", *RUN, "--timeout", "1", ranks=4,
                   only=[0, 1, 3])

# A rank that gets SIGTERM while it waits ends.
asked = Torchrun("toy-tp2", *RUN, "--timeout", "0", ranks=2, only=[1])
time.sleep(1)
asked.ranks[0].terminate()

# Every operation and size, on 1, 2, 3 and 5 ranks.
assert good("exchange") == "all checks hold\n"
for ranks in (2, 3, 5):
    more = {2: {"PLAIN_NO_LIFELINE": "1"}, 3: {"EXCHANGE_HUGE": "1"}}
    ended = torchrun("exchange", ranks=ranks, EXPECTED_NEIGHBORS=str(ranks),
                     **more.get(ranks, {}))
    assert all(code == 0 and not err for code, err, _ in ended), ended
    assert ended[0][2] == "all checks hold\n", ended

# A rank that is killed in the middle of a message is reported by the heartbeat
# connection, or by the other ranks if there is none.
for victim in (1, 2):
    ended = torchrun("exchange", "die", str(victim), ranks=3)
    codes = [code for code, _, _ in ended]
    assert codes.pop(victim) == -14 and codes == [7, 7], ended
    text = "".join(err for _, err, _ in ended)
    assert text == f"[rank 0] error: rank {victim} was lost; all other ranks " \
        "end\n", text
ended = torchrun("exchange", "die", "1", ranks=2, PLAIN_NO_LIFELINE="1")
assert ended[0][0] == 7 and re.fullmatch(
    r"\[rank 0\] error: the connection with rank 1 was lost: .*\n",
    ended[0][1]), ended

# A rank that exits ends all ranks, with its exit code and only its message.
for victim in (0, 2):
    ended = torchrun("exchange", "leave", str(victim), ranks=3)
    assert [code for code, _, _ in ended] == [42] * 3, ended
    assert "".join(err for _, err, _ in ended) == \
        f"[rank {victim}] error: this rank gives up\n", ended

# Ranks that do not agree on a message.
ended = torchrun("exchange", "differ", ranks=2)
assert ended[0][0] == 70 and ended[0][1] == (
    "[rank 0] error: rank 1 sent message kind 2 of 8 bytes, but rank 0 expects "
    "kind 2 of 67108864\n"), ended

# The losses are the same with each launcher, and the first line names it.
good("toy-dp2-tp2", *RUN, "--log-json", "alone.json")
ended = torchrun("toy-dp2-tp2", *RUN, "--log-json", "torchrun.json", ranks=4)
assert all(code == 0 and not err for code, err, _ in ended), ended
assert "found torchrun: joined 4 ranks" in ended[0][2], ended[0]
out = good(*MPIRUN, "-n", "4", "toy-dp2-tp2", *RUN, "--log-json",
           "mpirun.json", **AS_ROOT)
assert "found Open MPI's mpirun: joined 4 ranks" in out, out
requireEqual("alone.json", "torchrun.json", "mpirun.json")

# Another program listens on rank 0's port: the next port is used. A port that
# the user names is not changed.
with socket.socket() as other:
    other.bind(("127.0.0.1", 0))
    other.listen()
    taken = other.getsockname()[1]
    ended = torchrun("toy-tp2", *RUN, ranks=2, only=[0],
                     PCC_EXCHANGE=f"localhost:{taken}")
    assert ended[0][0] == 3 and ended[0][1].startswith(
        f"[rank 0] error: rank 0 cannot listen for the others at 127.0.0.1, port "
        f"{taken}: Address already in use\n"), ended
ended = torchrun("toy-tp2", *RUN, ranks=2,
                 PCC_EXCHANGE=f"localhost:{freePort()}")
assert [code for code, _, _ in ended] == [0, 0], ended
for text, said in (("localhost:x", "'x' is not a port\n[rank 0] note: "),
                   ("no.such.host.", "no IPv4 address is known for PCC_"),
                   ("::1", "known for PCC_EXCHANGE '::1'\n"),
                   ("[::1]:2000", "known for PCC_EXCHANGE '[::1]:2000'\n")):
    ended = torchrun("toy-tp2", *RUN, ranks=2, only=[0], PCC_EXCHANGE=text)
    assert ended[0][0] == 3 and said in ended[0][1], ended

# Environment variables set by hand, with an invalid rank.
for text in ("2", "-1", "x", "", "1 0", "99999999999999999999"):
    code, _, err = run("toy-tp2", *RUN, RANK=text, WORLD_SIZE="2",
                       MASTER_ADDR="localhost", MASTER_PORT=str(freePort()))
    assert (code, err) == (
        3, f"error: RANK is '{text}', but ranks are numbered from 0 to 1\n"
        "note: each of the 2 processes needs its own number; "
        "torchrun, mpirun and srun set it\n"), (text, code, err)

# More ranks than the program has.
ended = torchrun("toy-tp2", *RUN, ranks=3)
assert ended[0][0] == 3, ended
assert "note: let --nnodes times --nproc-per-node be 2, or" in ended[0][1], ended

# Ranks with other flags or another program: with torchrun, the user starts each
# host's command.
for command, code, said in (
        (["toy-tp2", *RUN[:-1], "1e-1"], 2,
         "this rank has --lr 0.1, rank 0 has --lr 0.01"),
        (["toy-tp2", *RUN, "--shuffle"], 2,
         "this rank has --shuffle true, rank 0 has --shuffle false"),
        (["toy-tp2", *RUN, "--init", "random"], 2,
         "this rank has --init random, rank 0 has no --init"),
        (["toy-tp2", *RUN, "--save", "there"], 2,
         "this rank has --save, rank 0 has no --save"),
        (["toy-dp2", *RUN], 3, "this rank has another program than rank 0: ")):
    ranks = Torchrun("toy-tp2", *RUN, "--log-every", "2", ranks=2, only=[0])
    ranks.command = command
    ranks.begin(1)
    ended = ranks.end()
    assert [c for c, _, _ in ended] == [code] * 2, (command, ended)
    assert f"[rank 1] error: {said}" in ended[1][1], (command, ended)

# Launchers under which programs need MPI.
code, _, err = run("toy-tp2", *RUN, PMI_RANK="0", PMI_SIZE="2")
assert code == 3 and "found Hydra" in err and "torchrun --no-python" in err, err

# Unauthenticated connections do not delay the start; connections from other
# hosts are rejected.
for launcher, more in ([], {"LD_PRELOAD": "./strangers.so"}), (
        [*MPIRUN, "-n", "4", "-x", "LD_PRELOAD=./strangers.so"], AS_ROOT):
    good(*launcher, "toy-dp2-tp2", *RUN, STRANGERS="strangers", **more)
    with open("strangers") as file:
        assert set(file.readlines()) == {"127.0.0.1\n"}
    os.remove("strangers")

# A rank that connects before rank 0 listens rejects a connection with itself.
late = Torchrun("toy-tp2", *RUN, ranks=2, only=[1], MIRRORS="mirrors",
                LD_PRELOAD="./mirror.so")
while not os.path.exists("mirrors"):
    time.sleep(0.05)
late.begin(0)
assert [code for code, _, _ in late.end()] == [0, 0]

# Devices are searched before any rank starts.
for devices, code, text in (
        ("4", 0, ""), ("9", 0, ""),
        ("3", 9, "error: 4 ranks need a device each, and this host has 3\n"
         "note: on several hosts mpirun, srun or torchrun starts the ranks; "
         "for tests, PCC_SHARE_DEVICES=1 lets ranks share devices\n"),
        ("no driver", 9,
         "error: no device: no driver\nnote: there is a way out\n"),
        ("crash", 9, "error: the search for devices was ended by signal 11 "
         "(Segmentation fault)\nnote: their driver does not work on this "
         "host\n")):
    ended = run("toy-dp2-tp2", *RUN, PLAIN_DEVICES=devices)
    assert (ended[0], ended[2]) == (code, text), (devices, ended)
good("toy-dp2-tp2", *RUN, PLAIN_DEVICES="1", PCC_SHARE_DEVICES="1")

ended = asked.end()
assert ended[0][:2] == (
    0, "[rank 1] warning: SIGTERM ended this rank before all ranks had joined\n"), ended
ended = waiting.end()
assert [code for code, _, _ in ended] == [7] * 3, ended
assert ended[0][1] == (
    "[rank 0] error: joining the other ranks has taken 60 s\n"
    "[rank 0] note: a rank, its host or the network does not answer: this one "
    "is in 'wait for rank 2' of the start; --timeout SECONDS (0: never) is how "
    "long to wait\n"), ended
