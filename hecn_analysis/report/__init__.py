"""The report of a folder whose files nobody has described.

`known` collects what the folder says of path and hosts, `expected` predicts from that, `causes` weighs what holds the
runs back, `ports` looks at counters, `steps` says what to test and to change. The notebook `95_your_own_data` shows
all of it.
"""
