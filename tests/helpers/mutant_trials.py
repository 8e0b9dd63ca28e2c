"""Mutants, each of which is run at most once for all tests."""

from __future__ import annotations

from functools import cache

from replicheck.cli.reports.text.terminal import standard_error
from replicheck.cli.results.mutant_trial import MutantTrial
from replicheck.cli.runs.mutant_trials import run_trials
from replicheck.cli.runs.progress import ProgressBoard
from replicheck.cli.tasks.engine_settings import Settings
from shipped import CATALOGUE


@cache
def trial_of(name: str) -> MutantTrial:
    """The trial of a mutant."""
    board = ProgressBoard(standard_error(), 1)
    mutants = [CATALOGUE.mutants[name]]
    (trial,) = run_trials(CATALOGUE, mutants, Settings(threads=1), board)
    return trial
