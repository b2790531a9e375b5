"""Writes four pictures and their labels to a folder; one pixel of the last is
the given number."""

import sys

import numpy

pixels = numpy.linspace(-1, 1, 4 * 3 * 16 * 16, dtype=numpy.float32)
pixels = pixels.reshape(4, 3, 16, 16)
pixels[3, 1, 2, 5] = float(sys.argv[2])
numpy.save(f"{sys.argv[1]}/pixel_values.npy", pixels)
numpy.save(f"{sys.argv[1]}/labels.npy", numpy.arange(4))
