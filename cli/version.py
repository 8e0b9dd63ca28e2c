"""The version of replicheck, which ``setup.cfg`` takes from here.

To ask the installed package for it takes longer than the rest of a small search.
"""

VERSION = "0.1.0"
