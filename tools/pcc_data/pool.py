"""Processes; results in the order of the work."""

import ctypes
import multiprocessing
import os
import signal

from .messages import Refused


def available():
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _work(function, connection, others, parent):
    """A process: sends the result, or the exception, of each item."""
    for other in others:
        other.close()
    # A killed parent takes its workers with it; Ctrl-C is the parent's.
    PR_SET_PDEATHSIG = 1
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    while True:
        item = connection.recv()
        try:
            result = function(item), None
        except Exception as error:  # pylint: disable=broad-except
            result = None, error
        connection.send(result)


class _Worker:
    """A forked process, which has at most one item. So neither side waits to
    send while the other does."""

    def __init__(self, context, function, earlier):
        self.connection, theirs = context.Pipe()
        others = [worker.connection for worker in earlier] + [self.connection]
        self.process = context.Process(
            target=_work, args=(function, theirs, others, os.getpid()),
            daemon=True)
        self.process.start()
        theirs.close()

    def send(self, item):
        self.connection.send(item)

    def result(self):
        result, error = self.connection.recv()
        if error:
            raise error
        return result

    def end(self):
        self.process.kill()
        self.process.join()
        self.connection.close()


def ordered(function, items, processes):
    """Returns function(item) of each item, in order, computed by processes that
    are forked here; each takes the items of its turn."""
    if processes == 1:
        yield from map(function, items)
        return
    context = multiprocessing.get_context("fork")
    workers, sent, received = [], 0, 0
    try:
        for item in items:
            if sent < processes:
                workers.append(_Worker(context, function, workers))
                workers[-1].send(item)
            else:
                worker = workers[sent % processes]
                result = worker.result()
                worker.send(item)
                received += 1
                yield result
            sent += 1
        for number in range(received, sent):
            yield workers[number % processes].result()
    except (EOFError, ConnectionError):
        raise Refused(
            "a process ended before its result was there",
            "it was killed, perhaps for lack of memory: --processes N with a "
            "smaller N needs less") from None
    finally:
        for worker in workers:
            worker.end()
