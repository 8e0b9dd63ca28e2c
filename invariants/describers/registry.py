"""The voice of each model, imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from replicheck.invariants.catalogue.lazy_mapping import Lazily

if TYPE_CHECKING:
    from replicheck.invariants.describers.actor_describer import Voice


def _voice(module: str) -> Voice:
    voice: Voice = import_module(f"replicheck.invariants.{module}.describer").VOICE
    return voice


VOICES: Mapping[str, Voice] = Lazily(
    {
        "replication": partial(_voice, "replication"),
        "cluster": partial(_voice, "cluster"),
        "fetching": partial(_voice, "fetching"),
        "alter-isr": partial(_voice, "alter_isr"),
        "composed": partial(_voice, "composed"),
    }
)
