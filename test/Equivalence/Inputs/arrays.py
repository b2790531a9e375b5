"""arrays.py TOKENS SEQ FOLDER: a file of uint16 tokens as arrays by name, each
sample's labels being its tokens and the one after them, without the first."""

import os
import sys

import numpy

tokens = numpy.fromfile(sys.argv[1], numpy.uint16)
if tokens[:2].view(numpy.int32)[0] == 20240520:
    tokens = tokens[512:]
seq = int(sys.argv[2])
samples = (len(tokens) - 1) // seq
os.makedirs(sys.argv[3])
for name, start in ("input_ids", 0), ("labels", 1):
    numpy.save(f"{sys.argv[3]}/{name}.npy",
               tokens[start:start + samples * seq].reshape(samples, seq))
