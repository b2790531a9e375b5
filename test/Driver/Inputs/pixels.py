"""Writes four pictures and their labels to a folder; the last one holds an
infinite pixel."""

import sys

import numpy

pixels = numpy.linspace(-1, 1, 4 * 3 * 16 * 16, dtype=numpy.float32)
pixels = pixels.reshape(4, 3, 16, 16)
pixels[3, 1, 2, 5] = numpy.inf
numpy.save(f"{sys.argv[1]}/pixel_values.npy", pixels)
numpy.save(f"{sys.argv[1]}/labels.npy", numpy.arange(4))
