"""PNG with a palette: every filter is undone, few colours stay exact, and the drawing gets smaller."""

import struct
import zlib

import numpy as np
import pytest

from hecn_analysis.briefs import palette


def filtered(kind, row, above):
    """Apply a filter of the PNG specification to a row, pixel by pixel."""
    stored = np.zeros_like(row)
    for x, channel in np.ndindex(row.shape):
        left = int(row[x - 1, channel]) if x else 0
        corner = int(above[x - 1, channel]) if x else 0
        up = int(above[x, channel])
        guess = {0: 0, 1: left, 2: up, 3: (left + up) // 2}.get(kind)
        if guess is None:
            middle = left + up - corner
            guess = min((left, up, corner), key=lambda one: abs(one - middle))
        stored[x, channel] = (int(row[x, channel]) - guess) % 256
    return stored


def png(pixels, kind):
    height, width, channels = pixels.shape
    lines = b"".join(
        bytes([kind]) + filtered(kind, row, pixels[y - 1] if y else np.zeros_like(row)).tobytes()
        for y, row in enumerate(pixels)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    parts = {b"IHDR": header, b"tEXt": b"Software\0x", b"IDAT": zlib.compress(lines), b"IEND": b""}
    return palette.SIGNATURE + b"".join(palette._chunk(name, content) for name, content in parts.items())


def shown(encoded):
    """Pixels of a PNG with a palette."""
    chunks = dict(palette._chunks(encoded))
    width, height = struct.unpack_from(">II", chunks[b"IHDR"])
    colours = np.frombuffer(chunks[b"PLTE"], np.uint8).reshape(-1, 3)
    return colours[np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 1 + width)[:, 1:]]


@pytest.mark.parametrize("kind", range(5))
@pytest.mark.parametrize("channels", [3, 4])
def test_few_colours_are_kept_exactly_whatever_the_filter(kind, channels):
    pixels = np.random.default_rng(kind).integers(0, 256, (7, 9, channels), np.uint8)
    pixels[..., 3:] = 255
    assert np.array_equal(shown(palette.with_palette(png(pixels, kind))), pixels[..., :3])


def test_transparent_parts_become_white():
    pixels = np.zeros((2, 2, 4), np.uint8)
    assert (shown(palette.with_palette(png(pixels, 0))) == 255).all()


def test_of_many_colours_the_rare_ones_are_replaced_by_the_nearest():
    pixels = np.zeros((40, 40, 3), np.uint8)
    pixels[..., 0] = np.arange(40)[:, None] * 3
    pixels[..., 1] = np.arange(40)[None, :] * 3
    off = np.abs(shown(palette.with_palette(png(pixels, 4))).astype(int) - pixels)
    assert 0 < off.mean() < 45
