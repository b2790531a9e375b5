"""A folder for unfinished files, removed even if the process crashes.

Exporters are native code that may crash this process. A separate guard process
then reports what was being done and removes the folder.
"""

import os
import shutil
import subprocess
import sys
import tempfile

from . import folder_guard


def target_error(path):
    """Returns why no file can be moved to `path`; empty if one can."""
    if not os.path.basename(path):
        return f"'{path}' is not the name of a file"
    if os.path.isdir(path):
        return f"'{path}' is a folder, not a file to write"
    # A file that is moved there would replace the device itself.
    if os.path.exists(path) and not os.path.isfile(path):
        return f"'{path}' is not a regular file"
    above = os.path.dirname(os.path.abspath(path))
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    return "" if os.path.isdir(above) else f"'{above}' is not a folder"


class WorkFolder:
    """A new folder in `parent`, called `path`."""

    def __init__(self, parent):
        self.path = tempfile.mkdtemp(dir=parent, prefix=".pcc-export-")
        try:
            self.guard = subprocess.Popen(
                [sys.executable, "-I", "-S", folder_guard.__file__, self.path],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                start_new_session=True)
        except BaseException:
            shutil.rmtree(self.path)
            raise

    def doing(self, what):
        """Tells the guard the current activity, such as "X was written"."""
        try:
            print(what.replace("\n", " "), file=self.guard.stdin, flush=True)
        except BrokenPipeError:
            pass  # The guard was killed; the export can go on without it.

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path)
        self.doing("done")
        try:
            self.guard.stdin.close()
        except BrokenPipeError:
            pass
        self.guard.wait()
