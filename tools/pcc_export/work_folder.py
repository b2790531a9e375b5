"""A folder for unfinished files that is removed even after a crash.

Exporters are native code that a module may crash, together with this process. A
guard process then reports the activity that crashed and removes the folder.
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
            pass  # The guard was killed; it may not be needed.

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
