"""Acquisition of data: capture a host (`capture`), run tools and compare them with their prediction (`measure`).

`finder` determines what a scenario leaves open, with `hosts` and `path`; `runs` runs the commands of a tool. `programs`
starts programs without a shell and always ends them, `places` runs them here, in a network namespace or through ssh,
`redact` removes identifying names and numbers from a capture.
"""
