"""Which store a name stands for."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlparse, urlsplit

from replicheck.explorer.engines.partitioned.store.store import LocalStore, Store

SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+://")


def at(uri: str) -> Store:
    """The store at a path or a URI.

    Raises:
        CheckpointError: if there can be none.
    """
    if uri.startswith("file://"):
        return LocalStore(Path(unquote(urlparse(uri).path)))
    if SCHEME.match(uri):
        from replicheck.explorer.engines.partitioned.store.remote_store import (
            RemoteStore,
        )

        return RemoteStore(uri)
    return LocalStore(Path(uri))


def below(uri: str, name: str) -> str:
    """The path or URI of a directory below another.

    What a URI asks for after its path, such as ``?region=…``, stays at its end.
    """
    if not SCHEME.match(uri):
        return str(Path(uri) / name)
    parts = urlsplit(uri)
    return parts._replace(path=f"{parts.path.rstrip('/')}/{name}").geturl()
