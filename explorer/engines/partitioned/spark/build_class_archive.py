"""Make the archive of Spark's classes ahead of the first search, as for an image.

python -m replicheck.explorer.engines.partitioned.spark.build_class_archive
"""

from __future__ import annotations

import sys

from replicheck.explorer.engines.partitioned.spark import session
from replicheck.explorer.errors import ClusterError


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
