"""Searches that several tests of the engines share: of dials, of toys, killed ones."""
