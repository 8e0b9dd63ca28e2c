"""What can go wrong in a search for a reason that its user can mend."""

from __future__ import annotations


class ModelError(Exception):
    """The model does not fulfil the contract of `replicheck.explorer.model`."""


class CheckpointError(Exception):
    """A checkpoint is torn, foreign, or of another model than the one at hand."""


class TooManyStates(Exception):
    """The model has more states than it may have."""


class ClusterError(Exception):
    """What is to do the work of a search cannot be had, or has given up."""
