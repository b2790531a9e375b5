"""The examples of CONTRIBUTING.md are code of the tree, and its lists of files
are whole.

RUN: %python %s %root

Below a line that names a file, code stands as it does there; "..." leaves lines
out. "All files that mention" an example are those in which its words are found,
of tests some. What scripts/try-contributing adds to the tree still fits.
"""

import os
import re
import sys

ROOT = sys.argv[1]
FOLDERS = ("analysis dialects docs examples frontend interpreter passes "
           "runtime scripts test tools").split()
problems = []


def read(path):
    with open(os.path.join(ROOT, path), errors="ignore") as file:
        return file.read()


def check_blocks(text):
    """Returns how many there are."""
    path, count = None, 0
    for named, indent, block in re.findall(
            r"^ *`([\w/.-]+)`:$|^( *)```\w*\n(.*?)^ *```$", text, re.M | re.S):
        if named:
            path = named
            continue
        count += 1
        lines = [line[len(indent):] for line in block.splitlines(True)]
        rest = read(path)
        for part in "".join(lines).split("...\n"):
            found = rest.find(part)
            if found < 0 or not part.strip():
                problems.append(f"not in {path}:\n{part}")
                break
            rest = rest[found + len(part):]
    return count


def check_lists(text):
    lists = re.findall(r"^All files that mention (.*?):\s(.*?)\.$", text,
                       re.M | re.S)
    for words, files in lists:
        pattern = "|".join(r"(?<!math::)" + re.escape(w) + r"(?![a-z_])"
                           for w in re.findall(r"`(.*?)`", words))
        named = set(re.findall(r"`([\w./-]+)`", files))
        found = set()
        for folder in FOLDERS:
            for place, _, names in os.walk(os.path.join(ROOT, folder)):
                for name in names:
                    path = os.path.relpath(os.path.join(place, name), ROOT)
                    if (name.endswith((".onnx", ".pyc", ".bin", ".npy"))
                            or path == "test/Scripts/contributing.py"):
                        continue
                    if re.search(pattern, read(path)):
                        found.add(path)
        for path in sorted(p for p in found - named
                           if not p.startswith("test/")):
            problems.append(f"{path} mentions {words}, CONTRIBUTING.md does "
                            "not say so")
        for path in sorted(named - found):
            problems.append(f"{path} does not mention {words}")
    return len(lists)


def check_patch(path):
    """Returns how many changes it has."""
    count = 0
    for part in re.split(r"^--- ", read(path), flags=re.M)[1:]:
        head, *changes = re.split(r"^@@ .*\n", part, flags=re.M)
        old = head.splitlines()[0]
        if old == "/dev/null":
            continue
        target = read(old[len("a/"):])
        for change in changes:
            count += 1
            before = "".join(line[1:] for line in change.splitlines(True)
                             if line[0] in " -")
            if before not in target:
                problems.append(f"{path} does not fit {old[2:]}:\n{before}")
    return count


text = read("CONTRIBUTING.md")
assert check_blocks(text) >= 15
assert check_lists(text) == 3
assert check_patch("test/Scripts/Inputs/contributing.patch") >= 15
sys.exit("\n".join(problems) or 0)
