"""TCP transfers round by round: many scenarios, or many random draws of one, in one numpy step per round trip.

A round is one round-trip time of one scenario: the window's packets pass the narrowest port, a queue builds up in front
of it, some packets are lost at random, and packets that find the queue full are lost too. The sender's reaction (slow
start, HyStart, recovery, growth) follows Linux (`tcp_input.c`, `tcp_output.c`, `tcp_cubic.c`, `tcp_bic.c`,
`tcp_htcp.c`, `tcp_bbr.c`) and RFC 5681, 6675, 6937, 8985 and 9438. No number is fitted to throughputs; two are of the
order seen on Linux 6.18: the jitter of a host, and the delay of ACKs of streams that are read in turn.

Left out: reordering, losses of ACKs, several bottlenecks, other traffic, ECN, and retransmission timeouts other than
the tail-loss probe; so it holds for losses of up to some percent. BBR is version 1, the one in Linux. Version 3
(draft-ietf-ccwg-bbr) differs for lost packets: it leaves start-up and lowers what it keeps in flight at a loss of more
than 2 % in a round trip, keeps half a product of rate and round trip in flight while it probes that (every 5 s), and
starts at 2.77 instead of 2.89 windows a round trip; without losses, the probes of version 1 bound its cost.
"""

from hecn_analysis.limits.tcp_rounds.run import Simulation
from hecn_analysis.limits.tcp_rounds.simulation import CONGESTION_CONTROLS, MAX_ROUNDS, MOST_LOSS, simulate

__all__ = ["CONGESTION_CONTROLS", "MAX_ROUNDS", "MOST_LOSS", "Simulation", "simulate"]
