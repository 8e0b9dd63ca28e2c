"""Sealed files: JSON that says what it is, and whether it is as it was written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from replicheck.explorer.errors import CheckpointError
from replicheck.explorer.runtime.bounded_files import parse_json, read_bounded
from replicheck.explorer.runtime.digest import digest
from replicheck.explorer.runtime.private_files import NotPrivate, require_private_file


@frozen
class SealedJson:
    """What marks the files of one kind. ``noun`` is the kind, for messages.

    ``schema`` is to be raised with every change of what such files mean.
    """

    noun: str
    schema: int

    @property
    def magic(self) -> str:
        """The word by which the files are known."""
        return f"replicheck {self.noun}"

    def close(self, body: Mapping[str, Any]) -> bytes:
        """The content of a file with this body."""
        whole = {
            "magic": self.magic,
            "schema": self.schema,
            "checksum": _of(body),
            "body": dict(body),
        }
        return json.dumps(whole).encode()

    def open(self, path: Path) -> dict[str, Any]:
        """Read the body of a file of the user, if it is one of this kind and whole.

        Raises:
            CheckpointError: if it is not, or another user can have written it.
        """
        try:
            require_private_file(path)
            content = read_bounded(path)
        except (FileNotFoundError, NotADirectoryError):
            raise CheckpointError(
                f"there is no {self.noun} in {path.parent}: it has no {path.name}"
            ) from None
        except NotPrivate as error:
            raise CheckpointError(str(error)) from error
        except OSError as error:
            raise CheckpointError(f"{path} cannot be read: {error.strerror}") from error
        return self.body(content, str(path))

    def body(self, content: bytes, path: str) -> dict[str, Any]:
        """The body of a file with this content, if it is one of this kind.

        Args:
            path: of the file, for messages.

        Raises:
            CheckpointError: if it is not, or not whole.
        """
        try:
            whole = parse_json(content)
            magic, schema = whole["magic"], whole["schema"]
            body: dict[str, Any] = whole["body"]
            is_whole = whole["checksum"] == _of(body)
        except (ValueError, LookupError, TypeError):
            magic = None
        if magic != self.magic:
            raise CheckpointError(
                f"{path} is torn, or not of a {self.noun} of replicheck: expected"
                f" JSON with the magic word {self.magic!r}; start again"
            )
        if schema != self.schema:
            raise CheckpointError(
                f"{path} has the schema {schema}, expected {self.schema}: it was"
                " written by another version of replicheck; go on with that version, or"
                " start again"
            )
        if not is_whole:
            raise CheckpointError(
                f"{path} was changed after it was written; start again"
            )
        return body


def _of(body: Mapping[str, Any]) -> str:
    return digest(json.dumps(body, sort_keys=True).encode())
