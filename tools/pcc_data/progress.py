"""The progress bar: on terminals only."""

import os
import shutil
import sys
import time

from .messages import size_text


class Progress:
    """Shows the bytes that are done, of a total that is None for streams."""

    def __init__(self, is_quiet):
        self.total = None
        self.is_shown = (not is_quiet and sys.stderr.isatty() and
                         os.environ.get("TERM") != "dumb")
        self.color = not os.environ.get("NO_COLOR")
        self.done, self.drawn = 0, 0.0
        self.begin = time.monotonic()

    def add(self, count):
        self.done += count
        now = time.monotonic()
        if self.is_shown and now - self.drawn >= 0.1:
            self.drawn = now
            columns = shutil.get_terminal_size().columns
            sys.stderr.write("\r" + self.text(columns, now) + "\x1b[K")
            sys.stderr.flush()

    def text(self, columns, now):
        speed = self.done / max(now - self.begin, 1e-3)
        numbers = f" {size_text(self.done)}"
        if self.total:
            left = max(self.total - self.done, 0) / max(speed, 1)
            numbers += (f" of {size_text(self.total)}, "
                        f"{int(left) // 60}:{int(left) % 60:02} left")
        numbers += f", {size_text(speed)}/s"
        room = min(columns - 3 - len(numbers), 40)
        if not self.total or room < 5:
            return numbers[1:columns]
        filled = min(int(self.done / self.total * room), room)
        bar = "=" * filled
        if self.color and filled:
            bar = f"\x1b[32m{bar}\x1b[0m"
        return f"[{bar}{' ' * (room - filled)}]{numbers}"

    def hide(self):
        if self.is_shown and self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
