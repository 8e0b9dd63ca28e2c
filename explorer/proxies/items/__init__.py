"""Loops over items: numbers, ids, cells. An action may be learned item by item."""
