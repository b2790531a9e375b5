"""Fails unless the first log is the concatenation of the others, to the
digit."""

import re
import sys

logs = []
for path in sys.argv[1:]:
    with open(path) as file:
        logs.append([re.sub(r',"(ms|tok_s)":[^,}]*', "", line) for line in file])
parts = [line for log in logs[1:] for line in log]
if not logs[0] or logs[0] != parts:
    sys.exit("".join(["whole:\n", *logs[0], "parts:\n", *parts]))
