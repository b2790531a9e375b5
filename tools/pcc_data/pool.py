"""Processes; results in the order of the work."""

import collections
import concurrent.futures
import ctypes
import multiprocessing
import os
import signal

from .messages import Refused

_function = None


def available():
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _begin(parent):
    # A killed parent takes its workers with it; Ctrl-C is the parent's.
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _call(item):
    return _function(item)


def ordered(function, items, processes):
    """Returns function(item) of each item, in order, computed by processes that
    are forked here. At most three items per process are under way."""
    global _function
    if processes == 1:
        yield from map(function, items)
        return
    _function = function
    pool = concurrent.futures.ProcessPoolExecutor(
        processes, multiprocessing.get_context("fork"), _begin, (os.getpid(),))
    waiting = collections.deque()
    try:
        for item in items:
            waiting.append(pool.submit(_call, item))
            if len(waiting) >= 3 * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except concurrent.futures.process.BrokenProcessPool:
        raise Refused(
            "a process ended before its result was there",
            "it was killed, perhaps for lack of memory: --processes N with a "
            "smaller N needs less") from None
    finally:
        pool.shutdown(cancel_futures=True)
