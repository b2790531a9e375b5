"""The examples of docs/Extending.md are code of the tree, and its lists of files
are complete.

RUN: %python %s %root
RUN: rm -rf %t && mkdir -p %t/docs && cd %root
RUN: cp CONTRIBUTING.md %t && cp docs/Extending.md %t/docs
RUN: sed -i 's/a.div(x, a.add(a.abs(x), 1))/a.div(x, a.abs(x))/' \
RUN:   %t/docs/Extending.md
RUN: sed -i 's,`analysis/Runs.cpp`\, *,,; s,^`frontend/ops/Math.cpp`\,,`frontend/ops/Mask.cpp`\,,' \
RUN:   %t/docs/Extending.md
RUN: sed -i 's,^   `scripts/equivalence`:,   `scripts/equal`:,' %t/docs/Extending.md
RUN: not %python %s %root %t 2>&1 | FileCheck %s
CHECK: docs/Extending.md shows code that is not in frontend/ops/Activation.cpp
CHECK: docs/Extending.md: no file scripts/equal
CHECK: analysis/Runs.cpp mentions `SinOp` or `nn.sin`, docs/Extending.md does not
CHECK: frontend/ops/Math.cpp mentions `SinOp` or `nn.sin`, docs/Extending.md does
CHECK: frontend/ops/Mask.cpp does not mention `SinOp` or `nn.sin`

Below a line that names a file, code stands as it does there; "..." omits lines.
A list "All files that mention" words names every file whose code contains them;
a file with the words in comments only, a test or a page may be named or not. Every
file that the pages name exists. The patch of scripts/try-contributing still
applies.

    contributing.py TREE [FOLDER OF THE PAGES]
"""

import os
import re
import sys

ROOT, PAGES = sys.argv[1], sys.argv[-1]
FOLDERS = ("analysis dialects docs examples frontend interpreter passes "
           "runtime scripts test tools").split()
EXTENSIONS = "cpp|h|td|def|py|test|mlir|md|txt|cmake"
problems = []


def read(path, root=ROOT):
    with open(os.path.join(root, path), errors="ignore") as file:
        return file.read()


def check_blocks(page, text):
    """Returns the number of blocks."""
    path, count = None, 0
    for named, indent, block in re.findall(
            r"^ *`([\w/.-]+)`:$|^( *)```\w*\n(.*?)^ *```$", text, re.M | re.S):
        if named:
            path = named
            continue
        count += 1
        if not os.path.isfile(os.path.join(ROOT, path)):
            problems.append(f"{page}: no file {path}")
            continue
        lines = [line[len(indent):] for line in block.splitlines(True)]
        rest = read(path)
        for part in "".join(lines).split("...\n"):
            found = rest.find(part)
            if found < 0 or not part.strip():
                problems.append(f"{page} shows code that is not in {path}:\n"
                                f"{part}")
                break
            rest = rest[found + len(part):]
    return count


def code_of(path, text):
    """The text without comments of C++."""
    if path.endswith((".cpp", ".h", ".td", ".def", ".c")):
        return re.sub(r"//.*", "", text)
    return text


def all_files():
    """path -> (its code, its text)."""
    files = {}
    for folder in FOLDERS:
        for parent, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(parent, name), ROOT)
                if (name.endswith((".onnx", ".pyc", ".bin", ".npy", ".orig",
                                   "~"))
                        or path == "test/Scripts/contributing.py"):
                    continue
                text = read(path)
                files[path] = code_of(path, text), text
    return files


def check_lists(page, text, files):
    """Returns the number of lists."""
    lists = re.findall(r"^All files that mention (.*?):\s(.*?)\.$", text,
                       re.M | re.S)
    for words, listed in lists:
        words = " ".join(words.split())
        pattern = "|".join(r"(?<!math::)" + re.escape(w) + r"(?![a-z_])"
                           for w in re.findall(r"`(.*?)`", words))
        named = set(re.findall(r"`([\w./-]+)`", listed))
        found = {path for path, (code, _) in files.items()
                 if re.search(pattern, code)
                 and not path.startswith(("test/", "docs/"))
                 and not path.endswith(".md")}
        for path in sorted(found - named):
            problems.append(f"{path} mentions {words}, {page} does not say so")
        for path in sorted(named):
            if path not in files or not re.search(pattern, files[path][1]):
                problems.append(f"{path} does not mention {words}")
    return len(lists)


def check_names(page, text, files):
    """Files that the text names by path, or by name alone, exist."""
    names = {os.path.basename(path) for path in files}
    for name in re.findall(r"`([\w./-]+\.(?:%s))`" % EXTENSIONS, text):
        if "/" in name and not os.path.exists(os.path.join(ROOT, name)):
            problems.append(f"{page}: no file {name}")
        elif "/" not in name and name not in names | set(os.listdir(ROOT)):
            problems.append(f"{page}: no file {name}")


files = all_files()
assert len(files) > 1000
for page, blocks, lists in (("CONTRIBUTING.md", 0, 0),
                            ("docs/Extending.md", 60, 9)):
    text = read(page, PAGES)
    check_names(page, text, files)
    count = check_blocks(page, text)
    assert count >= blocks, count
    count = check_lists(page, text, files)
    assert count == lists, count
sys.path.insert(0, os.path.join(ROOT, "test/Scripts/Inputs"))
from contributing_patch import changes
changed = list(changes(ROOT))
assert len(changed) >= 15, changed
problems += [f"{path}: a change of test/Scripts/Inputs/contributing.patch "
             f"applies nowhere; give it another context:\n{problem}"
             for path, _, problem in changed if problem]
sys.exit("\n".join(problems) or 0)
