"""Processor time of timed copies: what ``time`` prints below a command that copies, packs or sends files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hecn_analysis.files.documents import Document
from hecn_analysis.parsing.timings import Timings
from hecn_analysis.statements.statement import Statement, end_of

_COPIES: Final = re.compile(
    r"g?cp|mv|(?:bsd)?tar|rsync|scp|sftp|dd|cat|cpio|pax|curl|wget|rclone|gzip|pigz|zstd|globus-url-copy|bbcp|xrdcp|s3cmd|aws"
)

#: A shorter command says little. [s]
_LEAST_S: Final = 2.0


def find(document: Document) -> Iterator[Statement]:
    """Find the cores that timed copies take."""
    if "real" not in document.text and "elapsed" not in document.text and "% cpu" not in document.text:
        return
    timings = Timings()
    for number, text in enumerate(document.lines, 1):
        timing = timings.feed(number, text)
        if timing is not None and timing.real_s >= _LEAST_S and _COPIES.fullmatch(timing.program) is not None:
            spent = f"{timing.real_s:.4g} s, of which {timing.processor_s:.3g} s on processors"
            says = f"{' '.join(timing.words)[:120]}: {spent}"
            cores = timing.processor_s / timing.real_s
            yield Statement("cpu.timed", cores, document.source_file, timing.last, says, end_of(document.source_file))
