r"""Request-response tools: NFS, iSCSI, iRODS, copies by one thread, ssh channels, many small files.

The waits of a request add up: round trips, the service at the other end, the time of its data on the line and in the
store. Only more requests in flight hide them.

References
----------
.. [1] J. D. C. Little, "A proof for the queuing formula L = lambda W", Operations Research 9(3), 1961.
.. [2] OpenSSH, channels.h (``CHAN_SES_WINDOW_DEFAULT``: 64 packets of 32 KiB) and channels.c
   (``channel_check_window``); RFC 4254, section 5.2. sftp(1): 64 requests of 32 KiB at once (``-R``, ``-B``).
.. [3] RFC 7143, iSCSI: FirstBurstLength 65536, MaxBurstLength 262144, one R2T at a time unless negotiated otherwise.
"""

from typing import Final

import numpy as np

from hecn_analysis.limits._checks import (
    Bytes,
    Count,
    FloatArray,
    Number,
    Rate,
    Time,
    arrays,
    given,
    require_not_negative,
    require_positive,
    require_whole,
    warn_outside,
)

SSH_WINDOW: Final = 2_097_152
"""Window of an OpenSSH channel: the most that scp, sftp and rsync over ssh have in flight. [B]"""
OLD_SSH_WINDOWS: Final = (65_536, 131_072, 1_048_576, 1_280_000)
"""Windows of channels of Tera Term, of OpenSSH before 4.7, of JSch and of libssh, the smallest first. [B]"""
_LONGEST: Final = 10.0  # [s] a round trip or service above it is a mistake of units


def request_s(
    request: Bytes,
    round_trip: Time,
    service: Time = 0,
    *,
    round_trips: Number = 1,
    rate: Rate = np.inf,
    store_rate: Rate = np.inf,
) -> Number:
    r"""Return the time of one request, with nothing else in flight.

    .. math:: t = k\,T + S + \frac{8 R}{L} + \frac{8 R}{D}

    An established connection whose window holds a request. Waiting behind others' requests adds to S.

    Parameters
    ----------
    request
        Size R of a request, or of a file. [B]
    round_trip, service
        Round-trip time T, and service S at the other end apart from moving data: a seek, a permission, metadata. [s]
    round_trips
        Round trips k per request; for a small file including name, opening and closing. May be fractional.
    rate, store_rate
        Rate L of the line, and rate D of the store behind if reading and sending do not overlap. [bit/s]

    Returns
    -------
    float or array [s]

    Warns
    -----
    ValidityWarning
        A round trip or service of more than 10 s.

    Examples
    --------
    8 KiB of a NFS version 2 file over 30 ms: 16,384 of them, 128 MiB, take 492 s (500 s measured, FAST 2004).

    >>> 16384 * request_s(8192, 30e-3)
    491.52
    """
    request, trip, service, trips, rate, store = arrays(
        request=request,
        round_trip=round_trip,
        service=service,
        round_trips=round_trips,
        rate=rate,
        store_rate=store_rate,
    )
    require_positive(request=request, rate=rate, store_rate=store)
    require_not_negative(round_trip=trip, service=service, round_trips=trips)
    for name, value in (("round_trip", trip), ("service", service)):
        warn_outside(name, value, value > _LONGEST, "10 s or less", "is the value in ms?")
    return given(trips * trip + service + 8 * request / rate + 8 * request / store)


def request_bps(
    request: Bytes,
    round_trip: Time,
    service: Time = 0,
    *,
    outstanding: Count = 1,
    round_trips: Number = 1,
    rate: Rate = np.inf,
    store_rate: Rate = np.inf,
) -> Number:
    r"""Return the rate with a fixed number of requests in flight.

    .. math:: B = \min\left(\frac{8 N R}{t}, L, D\right)

    t of :func:`request_s`. An upper bound near the bend, where requests queue. Source: [1]_ of the module.

    Parameters
    ----------
    request, round_trip, service, round_trips, rate, store_rate
        R, T, S, k, L and D, as for :func:`request_s`. [B, s, s, 1, bit/s, bit/s]
    outstanding
        Requests in flight N: threads, slots, or read-ahead over the size of a request.

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    64 requests of 32 KiB over 100 ms, as sftp makes them (18 MB/s measured, github.com/pkg/sftp/issues/158):

    >>> request_bps(32768, 0.1, outstanding=64) / 8e6
    20.97
    """
    size, number, line, store = arrays(request=request, outstanding=outstanding, rate=rate, store_rate=store_rate)
    require_positive(outstanding=number)
    time = request_s(request, round_trip, service, round_trips=round_trips, rate=rate, store_rate=store_rate)
    flight = np.where(np.asarray(time) == 0, np.inf, 8 * number * size / np.where(np.asarray(time) == 0, 1.0, time))
    return given(np.minimum(np.minimum(flight, line), store))


def outstanding_to_fill(
    request: Bytes,
    round_trip: Time,
    service: Time = 0,
    *,
    round_trips: Number = 1,
    rate: Rate = np.inf,
    store_rate: Rate = np.inf,
) -> Number:
    r"""Return the number of requests in flight from which the line or the store is the limit.

    .. math:: N^* = \frac{t}{8 R} \min(L, D)

    t of :func:`request_s`; the asymptotes of operational analysis meet there. Source: [1]_ of the module.

    Parameters
    ----------
    request, round_trip, service, round_trips, rate, store_rate
        R, T, S, k, L and D, as for :func:`request_s`. [B, s, s, 1, bit/s, bit/s]

    Returns
    -------
    float or array
        The number, generally fractional; infinite where neither rate is known.

    Examples
    --------
    1 MiB requests over 80 ms fill 10 Gb/s with 96:

    >>> outstanding_to_fill(1048576, 80e-3, rate=10e9)
    96.37
    """
    time = request_s(request, round_trip, service, round_trips=round_trips, rate=rate, store_rate=store_rate)
    size, line, store = arrays(request=request, rate=rate, store_rate=store_rate)
    fill, rate_of_all = np.asarray(time) / (8 * size), np.minimum(line, store)
    with np.errstate(invalid="ignore"):  # where nothing is waited for and nothing is the limit
        return given(np.where(np.isinf(rate_of_all) & ~np.isnan(fill), np.inf, fill * rate_of_all))


def serial_bps(*rates: Rate) -> Number:
    r"""Return the rate of one thread that passes each block through several stages in turn.

    .. math:: B = \frac{1}{\sum_i 1 / r_i}

    Exact for stages that do not overlap; the kernel's read-ahead and write-behind overlap them and are faster.

    Parameters
    ----------
    *rates
        Rates r of the stages: read, encrypt, send, write. [bit/s]

    Returns
    -------
    float or array
        The rate; that of the slowest stage would need a thread each. [bit/s]

    Examples
    --------
    A copy that reads at 40 MB/s and writes at 20 MB/s:

    >>> serial_bps(8 * 40e6, 8 * 20e6) / 8e6
    13.33
    """
    total: FloatArray = np.asarray(0.0)
    for position, rate in enumerate(rates):
        (stage,) = arrays(**{f"rates[{position}]": rate})
        require_positive(**{f"rates[{position}]": stage})
        total = total + 1 / stage
    return given(1 / total)


def ssh_bps(round_trip: Time, window: Bytes = SSH_WINDOW) -> Number:
    r"""Return the rate that the window of an ssh channel allows.

    .. math:: B = \frac{8 W}{T}

    An upper bound beside TCP's own windows and the cipher's core. OpenSSH returns credit in pieces of 4 packets, 6 % of
    the window. Source: [2]_ of the module.

    Parameters
    ----------
    round_trip, window
        Round-trip time T [s]; window W of the channel: 2 MiB in OpenSSH; HPN-SSH follows the TCP receive window [B].

    Returns
    -------
    float or array [bit/s]

    Examples
    --------
    >>> ssh_bps(80e-3) / 1e6
    209.7
    """
    return request_bps(window, round_trip)


def iscsi_write_round_trips(request: Bytes, first_burst: Bytes = 65_536, max_burst: Bytes = 262_144) -> Number:
    r"""Return the round trips of an iSCSI write.

    .. math:: k = 1 + \left\lceil \frac{\max(R - F, 0)}{M} \right\rceil

    MaxOutstandingR2T 1, the default: one burst at a time is requested. Source: [3]_ of the module.

    Parameters
    ----------
    request, max_burst
        Size R of a write, and data M that the target asks for at once. [B]
    first_burst
        Data F sent with the command, without a request of the target; 0 with InitialR2T=Yes and ImmediateData=No. [B]

    Returns
    -------
    float or array
        Round trips; a read has one.

    Examples
    --------
    >>> [iscsi_write_round_trips(size) for size in (65536, 262144, 1048576)]
    [1.0, 2.0, 5.0]
    """
    size, first, most = arrays(request=request, first_burst=first_burst, max_burst=max_burst)
    require_positive(request=size, max_burst=most)
    require_not_negative(first_burst=first)
    return given(1 + np.ceil(np.maximum(size - first, 0) / most))


def requests(
    request: Bytes,
    *,
    round_trip: Time,
    service: Time = 0,
    outstanding: Count = 1,
    round_trips: Count = 1,
    rate: Rate | None = None,
    store_rate: Rate | None = None,
    bytes: Bytes | None = None,  # noqa: A002 named like the option
) -> dict[str, Number]:
    """Return the rate of a tool that requests data piece by piece, or copies many files.

    Parameters
    ----------
    request
        Size of a request: rsize or wsize of NFS, a block, a whole file where files are small, or the window of an ssh
        channel (2 MiB). [B]
    round_trip
        Round-trip time. [s]
    service
        Time of a request at the other end, apart from moving the data. [s]
    outstanding
        Requests in flight: threads, slots, or read-ahead divided by the size of a request.
    round_trips
        Round trips per request; a small file needs some for its name, opening and closing.
    rate
        Rate of the line. [bit/s]
    store_rate
        Rate of the store behind, where reading the store and sending do not overlap. [bit/s]
    bytes
        Amount to transfer, all requests or files together. [B]

    Returns
    -------
    dict
        ``throughput_bps`` [bit/s], ``requests_per_s`` [1/s], ``outstanding_to_fill`` (requests in flight from which
        the line or store is the limit), and ``time_s`` of the amount [s], NaN without one.

    Examples
    --------
    10,000 files of 100 KiB over 80 ms, three round trips each, 32 at once:

    >>> 10_000 / requests(102400, round_trip=80e-3, round_trips=3, outstanding=32)["requests_per_s"]
    75.0
    """
    require_whole(1, outstanding=arrays(outstanding=outstanding)[0])
    line = np.inf if rate is None else rate
    store = np.inf if store_rate is None else store_rate
    through = request_bps(
        request,
        round_trip,
        service,
        outstanding=outstanding,
        round_trips=round_trips,
        rate=line,
        store_rate=store,
    )
    fill = outstanding_to_fill(request, round_trip, service, round_trips=round_trips, rate=line, store_rate=store)
    per_second = given(through / (8 * arrays(request=request)[0]))
    if bytes is not None:
        require_positive(bytes=arrays(bytes=bytes)[0])
    amount = np.asarray(np.nan) if bytes is None else arrays(bytes=bytes)[0]
    time = given(8 * amount / np.asarray(through))
    return {"throughput_bps": through, "requests_per_s": per_second, "outstanding_to_fill": fill, "time_s": time}
