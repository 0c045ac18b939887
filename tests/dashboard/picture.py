# SPDX-License-Identifier: MIT
"""Pixels of a PNG as Chromium writes it: 8 bits a channel, not interlaced."""
import struct
import zlib


def chunks(data):
    at = 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, data[at + 8 : at + 8 + length]
        at += 12 + length


def nearest(left, up, corner):
    guess = left + up - corner
    return min((left, up, corner), key=lambda value: abs(guess - value))


class Picture:
    def __init__(self, data):
        parts = list(chunks(data))
        self.width, self.height, depth, colours = struct.unpack(">IIBB", parts[0][1][:10])
        self.channels = {2: 3, 6: 4}[colours]
        assert depth == 8
        packed = zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT"))
        stride = self.width * self.channels
        self.rows = []
        before = bytes(stride)
        for y in range(self.height):
            start = y * (stride + 1)
            before = self.unfiltered(packed[start], packed[start + 1 : start + 1 + stride], before)
            self.rows.append(before)

    def unfiltered(self, kind, line, before):
        row = bytearray(line)
        step = self.channels
        for i in range(len(row)):
            left = row[i - step] if i >= step else 0
            up, corner = before[i], before[i - step] if i >= step else 0
            row[i] = (row[i] + (0, left, up, (left + up) // 2, nearest(left, up, corner))[kind]) & 255
        return bytes(row)

    def pixel(self, x, y):
        return tuple(self.rows[y][x * self.channels : x * self.channels + 3])

    def columns_unlike_ground(self, y, ground=(255, 255, 255)):
        return [x for x in range(self.width) if self.pixel(x, y) != ground]
