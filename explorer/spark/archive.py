"""The archive: Spark's classes as Java has loaded and verified them once.

`archiving` makes it. Where there is one for a Java and a Spark, it is used; Java itself
refuses one that no longer fits, and then starts without.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyspark

from replicheck.explorer.machine_code import cache_folder


def place(java: Path) -> Path:
    """Return where the archive is for the Java of some folder, if there is one."""
    of = f"{java} {Path(pyspark.__file__).parent} {pyspark.__version__}"
    digest = hashlib.blake2b(of.encode(), digest_size=8).hexdigest()
    return cache_folder() / f"spark-{digest}.jsa"


def options(java: Path) -> str:
    """Return what makes a Java use the archive, if there is one for it."""
    archive = place(java)
    if not archive.exists():
        return ""
    # That it does not fit is no news to the user; errors are.
    return f'"-XX:SharedArchiveFile={archive}" -Xlog:disable -Xlog:all=error:stderr'
