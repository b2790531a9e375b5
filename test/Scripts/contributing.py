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
                problems.append(f"CONTRIBUTING.md shows what is not in {path}:"
                                f"\n{part}")
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
                    if (name.endswith((".onnx", ".pyc", ".bin", ".npy",
                                       ".orig", "~"))
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


text = read("CONTRIBUTING.md")
assert check_blocks(text) >= 15
assert check_lists(text) == 3
sys.path.insert(0, os.path.join(ROOT, "test/Scripts/Inputs"))
from contributing_patch import changes
changed = list(changes(ROOT))
assert len(changed) >= 15, changed
problems += [f"{path}: what test/Scripts/Inputs/contributing.patch adds there "
             f"has no place; give it another:\n{problem}"
             for path, _, problem in changed if problem]
sys.exit("\n".join(problems) or 0)
