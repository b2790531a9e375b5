"""TensorBoard's files: records with checksums; each contains an Event."""

import os
import struct
import sys

sys.path.append(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../Inputs"))
from wire import fields, get_all


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


assert crc32c(b"123456789") == 0xe3069283  # the published check value


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff


def values(message):
    """The last value of each field of a message, by number."""
    return {number: value for number, _, value in fields(message)}


def events(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        length, crc = struct.unpack_from("<QI", data, at)
        assert crc == masked(data[at:at + 8])
        event = data[at + 12:at + 12 + length]
        assert struct.unpack_from("<I", data, at + 12 + length)[0] == \
            masked(event)
        at += 16 + length
        yield values(event)


def scalars(path):
    found = {}
    for event in events(path):
        for entry in map(values, get_all(event.get(5, b""), 1)):
            found[entry[1].decode(), event[2]] = \
                struct.unpack("<f", entry[2])[0]
    return found
