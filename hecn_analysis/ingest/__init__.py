"""Reading files of any kind: folders for reports, and files for archives."""
