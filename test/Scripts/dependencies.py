"""Dependencies between folders follow the READMEs, for includes and for links.

Each folder has a README with a table, a row for each subfolder, or a line "May
include:". The column "may include" names the folders whose files it may include.
A name covers all subfolders; `/.` restricts it to the folder alone. A folder may
always include itself.

1. Files include only folders that their row names.
2. Libraries link only libraries of such folders, and only if one of their files
   includes a file of that library. A link that is needed for another reason has a
   comment in its CMakeLists.txt: "# Links <library>: <reason>".
3. Every file and folder that a README names exists. The lists in `scripts`,
   `docs`, `test` and the root's README are complete.

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
RUN: sed -i 's/^  LINK PccNN/  LINK PccNN PccFrontend/' %t/analysis/CMakeLists.txt
RUN: sed -i 's/LINK PccNN PccAnalysis/LINK PccNN PccAnalysis PccPipe/' \
RUN:   %t/passes/Training/CMakeLists.txt
RUN: echo '# Links PccRT: to plant no fault' >> %t/passes/Sharding/CMakeLists.txt
RUN: echo 'target_link_libraries(PccSharding PUBLIC PccRT)' \
RUN:   >> %t/passes/Sharding/CMakeLists.txt
RUN: not %python %s %t 2>&1 | FileCheck %s --implicit-check-not=PccRT
CHECK: passes/README.md: no file Autodiff.cpp in passes/Sharding
CHECK-NEXT: scripts/README.md: coverage is missing
CHECK-NEXT: scripts/README.md: no file cover
CHECK-NEXT: docs/rationale/README.md: memory.md is missing
CHECK-NEXT: docs/rationale/README.md: no page arena.md
CHECK-NEXT: test/README.md: Clusters is missing
CHECK-NEXT: test/README.md: no folder Cluster
CHECK-NEXT: README.md: interpreter is missing
CHECK-NEXT: README.md: no folder interpret
CHECK-NEXT: dialects/NN/Ops.td includes dialects/Dist/Ops.td
CHECK-NEXT: frontend/onnx/Reader.h includes frontend/ops/X.h
CHECK-NEXT: interpreter/ops/Functions.h includes ../Kernels.h by a path that
CHECK-NEXT: runtime/support/Hash.h includes runtime/launch/Signals.h
CHECK-NEXT: analysis/CMakeLists.txt: PccAnalysis links PccFrontend, which the
CHECK-NEXT: passes/Training/CMakeLists.txt: PccTraining links PccPipe, but none
"""

import os
import re
import sys

ROOT = sys.argv[1]
TOP = sorted(f for f in os.listdir(ROOT) if not f.startswith(("build", "."))
             and os.path.isdir(os.path.join(ROOT, f)))
CHECKED = [top for top in TOP
           if top not in ("test", "benchmarks", "docs", "examples")]
problems = []


def read(*path):
    with open(os.path.join(ROOT, *path)) as file:
        return file.read()


def spans(text):
    return re.findall(r"`([^`]+)`", text)


def is_source(name):
    return re.fullmatch(r"[\w./-]+\.(cpp|h|td)", name)


def walk(top):
    """Yields (folder relative to the root, names of its files)."""
    for folder, _, names in os.walk(os.path.join(ROOT, top)):
        yield os.path.relpath(folder, ROOT), sorted(names)


#===----------------------------------------------------------------------===#
# READMEs
#===----------------------------------------------------------------------===#


def rows_of(top, text):
    """folder -> (the folders that it may include, the files to begin with)."""
    line = re.search(r"^May include: (.*)$", text, re.M)
    if line:
        begin = re.search(r"^Begin with (.*)$", text, re.M)
        return {top: (spans(line[1]), spans(begin[1]))}
    rows = {}
    for row in re.findall(r"^\| `(.*) \|$", text, re.M):
        cells = row.split("|")
        if len(cells) == 4:
            folder = os.path.normpath(os.path.join(top, cells[0].split("`")[0]))
            rows[folder] = spans(cells[2]), spans(cells[3])
            for name in filter(is_source, spans(cells[1])):
                # A file of a parent folder, or of another one, has its path.
                if not any(os.path.exists(os.path.join(ROOT, base, name))
                           for base in (folder, top, "")):
                    problems.append(
                        f"{top}/README.md: no file {name} in {folder}")
    return rows


def check_complete(path, kind, named, exist):
    """A README names exactly the files or folders that exist."""
    problems.extend(f"{path}: {n} is missing" for n in sorted(exist - named))
    problems.extend(f"{path}: no {kind} {n}" for n in sorted(named - exist))


def check_lists():
    """The READMEs whose lists are complete."""
    table = re.findall(r"^\| (`.*?) \|", read("scripts", "README.md"), re.M)
    check_complete("scripts/README.md", "file", set(spans("".join(table))),
                   set(os.listdir(os.path.join(ROOT, "scripts")))
                   - {"README.md"})
    for folder in ("docs", "docs/rationale"):
        if not os.path.exists(os.path.join(ROOT, folder)):
            continue
        path = folder + "/README.md"
        table = re.findall(r"^\| \[.*?\]\((.*?)\)", read(path), re.M)
        pages = {f for f in os.listdir(os.path.join(ROOT, folder))
                 if f.endswith(".md") and f != "README.md"}
        check_complete(path, "page", {row for row in table if "/" not in row},
                       pages)
    named = {name.split("/")[0] for name in spans(read("test", "README.md"))
             if re.fullmatch(r"[A-Z]\w+(/X)?", name)}
    check_complete("test/README.md", "folder", named,
                   {f for f in os.listdir(os.path.join(ROOT, "test"))
                    if f[0].isupper() and
                    os.path.isdir(os.path.join(ROOT, "test", f))})
    named = set(re.findall(r"(?:^ {4}| )(\w+)/ {2}", read("README.md"), re.M))
    # The text names these outside the list.
    check_complete("README.md", "folder", named,
                   {*TOP} - ({"docs", "benchmarks", "cmake"} - named))


def read_readmes():
    """The rows of all READMEs."""
    rows = {}
    for top in TOP:
        if not os.path.exists(os.path.join(ROOT, top, "README.md")):
            problems.append(f"{top} has no README.md")
            continue
        text = read(top, "README.md")
        rows.update(rows_of(top, text))
        for link in re.findall(r"\]\(([^)#]+)\)", text):
            if not os.path.exists(os.path.join(ROOT, top, link)):
                problems.append(f"{top}/README.md: no file {link}")
        bases = [ROOT, *(os.path.join(ROOT, folder) for folder in rows
                         if folder.split("/")[0] == top),
                 os.path.join(ROOT, top)]
        for name in spans(text):
            if is_source(name) and not any(
                    os.path.exists(os.path.join(base, name))
                    for base in bases):
                problems.append(f"{top}/README.md: no file {name}")
    return rows


def check_rows(rows):
    for folder, (may, begin) in rows.items():
        for name in may:
            if not os.path.isdir(os.path.join(ROOT, name)):
                problems.append(f"{folder} may include {name}, which is no "
                                "folder")
        for name in begin:
            if not os.path.exists(os.path.join(ROOT, folder, name)):
                problems.append(f"{folder} begins with {name}, which is no "
                                "file")


#===----------------------------------------------------------------------===#
# Includes
#===----------------------------------------------------------------------===#

INCLUDE = re.compile(r'^(?:#\s*)?include\s*["<]([^">]+)[">]', re.M)


def allows(rows, folder, other):
    """Whether the row of a folder allows it to include another."""
    return other == folder or any(
        other == m.removesuffix("/.") or other.startswith(m + "/")
        for m in rows[folder][0])


def check_includes(rows):
    """Returns the number of files."""
    count = 0
    for top in CHECKED:
        for folder, names in walk(top):
            for name in names:
                if not name.endswith((".cpp", ".c", ".h", ".td")):
                    continue
                count += 1
                if folder not in rows:
                    problems.append(f"no README has a row for {folder}")
                    break
                for path in INCLUDE.findall(read(folder, name)):
                    other = os.path.dirname(path)
                    if other.startswith("."):
                        problems.append(f"{folder}/{name} includes {path} by a "
                                        "path that does not begin at the root")
                    if other.split("/")[0] in TOP and not allows(rows, folder,
                                                                 other):
                        problems.append(
                            f"{folder}/{name} includes {path}, which "
                            f"the README of {top} does not allow")
    return count


#===----------------------------------------------------------------------===#
# Links
#===----------------------------------------------------------------------===#


class Target:
    """A library or program of a CMakeLists.txt."""

    def __init__(self, folder, arguments):
        self.folder, self.links, sources = folder, [], []
        into = sources
        for argument in arguments:
            if argument in ("STATIC", "OBJECT", "SHARED"):
                continue
            if argument in ("DEPENDS", "PCH", "PCH_OF", "LINK"):
                into = self.links if argument == "LINK" else []
                continue
            into.append(argument)
        self.objects = re.findall(r"\$<TARGET_OBJECTS:(.*?)>",
                                  " ".join(sources))
        self.sources = [os.path.normpath(os.path.join(folder, source))
                        for source in sources if "$" not in source]


def read_targets(folder, targets):
    """Adds the targets of a CMakeLists.txt."""
    text = re.sub(r"#.*", "", read(folder, "CMakeLists.txt"))
    variables = {}
    for command, arguments in re.findall(r"(\w+)\s*\(([^()]*)\)", text):
        words = [expanded for word in arguments.split()
                 for expanded in variables.get(word, [word])]
        if command == "set" and words:
            variables["${" + words[0] + "}"] = words[1:]
        elif command in ("add_pcc_library", "add_pcc_tool", "add_library",
                         "add_executable"):
            targets[words[0]] = Target(folder, words[1:])
        elif command == "target_link_libraries" and words[0] in targets:
            targets[words[0]].links += words[1:]


def headers_of(targets):
    """header -> the names of the targets that it belongs to: those with a
    source of the same name, else those with a source in its folder, else those
    that its folder, or the next one above, declares."""
    by_stem, by_folder, by_list = {}, {}, {}
    for name, target in targets.items():
        for source in target.sources:
            by_stem.setdefault(os.path.splitext(source)[0], set()).add(name)
            by_folder.setdefault(os.path.dirname(source), set()).add(name)
        by_list.setdefault(target.folder, set()).add(name)
    headers = {}
    for top in CHECKED:
        for folder, names in walk(top):
            for name in names:
                if not name.endswith(".h"):
                    continue
                header = os.path.join(folder, name)
                found = (by_stem.get(os.path.splitext(header)[0])
                         or by_folder.get(folder))
                above = folder
                while not found and above:
                    found = by_list.get(above)
                    above = os.path.dirname(above)
                headers[header] = found or set()
    return headers


def check_links(rows):
    """Returns the number of links."""
    targets, count = {}, 0
    for top in CHECKED:
        for folder, names in walk(top):
            if "CMakeLists.txt" in names:
                read_targets(folder, targets)
    for target in targets.values():
        for name in target.objects:
            if name in targets:
                target.sources += targets[name].sources
    headers = headers_of(targets)
    for name, target in sorted(targets.items(),
                               key=lambda item: (item[1].folder, item[0])):
        path = f"{target.folder}/CMakeLists.txt"
        explained = re.findall(r"^ *# Links (\w+): \S", read(path), re.M)
        files = {*target.sources, *(h for h in headers if name in headers[h])}
        included = set()
        for file in files:
            for header in INCLUDE.findall(read(file)):
                included |= headers.get(header, set())
        folders = {os.path.dirname(file) for file in files}
        for link in target.links:
            if link not in targets:
                continue
            count += 1
            others = {os.path.dirname(s) for s in targets[link].sources}
            others.add(targets[link].folder)
            if not any(allows(rows, folder, other) for folder in folders
                       if folder in rows for other in others):
                problems.append(
                    f"{path}: {name} links {link}, which the README of "
                    f"{target.folder.split('/')[0]} does not allow")
            elif link not in included and link not in explained:
                problems.append(f"{path}: {name} links {link}, but none of its "
                                f"files includes a file of {link}")
    return count


rows = read_readmes()
check_lists()
check_rows(rows)
sources = check_includes(rows)
links = check_links(rows)
assert sources > 500 and len(rows) > 30 and links > 40, (
    sources, len(rows), links)
sys.exit("\n".join(problems) or 0)
