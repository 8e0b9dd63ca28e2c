"""The commands `replicheck trace …`."""
