"""Polling of many SNMP agents at once: each round yields readings of their interface counters.

Versions 1, 2c and 3 (RFC 1157, 3416, 3414), with requests for many rows at once (GetBulk) if the version has them. The
poll requests octets, packets, errors and discards of IF-MIB (RFC 2863), as 64-bit counters if the agent has them;
`hecn_analysis.counters.snmp.objects` turns answers into readings, as it does for recorded walks.

An agent may be broken or hostile. Each must answer by a deadline, only answers from the polled address count, values of
a wrong type are dropped, and a fault affects its own agent only: the readings of the others are kept.

Secrets come from a file or the environment, never from the command line, and are never shown.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import pandas as pd
from pysnmp.error import PySnmpError
from pysnmp.hlapi.v3arch import asyncio as snmp

from hecn_analysis.archive.store import Archive
from hecn_analysis.base import tables
from hecn_analysis.base.errors import InputError, did_you_mean
from hecn_analysis.counters import timed_table
from hecn_analysis.counters.contract import CounterFindings
from hecn_analysis.counters.snmp.objects import NUMBERS, OBJECTS, Readings, Value
from hecn_analysis.hardware import yaml_file

#: Columns of each request; the octets share one, since rates need readings of the same moment.
_COLUMNS: Final = (
    ("ifHCInOctets", "ifHCOutOctets", "ifInOctets", "ifOutOctets", "ifName", "ifDescr"),
    ("ifHighSpeed", "ifSpeed", "ifOperStatus", "ifMtu", "ifType", "ifAlias"),
    ("ifHCInUcastPkts", "ifHCOutUcastPkts", "ifInUcastPkts", "ifOutUcastPkts", "ifInErrors", "ifOutErrors"),
    ("ifHCInMulticastPkts", "ifHCInBroadcastPkts", "ifHCOutMulticastPkts", "ifHCOutBroadcastPkts"),
    ("ifInDiscards", "ifOutDiscards", "ifCounterDiscontinuityTime", "ifInNUcastPkts", "ifOutNUcastPkts"),
)
_ROWS: Final = 16
_WHOLE: Final = (snmp.Integer32, snmp.Unsigned32, snmp.Gauge32, snmp.Counter32, snmp.Counter64, snmp.TimeTicks)
_NOTHING: Final = (snmp.EndOfMibView, snmp.NoSuchObject, snmp.NoSuchInstance, snmp.Null)
_AT_ONCE: Final = 64
_SOCKETS: Final = 256  # at most; a process may have 1024 files open
_SLOW_S: Final = 0.5  # for one answer
_LONG_S: Final = 5.0  # for all answers of an agent
_SPARE_TRIES: Final = 5  # of version 3, to learn the engine and its clock
_LONGEST_TEXT: Final = 255  # octets of DisplayString and SnmpAdminString (RFC 2579, 3411)
_TEXTS: Final = frozenset({"ifDescr", "ifName", "ifAlias", "sysName"})
_TICKS: Final = frozenset({"sysUpTime", "ifCounterDiscontinuityTime"})
DEADLINE_S: Final = 30.0
"""Default time limit of a round. [s]"""

MOST_ROWS = 100_000  # of a column; an agent with more invents them

_AUTHENTICATION: Final[Mapping[str, Any]] = {
    "md5": snmp.USM_AUTH_HMAC96_MD5,
    "sha": snmp.USM_AUTH_HMAC96_SHA,
    "sha224": snmp.USM_AUTH_HMAC128_SHA224,
    "sha256": snmp.USM_AUTH_HMAC192_SHA256,
    "sha384": snmp.USM_AUTH_HMAC256_SHA384,
    "sha512": snmp.USM_AUTH_HMAC384_SHA512,
}
_PRIVACY: Final[Mapping[str, Any]] = {
    "des": snmp.USM_PRIV_CBC56_DES,
    "3des": snmp.USM_PRIV_CBC168_3DES,
    "aes": snmp.USM_PRIV_CFB128_AES,
    "aes192": snmp.USM_PRIV_CFB192_AES,
    "aes256": snmp.USM_PRIV_CFB256_AES,
}
_FIELDS: Final = ("version", "community", "user", "authentication", "authentication_key", "privacy", "privacy_key")


@dataclass(frozen=True)
class Credentials:
    """SNMP version and credentials of an agent; the representation omits secrets."""

    version: Literal["1", "2c", "3"] = "2c"  # ``1``, ``2c`` or ``3``
    community: str = field(default="public", repr=False)  # for versions 1 and 2c
    # for version 3; `authentication`: md5, sha, sha224 to sha512; `privacy`: des, 3des, aes, aes192, aes256
    user: str = field(default="", repr=False)
    authentication: str = "sha"
    authentication_key: str = field(default="", repr=False)
    privacy: str = "aes"
    privacy_key: str = field(default="", repr=False)

    @classmethod
    def of(cls, values: Mapping[str, object], place: str) -> Credentials:
        """Credentials from named values; error messages name their `place` and never show them."""
        for name in values:
            if name not in _FIELDS:
                suggestion = did_you_mean(str(name), _FIELDS)
                described = f"key {name!r}" if suggestion else "an unknown key"
                raise InputError(described, f"one of {', '.join(_FIELDS)}", source=place, advice=suggestion)
        text = {name: str(value) for name, value in values.items()}
        for name, known in (
            ("version", ("1", "2c", "3")),
            ("authentication", tuple(_AUTHENTICATION)),
            ("privacy", tuple(_PRIVACY)),
        ):
            if text.get(name, known[0]) not in known:
                raise InputError(f"an unknown {name}", f"one of {', '.join(known)}", source=place)
        for name in ("community", "user", "authentication_key", "privacy_key"):
            if not isinstance(values.get(name, ""), str):
                raise InputError(f"{name} that is not text", f'text in quotes: {name}: "…"', source=place)
            least, most = (8, 255) if name.endswith("_key") else (1, 32) if name == "user" else (0, 255)
            if text.get(name) and not (least <= len(text[name]) <= most and max(text[name]) <= "\xff"):
                raise InputError(
                    f"{name} that SNMP does not allow", f"{least} to {most} characters of Latin-1", source=place
                )
        if text.get("version") == "3" and not text.get("user"):
            raise InputError("version 3 without a user", "the key 'user'", source=place)
        if text.get("privacy_key") and not text.get("authentication_key"):
            raise InputError("a privacy_key without an authentication_key", "both", source=place)
        return cls(**text)  # type: ignore[arg-type]

    def data(self) -> Any:  # noqa: ANN401 - what the library takes
        """The credentials as an object of pysnmp."""
        if self.version != "3":
            return snmp.CommunityData(self.community, mpModel=0 if self.version == "1" else 1)
        keys: dict[str, Any] = {}
        if self.authentication_key:
            keys |= {"authKey": self.authentication_key, "authProtocol": _AUTHENTICATION[self.authentication]}
        if self.privacy_key:
            keys |= {"privKey": self.privacy_key, "privProtocol": _PRIVACY[self.privacy]}
        return snmp.UsmUserData(self.user, **keys)  # noqa: S509 - as safe as the agent can


@dataclass(frozen=True)
class Agent:
    """An agent to poll: address, port, credentials."""

    host: str
    port: int = 161
    credentials: Credentials = Credentials()

    @property
    def name(self) -> str:
        """Address, with the port if it is not 161."""
        return self.host if self.port == 161 else f"{self.host}:{self.port}"


def agents(
    hosts: Iterable[str],
    *,
    credentials: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> list[Agent]:
    """Return agents for addresses ``HOST`` or ``HOST:PORT``, with credentials from a file or the environment.

    The YAML file has ``version``, ``community``, ``user``, ``authentication``, ``authentication_key``, ``privacy`` and
    ``privacy_key``; under ``hosts`` the same for single addresses. Only its owner may be able to read it. Without a
    file, ``HECN_SNMP_VERSION``, ``HECN_SNMP_COMMUNITY`` and so on count. InputError for an invalid address, a file that
    others can read, or an unknown key.
    """
    common: dict[str, object] = {
        name: environment[variable] for name in _FIELDS if (variable := f"HECN_SNMP_{name.upper()}") in environment
    }
    place = "the environment"
    per_host: Mapping[str, Any] = {}
    if credentials is not None:
        path = Path(credentials)
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise InputError("a credentials file that other users can read", "one that only you can read", source=path,
                             advice=f"run chmod 600 {path}")  # fmt: skip
        values = dict(yaml_file.load(path).values)
        per_host = values.pop("hosts", None) or {}
        common, place = values, str(path)
        if not isinstance(per_host, dict) or not all(
            isinstance(host_values, dict) for host_values in per_host.values()
        ):
            raise InputError("'hosts' that is not a mapping", "for each address a mapping of keys", source=path,
                             advice="hosts: {switch1: {community: …}}")  # fmt: skip
    agents_found = []
    for text in hosts:
        if "@" in text:  # as MRTG writes it, with the community in front
            raise InputError(f"agent '…@{text.rpartition('@')[2]}'", "an address alone",
                             advice="a community is read from --credentials or HECN_SNMP_COMMUNITY")  # fmt: skip
        host, _, port = text.partition(":") if text.count(":") == 1 else (text, "", "")
        if (
            not host
            or not text.isprintable()
            or " " in text
            or (port and not (port.isdecimal() and 0 < int(port) < 65536))
        ):
            raise InputError(f"agent {text!r}", "an address such as 'switch1' or '192.0.2.1:161'")
        host_values = per_host.get(text) or per_host.get(host) or {}
        agents_found.append(Agent(host, int(port or 161), Credentials.of({**common, **host_values}, place)))
    return agents_found


@dataclass(frozen=True)
class Round:
    """Result of one round of polling: a table of samples and a table of problems."""

    samples: pd.DataFrame
    problems: pd.DataFrame


def add_round(archive: Archive, polled: Round) -> None:
    """Add a round to an archive; the key has a digest, since the time of the first answer recurs if a clock is set."""
    first = polled.samples["time"].min()
    hosts = polled.samples["source_file"].unique()
    key = f"snmp-{first.value}-{hashlib.sha256(polled.samples.to_csv().encode()).hexdigest()[:16]}"
    archive.add(key, {"samples": polled.samples}, source=", ".join(hosts[:3]) + ("" if len(hosts) <= 3 else ", …"))


async def poll(
    asked: Sequence[Agent], *, timeout_s: float = 2.0, retries: int = 1, deadline_s: float = DEADLINE_S
) -> Round:
    """Read the counters of all interfaces of agents, many at once."""
    loop = asyncio.get_running_loop()
    handler = loop.get_exception_handler()
    loop.set_exception_handler(_no_answer)
    deadline = loop.time() + deadline_s
    engine = snmp.SnmpEngine()
    senders = _Senders(engine)
    gate = asyncio.Semaphore(_AT_ONCE)
    conversations = [
        _Conversation(engine, agent, timeout_s, retries, number=number, senders=senders, turn=_Turn(gate))
        for number, agent in enumerate(asked)
    ]
    try:
        results = await asyncio.gather(*(conversation.read(deadline, deadline_s) for conversation in conversations))
    finally:
        engine.close_dispatcher()
        await asyncio.sleep(0)  # the closed dispatcher refuses messages that are still pending
        loop.set_exception_handler(handler)
    rows = [row for result in results for row in result.samples]
    problems = [problem for result in results for problem in result.problems]
    return Round(timed_table("samples", rows), tables.make("problems", problems))


def _no_answer(_loop: asyncio.AbstractEventLoop, _fault: dict[str, Any]) -> None:
    """Ignore data that the library cannot parse as a message: it is no answer."""


class _Target(snmp.UdpTransportTarget):  # type: ignore[misc]
    """An agent's address, polled over a socket that few others use, so that no agent fills the buffer of all others."""

    @classmethod
    async def over(cls, number: int, address: tuple[str, int], **patience: float) -> _Target:
        """Target for the agent with this number in the round."""
        target: _Target = await cls.create(address, **patience)
        target.TRANSPORT_DOMAIN = (*cls.TRANSPORT_DOMAIN, number % _SOCKETS)
        return target


class _Senders:
    """Refuses answers from an address that was not polled, which the library would accept."""

    def __init__(self, engine: Any) -> None:  # noqa: ANN401
        self._asked: dict[int, tuple[str, int]] = {}
        self.others: dict[tuple[str, int], tuple[str, int]] = {}
        engine.observer.register_observer(self._sent, "rfc3412.sendPdu")
        engine.observer.register_observer(self._received, "rfc3412.receiveMessage:response")

    def _sent(self, _engine: Any, _point: str, variables: Mapping[str, Any], _context: object) -> None:  # noqa: ANN401
        self._asked[int(variables["pdu"][0])] = tuple(variables["transportAddress"][:2])

    def _received(self, _engine: Any, _point: str, variables: Mapping[str, Any], _context: object) -> None:  # noqa: ANN401
        sender = tuple(variables["transportAddress"][:2])
        asked = self._asked.pop(int(variables["pdu"][0]), sender)
        if sender != asked:
            self.others[asked] = sender
            raise PySnmpError("an answer from another address")


class _Turn:
    """A slot among the agents polled at the same time; a slow agent gives it up and continues without it."""

    def __init__(self, gate: asyncio.Semaphore) -> None:
        self._gate = gate
        self._held = False

    async def take(self) -> None:
        await self._gate.acquire()
        self._held = True
        asyncio.get_running_loop().call_later(_LONG_S, self.give_up)

    def give_up(self) -> None:
        if self._held:
            self._held = False
            self._gate.release()


class _Conversation:
    """One reading of one agent."""

    def __init__(
        self,
        engine: Any,  # noqa: ANN401
        agent: Agent,
        timeout_s: float,
        retries: int,
        *,
        number: int,
        senders: _Senders,
        turn: _Turn,
    ) -> None:
        self._engine = engine
        self._agent = agent
        self._patience = {"timeout": timeout_s, "retries": retries}
        self._longest_s = timeout_s * (1 + retries + _SPARE_TRIES)
        self._number = number
        self._senders = senders
        self._turn = turn
        self._wrong: dict[str, str] = {}
        self.findings = CounterFindings(f"snmp://{agent.name}")

    async def read(self, deadline: float, deadline_s: float) -> CounterFindings:
        """Request all columns until the deadline, and return the readings received."""
        readings = Readings(self.findings)
        try:
            async with asyncio.timeout_at(deadline) as limit:
                await self._turn.take()
                await self._ask(readings)
        except Exception as error:  # noqa: BLE001 - any error becomes a problem of this agent
            self._fault(
                f"an agent whose answers were incomplete after {deadline_s:g} s"
                if limit.expired()
                else " ".join(str(error).split()) or type(error).__name__
            )
        else:
            for message in self._wrong.values():
                self.findings.problem(None, "malformed", message)
        finally:
            self._turn.give_up()
        try:
            readings.finish()
            self.findings.finish()
        except Exception as error:  # noqa: BLE001 - as above
            self.findings.samples.clear()
            self._fault(f"answers that cannot be used ({type(error).__name__})")
        if not self.findings.samples and not self.findings.problems:
            self._fault("an agent without counters of interfaces")
        return self.findings

    async def _ask(self, readings: Readings) -> None:
        self._target = await _Target.over(self._number, (self._agent.host, self._agent.port), **self._patience)
        system_values = await self._get(f"{NUMBERS['sysName']}.0", f"{NUMBERS['sysUpTime']}.0")
        readings.time(time.time())
        for number, value in system_values:
            self._put(readings, number, value)
        for columns in _COLUMNS:
            await self._walk(columns, readings)

    def _fault(self, found: str) -> None:
        wrong = f", and values of a wrong type ({', '.join(self._wrong)})" if self._wrong else ""
        self.findings.problem(
            None,
            "unreadable",
            f"found {found}{wrong}, expected counters of interfaces; check the address, the credentials, and the "
            "agent's access list",
        )

    async def _get(self, *numbers: str) -> list[tuple[str, Any]]:
        objects = (snmp.ObjectType(snmp.ObjectIdentity(number)) for number in numbers)
        ask = self._engine, self._agent.credentials.data(), self._target, snmp.ContextData()
        return await self._bindings(snmp.get_cmd(*ask, *objects, lookupMib=False))

    async def _bindings(self, question: Awaitable[Any]) -> list[tuple[str, Any]]:
        """Names and values of an answer."""
        slow = asyncio.get_running_loop().call_later(_SLOW_S, self._turn.give_up)
        try:
            # The library may lose a request whose answer it cannot read.
            async with asyncio.timeout(self._longest_s):
                fault, status, _, bindings = await question
        except TimeoutError:
            other = self._senders.others.get(tuple(self._target.transport_address[:2]))
            sender = "an answer that cannot be read" if other is None else f"an answer from {other[0]}:{other[1]}"
            raise RuntimeError(sender) from None
        finally:
            slow.cancel()
        if fault:
            raise RuntimeError(f"no answer ({fault})" if "No SNMP response" in str(fault) else str(fault))
        if status and int(status) != 2:  # 2: noSuchName of version 1, the end of a column
            raise RuntimeError(f"the answer {status.prettyPrint()}")
        return [(str(name), value) for name, value in bindings]

    async def _walk(self, columns: Sequence[str], readings: Readings) -> None:
        """Request the next rows of the columns until all have ended."""
        current = {NUMBERS[column]: NUMBERS[column] for column in columns}
        rows = 0
        while current:
            prefixes, asked = list(current), dict(current)
            answer = await self._next(list(asked.values()))
            rows += max(1, len(answer) // len(asked))
            if rows > MOST_ROWS:
                raise RuntimeError(f"more than {MOST_ROWS} rows")
            for position, (number, value) in enumerate(answer):
                prefix = prefixes[position % len(prefixes)]
                if prefix not in current or isinstance(value, _NOTHING):
                    continue
                if not number.startswith(f"{prefix}."):  # the column has ended
                    current.pop(prefix)
                    continue
                if _order(number) <= _order(current[prefix]):
                    raise RuntimeError(f"rows out of order ({number} after {current[prefix]})")
                current[prefix] = number
                self._put(readings, number, value)
            current = {prefix: number for prefix, number in current.items() if number != asked[prefix]}

    async def _next(self, numbers: Sequence[str]) -> list[tuple[str, Any]]:
        """Rows that follow these variables, row by row in their order."""
        ask = self._engine, self._agent.credentials.data(), self._target, snmp.ContextData()
        objects = [snmp.ObjectType(snmp.ObjectIdentity(number)) for number in numbers]
        if self._agent.credentials.version != "1":
            return await self._bindings(snmp.bulk_cmd(*ask, 0, _ROWS, *objects, lookupMib=False))
        rows = []
        for number, variable in zip(
            numbers, objects, strict=True
        ):  # one by one, since an ended column fails the whole request
            row = await self._bindings(snmp.next_cmd(*ask, variable, lookupMib=False))
            rows.append(row[0] if row else (number, snmp.EndOfMibView()))
        return rows

    def _put(self, readings: Readings, number: str, value: Any) -> None:  # noqa: ANN401
        """Pass on a variable if it has the type of its object, in the form of a recorded walk."""
        prefix, _, instance = number.rpartition(".")
        name = OBJECTS.get(prefix)
        if name is None or isinstance(value, _NOTHING):
            return
        if name in _TEXTS:
            octets = bytes(value) if type(value) is snmp.OctetString else None
            if octets is None or len(octets) > _LONGEST_TEXT:
                actual = type(value).__name__ if octets is None else f"{len(octets)} octets"
                self._wrong_value(name, actual, f"OctetString of at most {_LONGEST_TEXT} octets")
            else:
                readings.put(prefix, instance, Value(octets.hex(), 1, octets=True))
        elif not isinstance(value, _WHOLE) or (isinstance(value, snmp.TimeTicks) and name not in _TICKS):
            self._wrong_value(name, type(value).__name__, "TimeTicks" if name in _TICKS else "a number")
        else:
            readings.put(prefix, instance, Value(str(int(value)), 1))

    def _wrong_value(self, name: str, found: str, expected: str) -> None:
        self._wrong.setdefault(name, f"{name}: found {found}, expected {expected}; left out")


def _order(number: str) -> tuple[int, ...]:
    return tuple(map(int, number.split(".")))


async def watch(
    asked: Sequence[Agent],
    take: Callable[[Round], None],
    *,
    interval_s: float,
    rounds: int | None = None,
    timeout_s: float = 2.0,
    retries: int = 1,
    deadline_s: float | None = None,
) -> None:
    """Poll repeatedly, at times that do not drift.

    Parameters
    ----------
    asked
        The agents.
    take
        Called with each round.
    interval_s
        Time between the starts of rounds; after a longer round, the next one starts at the next multiple. [s]
    rounds
        Number of rounds; None: until cancelled.
    timeout_s, retries
        As in `poll`.
    deadline_s
        Time limit of a round. None: nine tenths of the interval, so that the next round starts on time, or
        `DEADLINE_S` for a single round, but no less than the timeouts of an agent that does not answer. [s]
    """
    if deadline_s is None:
        deadline_s = max(DEADLINE_S if rounds == 1 else 0.9 * interval_s, timeout_s * (1 + retries))
    start = time.monotonic()
    done = 0
    while rounds is None or done < rounds:
        take(await poll(asked, timeout_s=timeout_s, retries=retries, deadline_s=deadline_s))
        done += 1
        if rounds is not None and done >= rounds:
            return
        passed = time.monotonic() - start
        await asyncio.sleep((int(passed / interval_s) + 1) * interval_s - passed)
