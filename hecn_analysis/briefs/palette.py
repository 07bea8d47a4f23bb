"""Drawings as PNG with a palette: a quarter of the size of what Chromium writes, since a drawing has few colours."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import KDTree

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
COLOURS: Final = 256
CHANNELS: Final = {2: 3, 6: 4}  # of a pixel, by colour type: RGB, RGBA
_SUB, _UP, _AVERAGE, _PAETH = 1, 2, 3, 4

Bytes = NDArray[np.uint8]


def with_palette(png: bytes) -> bytes:
    """Write a PNG of 8 bits per channel with a palette of its most frequent colours; transparency becomes white."""
    pixels = _decoded(png)
    height, width, channels = pixels.shape
    flat = pixels.reshape(-1, channels).astype(np.int32)
    if channels == CHANNELS[6]:
        alpha = flat[:, 3:]
        flat = (flat[:, :3] * alpha + 255 * (255 - alpha) + 127) // 255
    colours, which, counts = np.unique(flat, axis=0, return_inverse=True, return_counts=True)
    kept = colours[np.argsort(-counts, kind="stable")[:COLOURS]]
    nearest = KDTree(kept).query(colours)[1]
    indices = nearest[which.ravel()].astype(np.uint8).reshape(height, width)
    rows = np.hstack([np.zeros((height, 1), np.uint8), indices]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = {b"IHDR": header, b"PLTE": kept.astype(np.uint8).tobytes(), b"IDAT": zlib.compress(rows, 9), b"IEND": b""}
    return SIGNATURE + b"".join(map(_chunk, parts, parts.values()))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Kind and content of each chunk."""
    place = len(SIGNATURE)
    while place < len(png):
        (length,) = struct.unpack_from(">I", png, place)
        yield png[place + 4 : place + 8], png[place + 8 : place + 8 + length]
        place += length + 12


def _decoded(png: bytes) -> Bytes:
    """Pixels of a PNG, by row, column and channel."""
    chunks = list(_chunks(png))
    width, height, _, colour_type = struct.unpack_from(">IIBB", chunks[0][1])
    channels = CHANNELS[colour_type]
    stored = zlib.decompress(b"".join(content for kind, content in chunks if kind == b"IDAT"))
    lines = np.frombuffer(stored, np.uint8).reshape(height, 1 + width * channels)
    rows = np.zeros((height + 1, width, channels), np.uint8)
    for number, line in enumerate(lines):
        rows[number + 1] = _row(int(line[0]), line[1:].reshape(width, channels), rows[number])
    return rows[1:]


def _row(kind: int, stored: Bytes, above: Bytes) -> Bytes:
    """Undo the filter of a row, see the PNG specification (W3C, third edition), 9.2."""
    if kind == _SUB:
        return np.cumsum(stored, axis=0, dtype=np.uint8)
    if kind == _UP:
        return stored + above
    if kind not in {_AVERAGE, _PAETH}:
        return stored
    columns = [_column(kind, *map(np.ndarray.tolist, (one, over))) for one, over in zip(stored.T, above.T, strict=True)]
    return np.array(columns, np.uint8).T


def _column(kind: int, stored: list[int], above: list[int]) -> list[int]:
    """Undo the filter of one channel of a row, which depends on the pixel before."""
    values: list[int] = []
    left = corner = 0
    for value, up in zip(stored, above, strict=True):
        guess = (left + up) // 2 if kind == _AVERAGE else _paeth(left, up, corner)
        left, corner = (value + guess) & 255, up
        values.append(left)
    return values


def _paeth(left: int, up: int, corner: int) -> int:
    """The neighbour that is nearest to left + up - corner."""
    nearness: Any = ((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))
    return int(min(nearness)[2])
