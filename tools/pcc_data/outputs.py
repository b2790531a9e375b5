"""Files and folders that replace others when they are complete.

They are written as NAME.part and renamed. A run that is killed leaves NAME.part
at most, which the next run overwrites."""

import fcntl
import os
import shutil
import tempfile

from .messages import Refused


# Files and folders that this process has locked, by device and inode.
_locked = set()


def lock(descriptor, path):
    status = os.fstat(descriptor)
    own = status.st_dev, status.st_ino
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if own in _locked:
            output = path[:-len(".part")]
            raise Refused(f"two outputs are '{output}'", "give -o and "
                          "--val-output different names") from None
        raise Refused(f"another process writes '{path}'") from None
    _locked.add(own)


def target_of(path):
    """The file or folder that is written for `path`: that of a link. Links to
    pipes and devices, such as /dev/stdout, have no such path."""
    target = os.path.realpath(path)
    is_kept = os.path.isfile(target) or os.path.isdir(target)
    return target if os.path.islink(path) and is_kept else path


def check_parent(path):
    """Refuses an output whose folder does not exist."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise Refused(f"there is no folder '{folder}' for '{path}'",
                      f"mkdir -p '{folder}'")


class OutputFile:
    """A file to write; it replaces the one at its path by commit()."""

    def __init__(self, path):
        path = target_of(path)
        self.path, self.part = path, path + ".part"
        check_parent(path)
        if os.path.isdir(path):
            raise Refused(f"'{path}' is a folder")
        # A pipe or device is written directly, at the end.
        self.is_special = os.path.exists(path) and not os.path.isfile(path)
        if self.is_special:
            self.file = tempfile.TemporaryFile()
            return
        descriptor = os.open(self.part, os.O_RDWR | os.O_CREAT, 0o666)
        self.file = os.fdopen(descriptor, "r+b")
        try:
            lock(descriptor, self.part)
        except Refused:
            self.file.close()
            raise
        self.file.truncate(0)

    def finish(self):
        """Completes the contents on disk."""
        self.file.flush()
        if not self.is_special:
            os.fsync(self.file.fileno())

    def commit(self):
        if self.is_special:
            self.file.seek(0)
            with open(self.path, "wb") as target:
                shutil.copyfileobj(self.file, target)
        else:
            os.replace(self.part, self.path)
        self.file.close()

    def discard(self):
        if not self.file.closed:
            self.file.close()
            if not self.is_special and os.path.exists(self.part):
                os.unlink(self.part)


class OutputFolder:
    """A folder of files with known names; it replaces the one at its path."""

    def __init__(self, path, names):
        self.path = target_of(path.rstrip("/"))
        self.part = self.path + ".part"
        check_parent(self.path)
        for folder in (self.path, self.part):
            if not os.path.exists(folder):
                continue
            if not os.path.isdir(folder):
                raise Refused(f"'{folder}' exists and is not a folder")
            others = sorted(set(os.listdir(folder)) - names)
            if others:
                raise Refused(f"folder '{folder}' has other files, such as "
                              f"'{others[0]}'", "choose a new folder")
        os.makedirs(self.part, exist_ok=True)
        self.descriptor = os.open(self.part, os.O_RDONLY)
        try:
            lock(self.descriptor, self.part)
        except Refused:
            os.close(self.descriptor)
            raise
        for name in os.listdir(self.part):
            os.unlink(os.path.join(self.part, name))

    def commit(self):
        parent, name = os.path.split(self.path)
        with tempfile.TemporaryDirectory(prefix=name + ".old-",
                                         dir=parent or ".") as old:
            if os.path.exists(self.path):
                os.rename(self.path, os.path.join(old, name))
            os.rename(self.part, self.path)
        os.close(self.descriptor)
        self.descriptor = None

    def discard(self):
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None
            shutil.rmtree(self.part, ignore_errors=True)
