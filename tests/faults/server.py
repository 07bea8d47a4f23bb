"""The process that all victims are forked from: it has loaded everything once, and runs no thread.

It reads orders, a line of JSON each: the name of a fault, its seed, a folder; and answers with a line: what happened,
and what went wrong, if it did.
"""

import gc
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import traceback
from pathlib import Path

import cases
import works
from distributed import Scheduler, Worker  # noqa: F401 - loaded for those that are forked

import hecn_analysis.briefs.content
import hecn_analysis.briefs.html
import hecn_analysis.inventory.registry
import hecn_analysis.logs.registry  # noqa: F401 - loaded for those that are forked


def forked(work):
    """Do something in a process of its own; gives what it gives, which must be JSON, or its traceback as a text."""
    reader, writer = os.pipe()
    process = os.fork()
    if process:
        os.close(writer)
        with os.fdopen(reader) as stream:
            text = stream.read()
        _, status = os.waitpid(process, 0)
        return json.loads(text) if text else {"wrong": f"ended with status {os.waitstatus_to_exitcode(status)}"}
    os.close(reader)
    try:
        found = work()
    except cases.injection.Leave as leaving:
        sys.exit(leaving.status)
    except BaseException:  # noqa: BLE001 - it is told
        found = {"wrong": traceback.format_exc()}
    with os.fdopen(writer, "w") as stream:
        stream.write(json.dumps(found))
    os._exit(0)


def main():
    """Carry out orders until there are no more."""
    known = {}
    cases.warm_up()
    gc.collect()
    gc.freeze()  # pages with objects that nobody collects are not copied in those that are forked
    answers = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)  # what the works print is not for who gives orders
    for line in sys.stdin:
        order = json.loads(line)
        folder = Path(tempfile.mkdtemp(prefix="fault-", dir=order["folder"]))
        for name in works.WORKS:
            if name not in known:
                place = folder / f"dry-{name}"
                place.mkdir()
                known[name] = forked(lambda name=name, place=place: cases.dry(name, place))

        def fault(order=order, folder=folder):
            chance = random.Random(order["seed"])  # noqa: S311 - moments
            return {"what": str(cases.FAULTS[order["fault"]](chance, folder, known))}

        begin = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer = forked(fault)
        end = resource.getrusage(resource.RUSAGE_CHILDREN)
        answer["cpu_s"] = end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime
        shutil.rmtree(folder, ignore_errors=True)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
