"""Writes the capture as a POSIX sh script, for hosts without Python or out of your reach.

The script runs the same commands (`inventory_commands`) and creates the same folder; ``sh script -`` writes it to
stdout as a tar archive.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from hecn_analysis.live.inventory_commands import COMMANDS, Command
from hecn_analysis.live.programs import FOLDERS

_HEAD: Final = r"""#!/bin/sh
# Captures the hardware and settings of this host for `hecn inventory`. It only reads, and needs no root; as root,
# some programs report more (lspci, dmidecode, lshw, smartctl, mdadm, RAID controllers, optics).
#
# usage: sh capture.sh FOLDER     creates FOLDER with one file per command and an index
#        sh capture.sh -          writes a tar archive to stdout:  ssh HOST sh -s -- - < capture.sh > capture.tar

LC_ALL=C
PATH=$PATH:@FOLDERS@
export LC_ALL PATH

case ${1:-} in
    '') echo "usage: sh $0 FOLDER (or - for a tar archive on stdout)" >&2; exit 2 ;;
    -) base=$(mktemp -d) || exit 1; trap 'rm -rf "$base"' EXIT; trap 'exit 130' HUP INT TERM; out=$base/capture ;;
    *) out=$1 ;;
esac
if [ -L "${out%/}" ]; then
    echo "$out: found a symbolic link, expected a new or an empty folder" >&2; exit 1
fi
if [ -e "$out" ] && [ -n "$(ls -A "$out" 2>/dev/null)" ]; then
    echo "$out: found an existing file or folder, expected a new or an empty folder" >&2; exit 1
fi
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd) || exit 1
work=$(mktemp -d) && cd "$work" || exit 1
trap 'rm -rf "$work" ${base:+"$base"}' EXIT
trap 'exit 130' HUP INT TERM
echo 'file,command,ended,duration_s,note' > "$out/index.csv"
limited=; command -v timeout > /dev/null 2>&1 && limited=timeout

quoted() { # a CSV cell that no spreadsheet evaluates
    printf '"%s"' "$(printf %s "$1" | tr '\n\r\t' '   ' | sed "s/\"/\"\"/g; s/^[=@+-]/'&/")"
}

row() { # FILE COMMAND ENDED SECONDS NOTE
    { quoted "$1"; printf ,; quoted "$2"; printf ,; quoted "$3"; printf ',%s,' "$4"; quoted "$5"; echo; } \
        >> "$out/index.csv"
}

first() { # PROGRAM...: the first installed one, else the first
    for name in "$@"; do command -v "$name" > /dev/null 2>&1 && { echo "$name"; return; }; done
    echo "$1"
}

run() { # FILE SECONDS LINES-TO-LEAVE-OUT PROGRAM ARGUMENT...
    file=$(printf %s "$1" | tr -c 'A-Za-z0-9_.+-' _); seconds=$2; without=$3; shift 3
    if ! command -v "$1" > /dev/null 2>&1; then row '' "$*" 'not here' 0 ''; return; fi
    echo "$*" | cut -c1-70 >&2
    start=$(date +%s)
    if [ -n "$limited" ]; then timeout "$seconds" "$@"; else "$@"; fi < /dev/null > output 2> errors
    status=$?
    taken=$(($(date +%s) - start))
    if [ -n "$without" ]; then grep -Ev "$without" output > kept; mv kept output; fi
    case $status in
        0) ended=ok ;;
        124) ended="time limit of $seconds s" ;;
        *) ended="status $status" ;;
    esac
    note=$(tail -n 1 errors | cut -c1-300)
    if ! grep -q '[^[:space:]]' output; then
        [ "$ended" = ok ] && ended='nothing printed'
        row '' "$*" "$ended" "$taken" "$note"; return
    fi
    case $file in *.txt) { echo "$ $*"; cat output; } > "$out/$file" ;; *) cat output > "$out/$file" ;; esac
    row "$file" "$*" "$ended" "$taken" "$note"
}

interfaces() {
    for path in /sys/class/net/*; do
        [ -e "$path/device" ] || [ -d "$path/bonding" ] || continue
        case ${path##*/} in -*) ;; *) echo "${path##*/}" ;; esac
    done
}
disks() {
    for path in /sys/block/*; do
        [ -e "$path/device" ] || continue
        case ${path##*/} in -* | sr* | fd*) ;; *) echo "${path##*/}" ;; esac
    done
}
mds() { for path in /sys/block/*/md; do [ -d "$path" ] && path=${path%/md} && echo "${path##*/}"; done; }
controllers() { echo 0 1 2 3; }
numbers() { echo 1 2 3 4; }

"""

_TAIL: Final = r"""
if [ "${1:-}" = - ]; then tar -cf - -C "$base" capture; else echo "$out" >&2; fi
"""


def script(commands: Sequence[Command] = COMMANDS) -> str:
    """Return the shell script that captures a host by these commands."""
    groups = itertools.groupby(commands, key=lambda command: command.each)
    body = "".join(line for kind, group in groups for line in _group(kind, list(group)))
    return _HEAD.replace("@FOLDERS@", ":".join(FOLDERS)) + body + _TAIL


def _group(kind: str, commands: Sequence[Command]) -> Iterator[str]:
    if not kind:
        yield from (f"{_line(command)}\n" for command in commands)
        return
    yield f"for {kind} in $({kind}s); do\n"
    yield from (f"    {_line(command)}\n" for command in commands)
    yield "done\n"


def _line(command: Command) -> str:
    program = command.argv[0]
    if command.programs:
        program = f'"$(first {shlex.join([program, *command.programs])})"'
    words = [_word(word, command.each) for word in command.argv[1:]]
    file, limit, without = _word(command.file, command.each), f"{command.limit_s:g}", shlex.quote(command.without)
    return " ".join(["run", file, limit, without, program, *words])


def _word(word: str, kind: str) -> str:
    """Quote a word; a placeholder becomes the shell's variable."""
    if kind and f"{{{kind}}}" in word:
        return '"' + word.replace(f"{{{kind}}}", f"${{{kind}}}") + '"'
    return shlex.quote(word)
