"""The text that commands print: tables and listings of results, walks, catalogue."""
