"""Writes the loops of schedules out: every step, microbatch by microbatch.

    pcc-opt ... | expand.py
"""

import re
import sys

LOOP = re.compile(r"^( *)pipe\.loop (%\w+) = (\d+) to (\d+) \{\n(.*?)^\1\}\n",
                  re.MULTILINE | re.DOTALL)


def expand(text):
    """The text without loops."""
    def write_out(loop):
        indent, name, begin, end, body = loop.groups()
        number = re.compile(re.escape(name) + r"(?: \+ (\d+))?\b")
        steps = "".join(indent + line.strip() + "\n"
                        for line in body.splitlines())
        return "".join(
            number.sub(lambda m: str(turn + int(m.group(1) or 0)), steps)
            for turn in range(int(begin), int(end)))
    return LOOP.sub(write_out, text)


if __name__ == "__main__":
    sys.stdout.write(expand(sys.stdin.read()))
