"""Reading files of any kind: a folder for its report, and what goes into an archive."""
