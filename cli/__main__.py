"""``python -m replicheck.cli``; ``spark-submit`` takes this file as the program."""

from __future__ import annotations

from replicheck.cli.program import main

if __name__ == "__main__":
    main()
