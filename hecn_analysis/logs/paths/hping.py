"""Statistics of hping: round-trip times and losses of TCP, UDP or ICMP packets.

Versions: hping2 and hping3. One run for each "--- … hping statistic ---", wherever the replies stand: the program
prints them to another channel, so that a file may have them first or last.

Units and traps
---------------
- A refused port answers, too: with RST, which is a reply as any other.
- With no reply the times are 0.0: they are missing. "tramitted" is a misprint of old versions.
- The command line tells the protocol; without one it is TCP, as the program has it by default.
- In flood mode (``--flood``) no reply is counted: all packets appear as lost, and the loss is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, Final

from hecn_analysis.logs.blocks import BlockReader, Columns, Figures

_PROTOCOLS: Final = {"-1": "icmp", "--icmp": "icmp", "-2": "udp", "--udp": "udp"}


class Hping(BlockReader):
    """Reader of hping."""

    TOOLS: tuple[str, ...] = ("hping3", "hping2", "hping")
    VERSIONS: str = "hping2, hping3"
    HINTS: tuple[str, ...] = ("hping statistic", "packets transmitted", "packets tramitted", "round-trip min/avg/max")
    BEGINS: ClassVar[re.Pattern[str]] = re.compile(r"^\s{0,8}--- (?P<host>\S{1,200}) hping statistic ---$")
    FIGURES: ClassVar[tuple[tuple[str, re.Pattern[str]], ...]] = (
        (
            "mitted, ",
            re.compile(
                r"^\s{0,8}(?P<sent>\d{1,12}) packets tra(?:ns)?mitted, (?P<received>\d{1,12}) packets received,"
            ),
        ),
        (
            "round-trip",
            re.compile(
                r"^\s{0,8}round-trip min/avg/max = (?P<least>\d{1,9}\.\d)/(?P<mean>\d{1,9}\.\d)/"
                r"(?P<most>\d{1,9}\.\d) ms$"
            ),
        ),
    )
    LAST: ClassVar[tuple[str, str]] = ("most", "'round-trip min/avg/max = … ms'")

    def runs(self, figures: Figures) -> Iterator[tuple[Columns, float]]:
        """Make the run."""
        command = self._findings.command
        is_own = command.program in self.TOOLS
        options = [option for option in command.arguments if option in _PROTOCOLS] if is_own else []
        columns: Columns = {"tool": "hping3", "protocol": _PROTOCOLS[options[0]] if options else "tcp"}
        if "sent" in figures and not (is_own and "--flood" in command.arguments):
            sent, received = int(figures["sent"]), int(figures["received"])
            lost = max(sent - received, 0)
            columns |= {"sent_packets": sent, "lost_packets": lost, "loss_fraction": lost / sent if sent else None}
        if int(figures.get("received", 0)):
            names = (("rtt_min_s", "least"), ("rtt_avg_s", "mean"), ("rtt_max_s", "most"))
            columns |= {column: 1e-3 * float(figures[name]) for column, name in names}
        yield columns, 0.01
