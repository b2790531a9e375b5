"""Documents, descriptions of ops and passes, flags and messages use the field's
terms (docs/Glossary.md): words that once stood for them do not come back.

RUN: %python %s %root
RUN: rm -rf %t && mkdir -p %t/docs %t/runtime
RUN: echo 'Each hop has a stream of its own.' > %t/docs/Page.md
RUN: echo 'def Op { let summary = "Begins a row anew"; }' > %t/docs/Ops.td
RUN: echo 'fail("a stranger knocks"); // a door' > %t/runtime/Fail.cpp
RUN: not %python %s %t 2>&1 | FileCheck %s
CHECK: docs/Ops.td: 'anew': write (re)initialized or overwritten
CHECK-NEXT: docs/Page.md: 'hop': write transfer or point-to-point channel
CHECK-NEXT: runtime/Fail.cpp: 'knocks': write connect
CHECK-NEXT: runtime/Fail.cpp: 'stranger': write unauthenticated peer
CHECK-NOT: door
"""

import os
import re
import sys

ROOT = sys.argv[1]
#: word -> the term to use. All are words without an ordinary use in this project.
TERMS = {
    "anew": "(re)initialized or overwritten",
    "card|cards": "endpoint",
    "door|doors": "listener",
    "freshness": "staleness",
    "guest|guests": "connection",
    "hop|hops": "transfer or point-to-point channel",
    "horizon|horizons": "dependence bound",
    "knock|knocks": "connect",
    "library of products": "GEMM library, or its name",
    "lifeline|lifelines": "heartbeat connection",
    "meeting|meetings": "rendezvous, or matched collective",
    "nobody|whoever": "the name of the thing",
    "nothing counts|what counts": "valid targets",
    "stands still|stood still": "hangs, or makes no progress",
    "stranger|strangers": "unauthenticated peer",
    "sweep|sweeps": "pass over a row",
    "team|teams": "thread group",
}
STRING = r'"(?:\\.|[^"\\\n])*"'


def strings(text):
    """String literals that are sentences; adjacent ones are one."""
    text = re.sub(r"(?m)^\s*//.*|^\s*#\s*include.*|\s//[^\"]*$", "", text)
    for literal in re.findall(rf"{STRING}(?:\s*{STRING})*", text):
        literal = re.sub(r'"\s*"', "", literal)
        if " " in literal:
            yield literal


def texts_of(path, text):
    """The texts of a file that users or readers of the pages see."""
    if path.endswith(".md"):
        return [re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.S)]
    if path.endswith(".td"):
        return [re.sub(r"```.*?```|`[^`]*`", "", part, flags=re.S)
                for part in re.findall(r"\[\{(.*?)\}\]", text, re.S)] + [
            part for part in re.findall(STRING, text) if " " in part]
    return strings(text)


problems, count = [], 0
for folder, below, names in os.walk(ROOT):
    below[:] = sorted(b for b in below if b[0] != "." and b != "test" and
                      not b.startswith("build"))
    for name in sorted(names):
        path = os.path.relpath(os.path.join(folder, name), ROOT)
        if not name.endswith((".md", ".td", ".cpp", ".h", ".def")):
            continue
        count += 1
        with open(os.path.join(ROOT, path)) as file:
            parts = texts_of(path, file.read())
        for part in parts:
            words = " ".join(part.split())
            for term, better in TERMS.items():
                found = re.search(rf"(?<![\w-])(?:{term})(?![\w-])", words,
                                  re.I)
                if found:
                    problems.append(f"{path}: '{found[0]}': write {better}")
if not problems:
    assert count > 900, count
sys.exit("\n".join(problems) or 0)
