"""The process of the command ``hecn``, also started as ``python -m hecn_analysis``: its signals and its descriptors.

An interrupt ends it without a traceback from the first line of `main` on. Before that line Python starts itself and
imports the package: a traceback that an interrupt causes then cannot be prevented here, only made unlikely. So neither
this module nor the package imports anything that Python has not imported already.

SIGTERM and SIGHUP leave every block in order, so that no part file, program or kernel stays behind. Then the process
ends by that signal.
"""

import sys

TYPE_CHECKING = False  # as in `typing`, which would take longer to import than all else here
if TYPE_CHECKING:
    from types import FrameType

_INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it

#: Objects that may be made before Python looks for cycles among them. Imports and tables make many and no cycles: with
#: Python's own threshold, 700, an eighth of the time of a short command went into this search.
_OBJECTS = 100_000


def main() -> int:
    """Run ``hecn`` as a process of its own, and return its exit status."""
    # Built in: an interrupt could end the import of `signal` with a traceback
    import _signal  # type: ignore[import-not-found]  # noqa: PLC0415

    is_interruptible = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
    if is_interruptible:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    import gc  # noqa: PLC0415 - from here on an interrupt is quiet
    import os  # noqa: PLC0415

    gc.set_threshold(_OBJECTS)
    _occupy_standard_descriptors()
    from hecn_analysis.cli import main as run  # noqa: PLC0415 - the same

    polite = [getattr(_signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(_signal, name)]
    polite = [number for number in polite if _signal.getsignal(number) is _signal.SIG_DFL]  # nohup ignores SIGHUP
    received = []

    def leave(number: int, frame: "FrameType | None") -> None:
        del frame
        _signal.signal(number, _signal.SIG_DFL)  # the second one does not wait
        received.append(number)
        raise KeyboardInterrupt

    try:
        if is_interruptible:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        for number in polite:
            _signal.signal(number, leave)
        status = run()
        if is_interruptible:
            _signal.signal(_signal.SIGINT, _signal.SIG_DFL)  # nothing is left to be put in order
    except KeyboardInterrupt:
        status = _INTERRUPTED
    for number in polite:
        _signal.signal(number, _signal.SIG_DFL)
    if received and status == _INTERRUPTED:
        os.kill(os.getpid(), received[0])
    return status


def _occupy_standard_descriptors() -> None:
    """Open closed standard descriptors, so that no other file gets one of their numbers and is overwritten."""
    import os  # noqa: PLC0415 - see `main`

    for descriptor, flags in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_RDWR)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, flags)  # takes the lowest free number, which is this one
            os.set_inheritable(descriptor, True)  # noqa: FBT003 - it has no name


if __name__ == "__main__":
    # `python -m` puts the current folder in front of all modules, and has imported the package from there already.
    # `hecn` and `python -P -m hecn_analysis` do not.
    if not sys.flags.safe_path:
        del sys.path[0]
    sys.exit(main())
