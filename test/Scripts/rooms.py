"""Every folder has a README that says what belongs there; files include only
rooms that it names, and what it names exists. Those of `scripts`, `docs` and
`test`, and the list of folders at the end of the tree's own, leave nothing out.

A README has a table with the column "may include", a row for each folder, or a
line "May include:". A name stands for all folders below it, with `/.` for the
folder alone; a folder includes itself. A file that a row names lies in its
folder.

RUN: %python %s %root
RUN: rm -rf %t && mkdir %t && cd %root
RUN: tar c --exclude='./build*' --exclude='./.*' . | tar x -C %t
RUN: echo '#include "runtime/launch/Signals.h"' >> %t/runtime/support/Hash.h
RUN: echo '#include "frontend/ops/X.h"' >> %t/frontend/onnx/Reader.h
RUN: echo 'include "dialects/Dist/Ops.td"' >> %t/dialects/NN/Ops.td
RUN: echo '#include "../Kernels.h"' >> %t/interpreter/ops/Functions.h
RUN: sed -i 's/PadVocab.cpp/Autodiff.cpp/' %t/passes/README.md
RUN: sed -i 's/`coverage`/`cover`/' %t/scripts/README.md
RUN: sed -i 's,^    interpreter/,    interpret/  ,' %t/README.md
RUN: sed -i 's/(memory.md)/(arena.md)/' %t/docs/rationale/README.md
RUN: sed -i 's/`Clusters`/`Cluster`/' %t/test/README.md
RUN: not %python %s %t 2>&1 | FileCheck %s
CHECK: passes/README.md: no file Autodiff.cpp in passes/Sharding
CHECK-NEXT: scripts/README.md: not a word of coverage
CHECK-NEXT: scripts/README.md: no file cover
CHECK-NEXT: docs/rationale/README.md: not a word of memory.md
CHECK-NEXT: docs/rationale/README.md: no page arena.md
CHECK-NEXT: test/README.md: not a word of Clusters
CHECK-NEXT: test/README.md: no folder Cluster
CHECK-NEXT: README.md: interpreter is not in the list of folders
CHECK-NEXT: README.md: no folder interpret
CHECK-NEXT: dialects/NN/Ops.td includes dialects/Dist/Ops.td
CHECK-NEXT: frontend/onnx/Reader.h includes frontend/ops/X.h
CHECK-NEXT: interpreter/ops/Functions.h includes ../Kernels.h by no path from
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


def is_source(name):
    return re.fullmatch(r"[\w./-]+\.(cpp|h|td)", name)


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
            for name in filter(is_source, spans(cells[1])):
                # What is the folder's above, or another's, has its path.
                if not any(os.path.exists(os.path.join(ROOT, place, name))
                           for place in (folder, top, "")):
                    problems.append(
                        f"{top}/README.md: no file {name} in {folder}")
    return rooms


def check_whole(path, kind, named, exist):
    """Names in a README and what is there."""
    problems.extend(f"{path}: not a word of {n}" for n in sorted(exist - named))
    problems.extend(f"{path}: no {kind} {n}" for n in sorted(named - exist))


def check_lists():
    """The READMEs that name all there is."""
    rows = re.findall(r"^\| (`.*?) \|", read("scripts", "README.md"), re.M)
    check_whole("scripts/README.md", "file", set(spans("".join(rows))),
                set(os.listdir(os.path.join(ROOT, "scripts"))) - {"README.md"})
    for folder in ("docs", "docs/rationale"):
        path = folder + "/README.md"
        rows = re.findall(r"^\| \[.*?\]\((.*?)\)", read(path), re.M)
        pages = {f for f in os.listdir(os.path.join(ROOT, folder))
                 if f.endswith(".md") and f != "README.md"}
        check_whole(path, "page", {row for row in rows if "/" not in row},
                    pages)
    named = {name.split("/")[0] for name in spans(read("test", "README.md"))
             if re.fullmatch(r"[A-Z]\w+(/X)?", name)}
    check_whole("test/README.md", "folder", named,
                {f for f in os.listdir(os.path.join(ROOT, "test"))
                 if f[0].isupper() and
                 os.path.isdir(os.path.join(ROOT, "test", f))})
    named = set(re.findall(r"(?:^ {4}| )(\w+)/ {2}", read("README.md"), re.M))
    # These are named in sentences.
    others = {"docs", "benchmarks", "cmake"}
    problems.extend(f"README.md: {top} is not in the list of folders"
                    for top in TOP if top not in named | others)
    problems.extend(f"README.md: no folder {n}" for n in sorted(named - {*TOP}))


problems, rooms, sources = [], {}, 0
INCLUDE = re.compile(r'^(?:#\s*)?include\s*["<]([^">]+)[">]', re.M)
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
        if is_source(name) and not any(
                os.path.exists(os.path.join(p, name)) for p in places):
            problems.append(f"{top}/README.md: no file {name}")
check_lists()

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
            if not name.endswith((".cpp", ".c", ".h", ".td")):
                continue
            sources += 1
            if room not in rooms:
                problems.append(f"no README has a row for {room}")
                break
            may = rooms[room][0]
            for path in INCLUDE.findall(read(room, name)):
                other = os.path.dirname(path)
                if other.startswith("."):
                    problems.append(f"{room}/{name} includes {path} by no path "
                                    "from the root")
                if other.split("/")[0] in TOP and other != room and not any(
                        other == m.removesuffix("/.") or
                        other.startswith(m + "/") for m in may):
                    problems.append(f"{room}/{name} includes {path}, which "
                                    f"the README of {top} does not allow")

assert sources > 500 and len(rooms) > 30, (sources, len(rooms))
sys.exit("\n".join(problems) or 0)
