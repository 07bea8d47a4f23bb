"""Secrets in logs and settings (passwords, tokens, keys, SNMP communities), and how they are masked.

Everything that a table quotes from a file and everything that ``hecn`` writes to stderr pass through `hidden`. It
recognises secrets by their context (addresses, options, headers, settings of SNMP), not a secret that stands alone.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

_PLACE: Final = "…"

#: Longer texts are truncated. [characters]
_LONGEST: Final = 10_000

#: Parts of names whose value is secret: ``AWS_SECRET_ACCESS_KEY``, ``x-auth-token``, ``authpassword``.
_NAMES: Final = (
    r"(?:pass(?:word|wd|phrase|code)|(?<=[a-z_-])pass|pwd|secret|token|credential|signature|comm?unity"
    r"|(?:api|access|auth|priv|private|secret|shared|account|authentication|privacy)[._-]?key)s?(?:_string)?"
)
_VALUE: Final = r"[^\s&;,'\"]{1,400}"

#: Patterns of a secret; the group holds the text in front of it, which is kept.
_FORMS: Final = (
    # scheme://user:password@host; if the text ends before the @, anything but a port
    r"(://[^\s/:@'\"]{0,64}:)(?!\d{1,5}(?:[/?#'\"\s]|$))[^\s'\"]{1,200}(?=@)",
    r"(://[^\s/:@'\"\[]{0,64}:)(?!\d{1,5}['\"]|\d{1,5}$)[^\s/@'\"]{1,200}(?=['\"]|$)",
    # "password": "… …", --password '… …', in quotes
    *(
        rf"(?i)((?:{_NAMES}['\"]?(?:\s?=>\s?|\s?=\s?|:\s?)|(?:--|\w[_-]){_NAMES}\s){quote})[^{quote}]{{1,400}}(?={quote})"
        for quote in ("'", '"')
    ),
    # token=…, "password": "…", authkey=>'…', X-Api-Key: …: parts of addresses, options, settings and headers
    rf"(?i)((?:{_NAMES}|\b(?:pw|sig|sid))(?:['\"]?(?:\s?=>\s?|\s?=\s?|:\s)['\"]?|['\"]:['\"])){_VALUE}",
    # --password …, --snmp-community …, irods_password …
    rf"(?i)((?:--|\w[_-]){_NAMES}\s){_VALUE}",
    # headers; a scheme and its token
    r"(?i)(authorization['\"]?: ?['\"]?\w{1,20} )\S{1,4000}",
    r"(?i)(authorization['\"]?: ?['\"]?(?:digest|oauth|aws4-[\w-]{1,20}) ).{1,4000}",
    r"(?i)(\bcookie: ?).{1,4000}",
    r"(\b(?:Bearer|Basic) )[\w+/.~=-]{8,4000}",
    # tokens with a prefix of their own: JWT, GitHub, GitLab, AWS, Slack
    r"(\b)eyJ[\w-]{4,4000}(?:\.[\w-]{0,4000}){1,2}",
    r"(\b)(?:gh[opsur]_|github_pat_|glpat-|A[KS]IA|xox[abp]-)[\w-]{8,255}",
    # a token instead of a user; InfluxDB's ?u=user&p=password
    r"(https?://)[\w-]{20,200}(?=@)",
    r"([?&]u=[^\s&]{0,200}&p=)[^\s&'\"]{1,200}",
    # curl -u user:password, lftp -u user,password, sshpass -p password
    r"((?:^|\s)(?:-u|-U|--user|--proxy-user)[ =]?[^\s:,-][^\s:,]{0,63}[:,])\S{1,200}",
    r"((?:^|\s)(?:-u|--user) (?:'[^\s:']{1,64}:(?=[^']{1,200}')|\"[^\s:\"]{1,64}:(?=[^\"]{1,200}\")))[^'\"]{1,200}",
    r"(\bsshpass -p ?['\"])[^'\"]{1,200}",
    r"(\bascp (?:\S{1,200} ){0,20}-W ?)[^\s@]\S{0,4000}",
    r"(\b(?:sshpass|ncftp\w{0,8}) (?:-\w \S{1,64} ){0,4}-p ?)\S{1,200}",
    # FTP, .netrc
    r"((?:^|['\">])\s?PASS )\S{1,200}",
    r"(\b(?:login|machine) \S{1,64} password )\S{1,200}",
    # MRTG's 2:community@router, with an interface by its number, name (\), address (/) or type (%)
    r"(?<![\w:])((?:-?\d{1,10}|[\\/#!%][\w.-]{1,64}):)[^\s:@/]{1,64}(?=@[\w.\[-])",
    r"(\bcfgmaker (?:--?\S{1,200} ){0,20})[^\s:@/-][^\s:@/]{0,63}(?=@)",
    # settings of agents and routers
    r"(?i)(\b(?:password|secret|key-string|key) [05789] )(?=\S{0,200}[\d$])\S{1,200}",
    r"(?i)(\b(?:radius|tacacs)-server (?:\S{1,64} ){0,8}key )(?!\d )\S{1,200}",
    r"(?i)(\bsnmp-server host (?:\S{1,64} ){1,4}version (?:1|2c) )\S{1,200}",
    r"(?i)(\bsnmp-server user .{1,200}? auth \w{1,9} ).{1,400}",
    r"(?i)(\b(?:authentication|privacy)-(?:password|key) ['\"])[^'\"]{1,200}",
    r"(?i)(^\s{0,40}community )[^\s{]{1,64}(?=;| ?\{)",
    r"(?i)(\b(?:r[ow]|trap|snmp-server |snmp )community6? )\S{1,200}",
    r"(?i)(\bcom2sec6? (?:-Cn \S{1,64} )?\S{1,64} \S{1,64} )\S{1,200}",
    r"(?i)(\b(?:trap2?sink|informsink) \S{1,200} )\S{1,200}",
    r"(?i)(\bcreateuser (?:-e \S{1,64} )?\S{1,64} ).{1,1000}",
)
#: Commands of SNMP, and their options with secrets: the community, and the keys of version 3.
_SNMP: Final = r"\bsnmp[a-z]{1,16}\s.{1,1000}"
_SNMP_OPTION: Final = r"(\s-(?:[cAX]|3[mMkK]) ?)(?:'[^']{1,200}'|\"[^\"]{1,200}\"|[^\s-]\S{0,200})"

#: Each form above contains one of these, in lower case. Most texts contain none, and are not searched further.
_HINTS: Final = (
    *("@", "://", "pass", "pwd", "pw", "sig", "sid", "secret", "token", "key", "credential", "munity", "auth"),
    *("cookie", "bearer", "basic", "eyj", "gho_", "ghp_", "ghs_", "ghu_", "ghr_", "github_pat_", "glpat-", "akia"),
    *("asia", "xox", "-u", "--user", "--proxy", "com2sec", "sink", "createuser", "snmp", "ascp", "&p="),
)


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    """Compile the forms on first use: this takes longer than parsing the arguments of most commands."""
    return tuple(map(re.compile, _FORMS))


@lru_cache(maxsize=4096)
def hidden(text: str) -> str:
    """Mask the secrets in a text, and truncate a very long one.

    >>> hidden("$ snmpwalk -v2c -c public switch1 ifTable")
    '$ snmpwalk -v2c -c … switch1 ifTable'
    """
    if len(text) > _LONGEST:
        text = text[:_LONGEST] + _PLACE
    lower = text.lower()
    if not any(hint in lower for hint in _HINTS):
        return text
    masked = rf"\1{_PLACE}"
    for form in _compiled():
        text = form.sub(masked, text)
    return re.sub(_SNMP, lambda command: re.sub(_SNMP_OPTION, masked, command[0]), text)
