"""The report of a folder whose files nobody has described, and what changed between two sets of runs.

`folder` reads whatever is there, `alike` tells which runs are repeats of one test, `known` collects what the folder
says of path and hosts, `expected` predicts from that, `causes` weighs what holds the runs back, `ports` looks at
counters, `steps` says what to test and to change, `compare` compares two sets. The notebook `95_your_own_data` shows
all of it.
"""
