"""A small agent of SNMP version 2c with three interfaces, which may answer garbage, late, never or for ever."""

import random
import socket
import time

from pyasn1.codec.ber import decoder, encoder
from pysnmp.proto import api

ROWS = 3
RATE_BPS = 8e6
V2 = api.PROTOCOL_MODULES[api.SNMP_VERSION_2C]
MISCHIEF = (
    *("silent", "late", "noise", "flipped", "cut", "longer", "another request", "another community", "an error"),
    *("backwards", "the same again", "for ever", "texts", "huge numbers", "twice", "nothing", "deep"),
    *("all ones", "all ones of 32 bits", "negative", "floats", "wrong types", "long texts", "a report"),
    *("another address", "drip", "no name"),
)
_ALL_ONES = {"all ones": 2**64 - 1, "all ones of 32 bits": 2**32 - 1}
_FLOAT = bytes.fromhex("9f780442f60000")  # 123.0, as net-snmp packs it into an Opaque


def table(begin):
    """Variables of the agent now, by their numbers."""
    counted = int((time.monotonic() - begin) * RATE_BPS / 8)
    found = {(1, 3, 6, 1, 2, 1, 1, 5, 0): V2.OctetString("agent"), (1, 3, 6, 1, 2, 1, 1, 3, 0): V2.TimeTicks(
        int((time.monotonic() - begin) * 100) + 10_000)}  # fmt: skip
    for row in range(1, ROWS + 1):
        columns = {
            (1, 3, 6, 1, 2, 1, 2, 2, 1, 2): V2.OctetString(f"port{row}"),
            (1, 3, 6, 1, 2, 1, 2, 2, 1, 8): V2.Integer32(1),
            (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1): V2.OctetString(f"port{row}"),
            (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6): V2.Counter64(counted * row + 10**12),
            **{(1, 3, 6, 1, 2, 1, 31, 1, 1, 1, packets): V2.Counter64(counted) for packets in (7, 8, 9, 11, 12, 13)},
            (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10): V2.Counter64(counted + 10**9),
            (1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 15): V2.Gauge32(1000),
        }
        found |= {(*number, row): value for number, value in columns.items()}
    return found


def broken(value, mischief):
    """What a broken agent has for a variable."""
    is_count, is_text = isinstance(value, V2.Counter64), isinstance(value, V2.OctetString)
    if mischief in _ALL_ONES and is_count:
        return V2.Counter64(_ALL_ONES[mischief])
    if mischief == "negative" and is_count:
        return V2.Integer32(-1)
    if mischief == "floats" and is_count:
        return V2.Opaque(_FLOAT)
    if mischief == "wrong types" and (is_count or is_text):
        return V2.OctetString("seven") if is_count else V2.Counter64(2**64 - 1)
    if mischief == "long texts" and is_text:
        return V2.OctetString(b"\xff" * 300)
    return value


def answer(octets, begin, mischief=""):
    """Answer a request."""
    message, _ = decoder.decode(octets, asn1Spec=V2.Message())
    request = V2.apiMessage.get_pdu(message)
    reply = V2.apiMessage.get_response(message)
    pdu = V2.apiMessage.get_pdu(reply)
    here = table(begin)
    if mischief == "no name":
        here = {name: value for name, value in here.items() if len(name) > 9}
    asked = [tuple(name) for name, _ in V2.apiPDU.get_varbinds(request)]
    if request.tagSet == V2.GetBulkRequestPDU.tagSet:
        found = bulk(asked, here, 4, mischief)
    else:
        found = [(name, here.get(name, V2.NoSuchObject(""))) for name in asked]
    if mischief == "texts":
        found = [(name, V2.OctetString("x" * 300 + "\x1b[31m\n\0")) for name, _ in found]
    if mischief == "huge numbers":
        found = [(name, V2.Counter64(2**64 - 1)) for name, _ in found]
    if mischief == "nothing":
        found = []
    found = [(name, broken(value, mischief)) for name, value in found]
    if mischief == "a report":
        made = V2.ReportPDU()
        V2.apiPDU.set_defaults(made)
        V2.apiPDU.set_request_id(made, V2.apiPDU.get_request_id(pdu))
        V2.apiMessage.set_pdu(reply, made)
        pdu = V2.apiMessage.get_pdu(reply)
    if mischief == "an error":
        V2.apiPDU.set_error_status(pdu, 5)
        V2.apiPDU.set_error_index(pdu, 77)
    if mischief == "another request":
        V2.apiPDU.set_request_id(pdu, 4711)
    if mischief == "another community":
        V2.apiMessage.set_community(reply, "other")
    V2.apiPDU.set_varbinds(pdu, found)
    return encoder.encode(reply)


def bulk(asked, here, repetitions, mischief):
    ordered = sorted(here)
    at, found = list(asked), []
    for _ in range(repetitions):
        for place, name in enumerate(at):
            if mischief in {"for ever", "drip"}:
                following = (*name[:-1], name[-1] + 1) if len(name) > 10 else (*name, 1)
                found.append((following, V2.Counter64(following[-1])))
            else:
                following = next((one for one in ordered if one > name), name)
                found.append((following, here[following] if following != name else V2.EndOfMibView("")))
            if mischief == "backwards":
                found[-1] = ((*name[:-1], max(0, name[-1] - 1)), V2.Counter64(1))
            if mischief == "the same again":
                found[-1] = (name, V2.Counter64(1))
            at[place] = following
    return found


def spoilt(made, mischief, chance):
    """Give what goes on its way instead of an answer."""
    if mischief == "noise":
        return chance.randbytes(chance.randrange(1, 3000))
    if mischief == "deep":
        return b"\x30\x80" * 20_000
    if mischief == "cut":
        return made[: chance.randrange(len(made))]
    if mischief == "longer":
        return made + chance.randbytes(chance.randrange(1, 900))
    octets = bytearray(made)
    for _ in range(chance.randrange(1, 6) if mischief == "flipped" else 0):
        octets[chance.randrange(len(octets))] ^= 1 << chance.randrange(8)
    return bytes(octets)


def serve(listening, mischief="", seed=0, timeout_s=0.4):
    """Answer whoever asks, for ever."""
    chance, begin = random.Random(seed), time.monotonic()  # noqa: S311 - mischief
    other = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        octets, address = listening.recvfrom(65536)
        if mischief == "silent":
            continue
        made = spoilt(answer(octets, begin, mischief), mischief, chance)
        if mischief == "late":
            time.sleep(timeout_s * chance.choice((0.3, 0.7, 1.2, 2)))
        if mischief == "drip":
            time.sleep(timeout_s / 2)
        sender = other if mischief == "another address" else listening
        for _ in range(3 if mischief == "twice" else 1):
            sender.sendto(made, address)


def listening():
    """Socket on a free port of this machine, and the port."""
    found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    found.bind(("127.0.0.1", 0))
    return found, found.getsockname()[1]
