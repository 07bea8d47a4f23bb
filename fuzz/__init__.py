"""Coverage-guided search for bytes that break the readers (`make fuzz`); no part of the package and of its wheel."""
