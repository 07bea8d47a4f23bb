"""Drawings as PNG with a palette: a quarter of the size of what Chromium writes, since a drawing has few colours."""

from __future__ import annotations

from io import BytesIO

from PIL import Image, PngImagePlugin


def with_palette(png: bytes) -> bytes:
    """Write a PNG with a palette of at most 256 colours; transparency becomes white."""
    with PngImagePlugin.PngImageFile(BytesIO(png)) as drawing:
        coloured = drawing.convert("RGBA")
    opaque = Image.alpha_composite(Image.new("RGBA", coloured.size, "white"), coloured).convert("RGB")
    written = BytesIO()
    opaque.quantize(256, dither=Image.Dither.NONE).save(written, "png", optimize=True)
    return written.getvalue()
