"""Models that hypothesis draws, and systems of them with properties."""
