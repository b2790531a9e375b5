"""exits.py CODE COMMAND...: runs the command, which must exit with CODE within
a minute; prints what it wrote to stderr."""

import subprocess
import sys

result = subprocess.run(sys.argv[2:], stdout=subprocess.DEVNULL,
                        stderr=subprocess.PIPE, text=True, timeout=60)
print(result.stderr, end="")
if result.returncode != int(sys.argv[1]):
    sys.exit(f"exit code {result.returncode}, not {sys.argv[1]}")
