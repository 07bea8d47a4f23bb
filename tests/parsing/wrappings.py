"""Ways in which people hand on the output of a program: each makes a text of the lines of a plain one."""

import base64
import html
import quopri
from collections.abc import Callable, Sequence

Lines = Sequence[str]


def _front(mark: str) -> Callable[[Lines], str]:
    """Put a mark in front of every line, without blanks at the end of empty ones."""
    return lambda lines: "".join(f"{mark}{line}".rstrip(" ") + "\n" if not line else f"{mark}{line}\n" for line in lines)


def _around(before: str, after: str) -> Callable[[Lines], str]:
    return lambda lines: before + "".join(f"{line}\n" for line in lines) + after


def _each(change: Callable[[str], str]) -> Callable[[Lines], str]:
    return lambda lines: "".join(f"{change(line)}\n" for line in lines)


def _numbered(lines: Lines) -> str:
    return "".join(f"{number:6}\t{line}\n" for number, line in enumerate(lines, 1))


def _quoted_printable(lines: Lines) -> str:
    body = quopri.encodestring("".join(f"{line}\n" for line in lines).encode()).decode()
    head = "From: me@there.example\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
    return f"{head}Content-Transfer-Encoding: quoted-printable\n\n{body}"


def _base64(lines: Lines) -> str:
    body = base64.encodebytes("".join(f"{line}\n" for line in lines).encode()).decode()
    head = "From: me@there.example\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=xyz\n\nSee below.\n--xyz\n"
    part = 'Content-Type: text/plain; charset=utf-8; name="a.log"\nContent-Transfer-Encoding: base64\n\n'
    return f"{head}{part}{body}\n--xyz--\n"


def _null(lines: Lines) -> str:
    return "".join(f"{character}\x00" for line in lines for character in f"{line}\n")


WRAPPINGS: dict[str, Callable[[Lines], str]] = {
    "one blank": _front(" "),
    "four blanks": _front("    "),
    "tab": _front("\t"),
    "number sign": _front("# "),
    "slashes": _front("// "),
    "star": _front(" * "),
    "bar": _front("| "),
    "quote": _front("> "),
    "stdout": _front("[STDOUT] "),
    "host": _front("node-17: "),
    "fence": _around("```console\n", "```\n"),
    "preformatted": _around("<pre>", "</pre>\n"),
    "line numbers": _numbered,
    "entities": lambda lines: _around("<html><body><pre>\n", "</pre></body></html>\n")([html.escape(x) for x in lines]),
    "breaks": _each(lambda line: f"{html.escape(line)}<br>"),
    "quoted-printable": _quoted_printable,
    "base64": _base64,
    "no-break blanks": _each(lambda line: line.replace(" ", "\u00a0")),
    "code lines": _each(lambda line: f"`{line}`" if line.strip() and "`" not in line else line),
    "full width": _each(lambda line: line.translate({ord("0") + n: 0xFF10 + n for n in range(10)})),
    "UTF-16": _null,
    "colours": _each(lambda line: f"\x1b[32m{line}\x1b[0m"),
}
