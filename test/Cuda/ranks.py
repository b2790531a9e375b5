"""Collectives and transfers of programs for GPUs, by a test double of NCCL.
Ranks that disagree, share a device, die, or have an operation that fails.

REQUIRES: cuda
RUN: rm -rf %t && mkdir %t && cd %t
RUN: %python %s %root %build/test/Cuda
"""

import os
import re
import socket
import sys

root, build = sys.argv[1:]
sys.path.insert(0, f"{root}/test/Runtime/Inputs")
from runs import begin

DOUBLE = f"{build}/double"


def run(*arguments, of={}, **more):
    """(exit code, stderr) of each rank, and the output of the first; `of` is
    the additional environment of some ranks."""
    with socket.socket() as agent:
        agent.bind(("127.0.0.1", 0))
        agent.listen()
        started = [begin(f"{build}/bin/cuda-ranks", *arguments, env=dict(
            os.environ, RANK=str(rank), WORLD_SIZE="4", LOCAL_RANK=str(rank),
            LOCAL_WORLD_SIZE="4", MASTER_ADDR="localhost",
            MASTER_PORT=str(agent.getsockname()[1]),
            TORCHELASTIC_RUN_ID="none", TORCHELASTIC_USE_AGENT_STORE="True",
            PCC_CUDA_LIBRARIES=DOUBLE,
            **{"PCC_SHARE_DEVICES": "1", **more, **of.get(rank, {})}))
            for rank in range(4)]
        ended = [rank.communicate(timeout=100) for rank in started]
    return ([(rank.returncode, err)
             for rank, (_, err) in zip(started, ended)], ended[0][0])


def devices(numbers):
    """The environment that gives ranks these devices, none of which is shared."""
    return {rank: {"PCC_SHARE_DEVICES": "0", "PCC_DOUBLE_DEVICES": "8",
                   "CUDA_VISIBLE_DEVICES": str(number)}
            for rank, number in enumerate(numbers)}


# NCCL orders launches, or each waits for the previous one; with any delay.
ended, out = run(of=devices([3, 1, 4, 2]))
assert ended == [(0, "")] * 4 and out == "all checks hold\n", (ended, out)
for version, seed in ("22809", 1), ("22500", 1), ("22500", 2):
    ended, out = run(NCCL_DOUBLE_VERSION=version, PCC_DOUBLE_SEED=str(seed))
    assert ended == [(0, "")] * 4 and out == "all checks hold\n", (ended, out)

# Switches add in any order, and only if the user asks for it.
for arguments, environment, order in (
        (["sums"], {}, "one order"), (["nvls"], {}, "several orders"),
        (["sums"], {"NCCL_ALGO": "NVLS"}, "several orders"),
        (["sums"], {"NCCL_NVLS_ENABLE": "1"}, "several orders")):
    ended, out = run(*arguments, **environment)
    assert ended == [(0, "")] * 4 and out == f"in {order}\n", (ended, out)

# Ranks must have devices of one kind, and one version of each library and
# driver.
for name, value, own, first in (
        ("PCC_DOUBLE_NAME", "another GPU",
         "'another GPU' of 132 multiprocessors, cuBLASLt 13.",
         "'double of a GPU' of 132 "),
        ("CUBLAS_DOUBLE_VERSION", "139900",
         "'double of a GPU' of 132 multiprocessors, cuBLASLt 13.99.0, NCCL 2.",
         "'double of a GPU' of 132 multiprocessors, cuBLASLt 13."),
        ("NCCL_DOUBLE_VERSION", "22500",
         "'double of a GPU' of 132 multiprocessors, cuBLASLt 13.",
         "'double of a GPU' of 132 multiprocessors, cuBLASLt 13."),
        ("CUDA_DOUBLE_VERSION", "13090",
         "'double of a GPU' of 132 multiprocessors, cuBLASLt 13.",
         "'double of a GPU' of 132 multiprocessors, cuBLASLt 13.")):
    ended, _ = run(of={2: {name: value}})
    assert {9} <= {code for code, _ in ended} <= {7, 9}, ended
    said = next(err for _, err in ended if err.startswith("[rank 2]"))
    found = re.match(r"\[rank 2\] error: this rank has (.*), rank 0 has (.*)\n",
                     said)
    assert found and found[1].startswith(own) and found[2].startswith(first) \
        and found[1] != found[2], said
    assert (name == "CUDA_DOUBLE_VERSION") == \
        found[1].endswith(" and a driver for CUDA 13.9"), said
    assert (name == "NCCL_DOUBLE_VERSION") == (", NCCL 2.25.0 and" in found[1]), said

# And one cuDNN version, among the ranks that use it for attention.
ended, _ = run("versions", of={2: {"CUDNN_DOUBLE_VERSION": "91900"}})
assert [code for code, _ in ended] == [9] * 4 or \
    {code for code, _ in ended} == {7, 9}, ended
text = "".join(err for _, err in ended)
assert "error: this rank has cuDNN 9.15.1, another one has 9.19.0\n" in text, text

# Two ranks with one device are rejected before NCCL does so.
for numbers, ranks, last in ([1, 2, 3, 2], "1 and 3", "02"), ([7] * 4, "0 to 3", "07"):
    ended, _ = run(of=devices(numbers))
    assert ended[0][0] == 9 and {code for code, _ in ended} <= {7, 9}, ended
    text = "".join(err for _, err in ended)
    assert text.startswith(
        f"[rank 0] error: ranks {ranks} have the same device, 'double of a GPU' "
        f"(GPU-d0d0d0d0-d0d0-d0d0-d0d0-d0d0d0d0d0{last})\n"
        "[rank 0] note: each rank needs a device of its own: the launcher or "
        "CUDA_VISIBLE_DEVICES must show "), text
    assert "PCC_SHARE_DEVICES=1" in text and text.count("error") == 1, text

# Ranks that disagree are detected by the double, not by a hang.
ended, _ = run("differ")
text = "".join(err for _, err in ended)
assert re.search(r"rank (3 .* reduction 2, and rank . at .* reduction 0|"
                 r". .* reduction 0, and rank 3 at .* reduction 2)", text), text
# The first rank that has waited long enough reports it; the heartbeat
# connection ends the others, unless they come to report the same.
ended, _ = run("crossed", NCCL_DOUBLE_SECONDS="3")
assert {-6} <= {code for code, _ in ended} <= {-6, 7}, ended
assert all("waits for rank" in err for code, err in ended if code == -6), ended

# A hang that NCCL does not end: the rank that diverged is reported.
ended, _ = run("hangs")
assert [code for code, _ in ended] == [7] * 4, ended
text = "".join(err for _, err in ended)
assert re.fullmatch(
    r"\[rank 0\] error: no rank has made progress for 2 s; all ranks end\n"
    r"\[rank 0\] note: each waits for others, as over a dead network: "
    r"rank 0 in 'the end of what was issued' of the start, .*; issued last: "
    r"ranks 0, 1 and 2: all_reduce over tp no\. 1 of 'layer/add', all_reduce over "
    r"pp tp no\. 1 of 'layer/add'; rank 3: all_reduce over tp no\. 1 of "
    r"'layer/add', all_reduce over tp pp no\. 1 of 'layer/add'; "
    r"--timeout SECONDS.*\n", text), text

# A communicator has one stream.
ended, _ = run("streams")
text = "".join(err for _, err in ended)
assert ended[3][0] not in (0, 99) and (
    "[rank 3] error: the program communicates over pp tp on stream 2, and by "
    "the same communicator on stream 1\n") in text, ended

# NCCL's buffers may not fit.
ended, _ = run("sums", PCC_DOUBLE_MIB="3")
text = "".join(err for _, err in ended)
assert {6} <= {code for code, _ in ended} <= {6, 7} and re.search(
    r"error: out of memory: NCCL cannot allocate its buffers, [\d.]+ [KM]iB of the "
    r"3.0 MiB of 'double of a GPU' are free\n", text), (ended, text)

# A rank that dies is reported by the heartbeat connection, and no rank hangs.
ended, _ = run("dies")
assert [code for code, _ in ended] == [7, 7, 7, -9], ended
assert "".join(err for _, err in ended) == \
    "[rank 0] error: rank 3 was lost; all other ranks end\n", ended

# An operation that fails while the host waits, and failing connections.
for number, what in (
        ("0", r"all_reduce, or an operation before it, over tp, of 'layer/add',"),
        ("0:message",
         r"the start of communication, or an operation before it, over pp tp"),
        ("0:connect",
         r"the start of communication, or an operation before it, over tp")):
    ended, _ = run("fails", NCCL_DOUBLE_FAIL=f"1:{number}")
    assert [code for code, _ in ended] == [7] * 4, ended
    text = "".join(err for _, err in ended)
    assert re.fullmatch(
        r"\[rank \d\] error: " + what + r" failed: "
        r"remote process exited or there was a network error\n"
        r"\[rank \d\] note: NCCL_DEBUG=WARN in the environment has it say more\n",
        text), text

