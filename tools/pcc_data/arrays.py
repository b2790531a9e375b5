""".npy files of samples, as numpy.save writes them."""

import os

# Bytes of the header; numpy pads headers to a multiple of 64.
HEADER = 128


def header(samples, length):
    """Returns the header of an array [samples, length] of int32."""
    text = (f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({samples}, "
            f"{length}), }}")
    return (b"\x93NUMPY\x01\x00" + (HEADER - 10).to_bytes(2, "little") +
            text.ljust(HEADER - 11).encode() + b"\n")


class Arrays:
    """Arrays of one shape in a folder, written sample by sample."""

    def __init__(self, folder, names, length):
        self.folder, self.length, self.samples = folder, length, 0
        self.files = []
        for name in names:
            self.files.append(open(os.path.join(folder.part, name), "wb"))
            self.files[-1].write(header(0, length))

    def write(self, arrays, samples):
        """Appends samples; `arrays` are their bytes, one for each file."""
        for file, data in zip(self.files, arrays):
            file.write(data)
        self.samples += samples

    def finish(self):
        for file in self.files:
            file.seek(0)
            file.write(header(self.samples, self.length))
            file.flush()
            os.fsync(file.fileno())
            file.close()

    def commit(self):
        self.folder.commit()

    def discard(self):
        for file in self.files:
            file.close()
        self.folder.discard()
