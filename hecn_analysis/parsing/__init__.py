"""What all readers share: numbers as programs print them, damaged JSON, prefixes of loggers, problems."""
