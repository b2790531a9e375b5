"""Applies contributing.patch to a tree that has changed since.

    contributing_patch.py FOLDER

A hunk applies where its context matches exactly once. As many context lines are
used as this takes: first those before the change, then those after it. Line
numbers are ignored.
"""

import os
import re
import sys

PATCH = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "contributing.patch")


class DoesNotFit(Exception):
    pass


def apply_change(text, change):
    """Returns the text after a hunk of a unified diff."""
    first = next(i for i, line in enumerate(change) if line[0] != " ")
    last = next(i for i in range(len(change), 0, -1)
                if change[i - 1][0] != " ")
    changed = change[first:last]
    old = "".join(line[1:] for line in changed if line[0] != "+")
    new = "".join(line[1:] for line in changed if line[0] != "-")
    for end in range(last, len(change) + 1):
        for begin in range(first, -1, -1):
            before = "".join(line[1:] for line in change[begin:first])
            after = "".join(line[1:] for line in change[last:end])
            sought = "\n" + before + old + after
            if sought != "\n" and ("\n" + text).count(sought) == 1:
                at = ("\n" + text).index(sought) + len(before)
                return text[:at] + new + text[at + len(old):]
    raise DoesNotFit("".join(change))


def changes(root):
    """Yields (path, text after the change, None) for each file of the patch, or
    (path, None, the hunk that does not apply)."""
    with open(PATCH) as file:
        parts = re.split(r"^--- ", file.read(), flags=re.M)[1:]
    for part in parts:
        head, *hunks = re.split(r"^@@ .*\n", part, flags=re.M)
        old, new = head.splitlines()
        path, text = new[len("+++ b/"):], ""
        if old != "/dev/null":
            with open(os.path.join(root, path)) as file:
                text = file.read()
        try:
            for hunk in hunks:
                lines = hunk.splitlines(True)
                text = (apply_change(text, lines) if text else
                        "".join(line[1:] for line in lines))
            yield path, text, None
        except DoesNotFit as problem:
            yield path, None, str(problem)


def main(folder):
    for path, text, problem in list(changes(folder)):
        if problem:
            sys.exit(f"{PATCH} does not apply to {path}:\n{problem}")
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
