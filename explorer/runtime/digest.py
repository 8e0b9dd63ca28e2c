"""Digests: all hashing of content, but for the arithmetic of fingerprints.

BLAKE2b names and seals content: cache keys, digests of models and sources, checksums of
files. XXH3 finds damage in bulk data, at the speed of memory. SHA-256 is for what
others check as well: downloads, policies of pages, saved traces.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

Content = bytes | bytearray | memoryview
Digest = hashlib.blake2b
"""A digest that content is added to."""
SEAL = 16
"""Bytes of a digest by which equal content is believed to be the same."""
NAME = 8
"""Bytes of a digest that is part of a name or of a header."""


def new_digest(size: int = SEAL) -> Digest:
    """The digest of no content yet, of so many bytes."""
    return hashlib.blake2b(digest_size=size)


def digest(content: Content, size: int = SEAL) -> str:
    """Digest of a content as hexadecimal digits, two for each of its bytes."""
    return hashlib.blake2b(content, digest_size=size).hexdigest()


def digest_bytes(content: Content, size: int, salt: bytes = b"") -> bytes:
    """Digest of a content as so many bytes; another one for each salt."""
    return hashlib.blake2b(content, digest_size=size, salt=salt).digest()


def bulk_checksum(pieces: Iterable[Content]) -> str:
    """XXH3 of pieces one after the other, as 16 hexadecimal digits."""
    # Imported only here: most searches keep no bulk data.
    from xxhash import xxh3_64

    found = xxh3_64()
    for piece in pieces:
        found.update(piece)
    return found.hexdigest()


def sha256(content: Content) -> bytes:
    """SHA-256 of a content, 32 bytes."""
    return hashlib.sha256(content).digest()
