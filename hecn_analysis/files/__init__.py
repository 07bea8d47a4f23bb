"""Input files on any path, compressed, in archives, in any common encoding; output files.

`source` finds files and reads their lines, `packed` unpacks them, `documents` reads whole files for formats that are
not line by line, `whole` writes files. Nothing here knows a format.
"""
