"""What readers of every kind share: numbers as programs print them, damaged JSON, prefixes of loggers, problems."""
