"""The modules beside the tests belong to the process that they start, and are loaded there only."""

collect_ignore = ["agent.py", "cases.py", "injection.py", "server.py", "works.py"]
