"""The voice of each model, imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from replicheck.invariants.lazily import Lazily

if TYPE_CHECKING:
    from replicheck.invariants.describing.voices import Voice


def _voice(module: str) -> Voice:
    voice: Voice = import_module(f"replicheck.invariants.describing.{module}").VOICE
    return voice


VOICES: Mapping[str, Voice] = Lazily(
    {
        "replication": partial(_voice, "of_replication"),
        "cluster": partial(_voice, "of_cluster"),
        "fetching": partial(_voice, "of_fetching"),
        "alter-isr": partial(_voice, "of_alter_isr"),
        "composed": partial(_voice, "of_composed"),
    }
)
