"""Applies contributing.patch to a tree in which others have added lines, too.

    contributing_patch.py FOLDER

Of a change's context as many lines count as it takes to find one place: those
before it first, then what follows; never their numbers.
"""

import os
import re
import sys

PATCH = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "contributing.patch")


class DoesNotFit(Exception):
    pass


def apply_change(text, change):
    """Lines of a unified diff: ' ' stays, '-' goes, '+' comes."""
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
    """Yields each file of the patch with its text after the change, or with
    the part that does not fit."""
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
            sys.exit(f"{PATCH} does not fit {path}:\n{problem}")
        with open(os.path.join(folder, path), "w") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
