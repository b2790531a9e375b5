"""A folder for unfinished files, removed even if the process crashes.

Exporters are native code that may crash this process. A separate guard process
then reports what was being done and removes the folder.
"""

import shutil
import subprocess
import sys
import tempfile

from . import folder_guard


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
