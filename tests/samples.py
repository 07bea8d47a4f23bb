"""Which samples the quick tests read; the slow ones read all."""

import pytest


def shortest_of_each_folder(paths):
    """The shortest sample of each folder, which has those of one program."""
    ordered = sorted(paths, key=lambda path: (path.stat().st_size, path))
    return set({path.parent: path for path in reversed(ordered)}.values())


def parametrized(paths):
    """Parameters of a test for each sample, named by folder and file; all but the shortest of each folder are slow."""
    quick = shortest_of_each_folder(paths)
    return [
        pytest.param(path, id=f"{path.parent.name}/{path.name}", marks=() if path in quick else pytest.mark.slow)
        for path in paths
    ]
