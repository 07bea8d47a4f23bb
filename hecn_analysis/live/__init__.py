"""Where data are made: a host captured (`capture`), tools run and held against their prediction (`measure`).

`finder` finds out what a scenario leaves open, with `hosts` and `path`; `runs` runs the commands of a tool. `programs`
starts programs without a shell and ends them whatever happens, `places` says where one runs (here, in a network
namespace, through ssh), `redact` takes names and numbers of one's own out of a capture.
"""
