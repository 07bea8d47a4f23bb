"""Input files on any path, compressed, in archives, in any common encoding; output files.

`source` finds files and reads their lines, `packed` unpacks them, `documents` reads whole files for formats without
lines, `whole` writes files. No module here knows a log format.
"""
