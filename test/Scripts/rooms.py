"""Every folder has a README that says what belongs there; files include only
rooms that it names, and the files that it names exist.

A README has a table with the column "may include", a row for each folder, or a
line "May include:". A name stands for all folders below it, with `/.` for the
folder alone; a folder includes itself.

RUN: %python %s %root
RUN: rm -rf %t && mkdir %t && cd %root
RUN: tar c --exclude='./build*' --exclude='./.*' . | tar x -C %t
RUN: echo '#include "runtime/launch/Signals.h"' >> %t/runtime/support/Hash.h
RUN: echo '#include "frontend/ops/X.h"' >> %t/frontend/onnx/Reader.h
RUN: not %python %s %t 2>&1 | FileCheck %s
CHECK: frontend/onnx/Reader.h includes frontend/ops/X.h
CHECK-NEXT: runtime/support/Hash.h includes runtime/launch/Signals.h
"""

import os
import re
import sys

ROOT = sys.argv[1]
TOP = sorted(f for f in os.listdir(ROOT) if not f.startswith(("build", "."))
             and os.path.isdir(os.path.join(ROOT, f)))


def read(*path):
    with open(os.path.join(ROOT, *path)) as file:
        return file.read()


def spans(text):
    return re.findall(r"`([^`]+)`", text)


def rooms_of(top, text):
    """folder -> the folders that it may include, and the files to start at."""
    line = re.search(r"^May include: (.*)$", text, re.M)
    if line:
        begin = re.search(r"^Begin with (.*)$", text, re.M)
        return {top: (spans(line[1]), spans(begin[1]))}
    rooms = {}
    for row in re.findall(r"^\| `(.*) \|$", text, re.M):
        cells = row.split("|")
        if len(cells) == 4:
            folder = os.path.normpath(os.path.join(top, cells[0].split("`")[0]))
            rooms[folder] = spans(cells[2]), spans(cells[3])
    return rooms


problems, rooms, sources = [], {}, 0
for top in TOP:
    if not os.path.exists(os.path.join(ROOT, top, "README.md")):
        problems.append(f"{top} has no README.md")
        continue
    text = read(top, "README.md")
    rooms.update(rooms_of(top, text))
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if not os.path.exists(os.path.join(ROOT, top, link)):
            problems.append(f"{top}/README.md: no file {link}")
    places = [ROOT, *(os.path.join(ROOT, room) for room in rooms
                      if room.split("/")[0] == top), os.path.join(ROOT, top)]
    for name in spans(text):
        if re.fullmatch(r"[\w./-]+\.(cpp|h|td)", name) and not any(
                os.path.exists(os.path.join(p, name)) for p in places):
            problems.append(f"{top}/README.md: no file {name}")

for folder, (may, begin) in rooms.items():
    for name in may:
        if not os.path.isdir(os.path.join(ROOT, name)):
            problems.append(f"{folder} may include {name}, which is no folder")
    for name in begin:
        if not os.path.exists(os.path.join(ROOT, folder, name)):
            problems.append(f"{folder} begins with {name}, which is no file")

for top in TOP:
    if top in ("test", "benchmarks", "docs", "examples"):
        continue
    for folder, _, files in os.walk(os.path.join(ROOT, top)):
        room = os.path.relpath(folder, ROOT)
        for name in sorted(files):
            if not name.endswith((".cpp", ".h")):
                continue
            sources += 1
            if room not in rooms:
                problems.append(f"no README has a row for {room}")
                break
            may = rooms[room][0]
            for path in re.findall(r'^#include "([^"]+)"', read(room, name),
                                   re.M):
                other = os.path.dirname(path)
                if other.split("/")[0] in TOP and other != room and not any(
                        other == m.removesuffix("/.") or
                        other.startswith(m + "/") for m in may):
                    problems.append(f"{room}/{name} includes {path}, which "
                                    f"the README of {top} does not allow")

assert sources > 500 and len(rooms) > 30, (sources, len(rooms))
sys.exit("\n".join(problems) or 0)
