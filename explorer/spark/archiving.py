"""Make the archive of Spark's classes ahead of the first search, as for an image.

python -m replicheck.explorer.spark.archiving
"""

from __future__ import annotations

import sys

from replicheck.explorer.errors import ClusterError
from replicheck.explorer.spark import session


def main() -> None:
    """Have Spark do a job; the archive is made at the end of the process.

    Raises:
        ClusterError: if Spark does not start.
    """
    context = session.begin("local[2]")
    context.parallelize(range(4), 2).map(abs).collect()
    context.stop()


if __name__ == "__main__":
    try:
        main()
    except ClusterError as error:
        sys.exit(f"{error}")
