"""PNG with a palette: few colours stay exact, many become near ones, and the file gets smaller."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from upkeep.palette import with_palette


def png(pixels):
    written = BytesIO()
    Image.fromarray(pixels).save(written, "png")
    return written.getvalue()


def shown(encoded):
    """Pixels of a PNG with a palette."""
    with Image.open(BytesIO(encoded)) as drawing:
        assert drawing.mode == "P"
        return np.asarray(drawing.convert("RGB"))


@pytest.mark.parametrize("channels", [3, 4])
def test_few_colours_are_kept_exactly(channels):
    pixels = np.random.default_rng(channels).integers(0, 256, (7, 9, channels), np.uint8)
    pixels[..., 3:] = 255
    assert np.array_equal(shown(with_palette(png(pixels))), pixels[..., :3])


def test_transparent_parts_become_white():
    assert (shown(with_palette(png(np.zeros((2, 2, 4), np.uint8)))) == 255).all()


def test_of_many_colours_near_ones_are_kept():
    pixels = np.zeros((160, 160, 3), np.uint8)
    pixels[..., 0] = np.arange(160)[:, None]
    pixels[..., 1] = np.arange(160)[None, :]
    off = np.abs(shown(with_palette(png(pixels))).astype(int) - pixels)
    assert 0 < off.max() <= 16


def test_a_drawing_of_many_soft_colours_gets_smaller():
    pixels = np.full((200, 300, 3), 250, np.uint8)
    pixels[60:140] = np.random.default_rng(1).integers(0, 256, (80, 300, 3))
    assert len(with_palette(png(pixels))) < 0.6 * len(png(pixels))
