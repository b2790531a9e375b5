"""exported.py CHECKPOINT MODEL SOURCE: the weights of the toy's MODEL equal the
checkpoint's, and not the source's."""

import struct
import sys

import numpy

HEADER, V, D = 64, 101, 16

with open(sys.argv[1], "rb") as file:
    length, = struct.unpack("<Q", file.read(8))
    file.read(length)
    weights = numpy.frombuffer(file.read(), numpy.float32)
model, source = (numpy.fromfile(path, numpy.float32, offset=HEADER)
                 for path in sys.argv[2:])
table = weights[:V * D].reshape(V, D)
assert (model == numpy.concatenate([weights, table.T.ravel()])).all()
assert len(model) == len(source) and (model != source).mean() > 0.9
