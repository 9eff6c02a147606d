# SPDX-License-Identifier: MIT
"""What the reader of recordings takes from others, and numbers out of bytes and bits.

Checks and packing are those of libxxhash and libzstd, which the library needs as well.
"""

import ctypes
import ctypes.util

UNPACKED_MAX = 1 << 24  # what is larger is not unpacked here


class Wrong(Exception):
    """A rule is broken."""


# ---- what others do ----

xxhash = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
xxhash.XXH32.restype = ctypes.c_uint32
xxhash.XXH32.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32]
xxhash.XXH3_64bits_withSeed.restype = ctypes.c_uint64
xxhash.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64]

zstd = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
zstd.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
zstd.ZSTD_getFrameContentSize.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


def xxh32(data, seed):
    return xxhash.XXH32(bytes(data), len(data), seed & 0xFFFFFFFF)


def xxh3(data, seed=0):
    return xxhash.XXH3_64bits_withSeed(bytes(data), len(data), seed)


def packed_size(frame):
    return zstd.ZSTD_getFrameContentSize(bytes(frame), len(frame))


def unpack(packing, data, size):
    """What a packing byte and what follows it stand for; None when it is not `size` bytes, or more
    than this reader has room for."""
    if size > UNPACKED_MAX:
        return None
    if packing == 0:
        return bytes(data) if len(data) == size else None
    if packed_size(data) != size:
        return None
    out = ctypes.create_string_buffer(size or 1)
    return out.raw[:size] if zstd.ZSTD_decompress(out, size, bytes(data), len(data)) == size else None


# ---- bytes and bits ----


class Bytes:
    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Wrong("bytes are missing")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, count):
        return int.from_bytes(self.take(count), "little")

    def varint(self):
        value = 0
        for i in range(10):
            byte = self.number(1)
            value |= (byte & 127) << 7 * i
            if byte < 128:
                if value >> 64:
                    raise Wrong("a varint has more than 64 bits")
                return value
        raise Wrong("a varint has more than 10 bytes")

    def text(self, most):
        text = self.take(self.number(1))
        if len(text) > most or any(not 0x20 <= byte <= 0x7E for byte in text):
            raise Wrong("a text is none")
        return text.decode("ascii")

    def rest(self):
        return self.take(len(self.data) - self.at)


class Bits:
    def __init__(self, data):
        self.number = int.from_bytes(data, "little")
        self.left = 8 * len(data)

    def take(self, count):
        if count > self.left:
            raise Wrong("bits are missing")
        value = self.number & (1 << count) - 1
        self.number >>= count
        self.left -= count
        return value

    def end(self):
        if self.left >= 8 or self.number:
            raise Wrong("bits are left over")
