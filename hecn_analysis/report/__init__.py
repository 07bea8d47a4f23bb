"""The page of a diagnosis: what a folder whose files nobody has described shows, and what to do.

`hecn_analysis.diagnosis.verdict` judges; `finding` says it in sentences, `tables` lists it, `ports` looks at counters,
`show` lays it out. The notebook `95_your_own_data` shows all of it.
"""
