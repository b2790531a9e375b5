"""The protobuf wire format, without protobuf.

A message is a list of (field number, wire type, value). Values are bytes for
messages, strings and bytes, and integers for varints.
"""
import struct


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, wire type, value) of each field of a message."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = _varint(data, at)
            value = data[at:at + size]
            at += size
        yield tag >> 3, kind, value


def get(data, number, otherwise=None):
    """The last value of a field."""
    for field, _, value in fields(data):
        if field == number:
            otherwise = value
    return otherwise


def get_all(data, number):
    return [value for field, _, value in fields(data) if field == number]


def signed(value):
    """An int64 from the varint that holds it."""
    return value - (1 << 64) if value >= 1 << 63 else value


def put(number, value):
    """A field with bytes, a text or an integer."""
    def varint(n):
        out = bytearray()
        while n >= 0x80:
            out.append(n & 0x7F | 0x80)
            n >>= 7
        out.append(n)
        return bytes(out)

    if isinstance(value, int):
        return varint(number << 3) + varint(value & (1 << 64) - 1)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def packed(data, number, code):
    """The numbers of a repeated field, packed or not."""
    out = []
    for field, kind, value in fields(data):
        if field != number:
            continue
        if code == "varint":
            at = 0
            while kind == 2 and at < len(value):
                one, at = _varint(value, at)
                out.append(signed(one))
            if kind == 0:
                out.append(signed(value))
        else:
            out += [n for n, in struct.iter_unpack("<" + code, value)]
    return out
