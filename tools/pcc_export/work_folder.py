"""A folder for files that are not done yet, which nothing outlives.

Exporters are native code that a module may crash, and with it this process.
Another one, that does nothing else, then says what was going on and removes the
folder.
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
        """Says what the process does from now on, such as "X was written"."""
        try:
            print(what.replace("\n", " "), file=self.guard.stdin, flush=True)
        except BrokenPipeError:
            pass  # Somebody ended it; what it is for may not happen.

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
