"""folder_guard.py FOLDER: removes the folder when its parent process ends
without doing so, for work_folder.py.

Reads lines that say what the parent does. The last line is "done" if the parent
removed the folder itself.
"""

import shutil
import sys


def main(folder):
    doing = "it began"
    for line in sys.stdin:
        doing = line.rstrip("\n")
    if doing == "done":
        return
    shutil.rmtree(folder, ignore_errors=True)
    print(f"pcc-export: error: the process ended while {doing}\n"
          "pcc-export: note: no file was written", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
