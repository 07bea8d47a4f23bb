"""The page of a diagnosis: what a folder of unknown files shows, and what to do.

`hecn_analysis.diagnosis.verdict` judges; `finding` writes the sentences, `tables` the tables, `ports` evaluates
counters, and `show` lays out the page. The notebook `95_your_own_data` shows all of it.
"""
