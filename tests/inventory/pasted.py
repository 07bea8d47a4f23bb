"""Reading of pasted texts, and an output that several tests paste."""

from hecn_analysis.files.documents import Document
from hecn_analysis.inventory import registry

DETAIL = """/dev/md4:
           Version : 1.2
        Raid Level : raid6
        Array Size : 3906764800 (3.64 TiB 4.00 TB)
     Used Dev Size : 976691200 (931.45 GiB 1000.13 GB)
      Raid Devices : 6
     Total Devices : 6

             State : clean
    Active Devices : 6
        Chunk Size : 512K
"""


def read(text):
    """Facts of the outputs in a text with the format of each, and what could not be read."""
    found = registry.read(Document("mail.txt", text.encode()))
    return [{"format": one.facts.format, **one.facts.values} for one in found.captured], found.problems
