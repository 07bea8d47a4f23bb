"""The commands that separate causes (``models/questions.yaml``), their signs, and what may run by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from hecn_analysis.base import places
from hecn_analysis.diagnosis.known import words
from hecn_analysis.hardware import yaml_file

_Text = Annotated[str, Field(min_length=1)]
End = Literal["sender", "receiver"]


class Step(BaseModel):
    """A program that `hecn measure --settle` runs by itself, with ``{destination}`` and ``{interface}`` filled in.

    ``file`` is the stem of the file for its output, which the end follows. It runs ``times`` times, two seconds apart,
    at most ``limit_s`` each [s].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    argv: Annotated[tuple[_Text, ...], Field(min_length=1)]
    ends: Annotated[tuple[End, ...], Field(min_length=1)]
    file: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")]
    times: Annotated[int, Field(ge=1, le=10)] = 1
    limit_s: Annotated[float, Field(gt=0)] = 40.0


class Entry(BaseModel):
    """A command of ``models/questions.yaml``, and the signs that its output shows.

    ``both_hosts``: the output of one host leaves the other open. ``run`` are programs that show it automatically,
    ``load``: with a transfer beside them. ``local``: it applies to tests of disks too.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    what: _Text
    command: _Text
    signs: Annotated[list[_Text], Field(min_length=1)]
    both_hosts: bool = False
    run: tuple[Step, ...] = ()
    load: bool = False
    local: bool = False

    @property
    def steps(self) -> list[tuple[Step, End]]:
        """The programs, each with its end."""
        return [(step, end) for step in self.run for end in step.ends]


@cache
def entries() -> Mapping[str, Entry]:
    """Load ``models/questions.yaml``."""
    return yaml_file.entries(Entry, places.models_dir() / "questions.yaml")


def shown_by() -> dict[str, list[str]]:
    """For each sign, the commands that show it, with general words for hosts and ports."""
    filled = words(None)
    commands: dict[str, list[str]] = {}
    for entry in entries().values():
        for sign in entry.signs:
            commands.setdefault(sign, []).append(entry.command.format(**filled))
    return commands
