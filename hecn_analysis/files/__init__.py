"""Files as people have them: any path, compressed, in archives, in any common encoding.

`source` finds files and gives their lines one after another, `packed` unpacks them, `documents` gives whole files to
those whose formats have no meaning line by line. Nothing here knows a format.
"""
