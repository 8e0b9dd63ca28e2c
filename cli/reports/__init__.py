"""Results in each format: text for a terminal, JSON, JUnit XML, HTML, Markdown,
annotations. A report takes assessed results and decides nothing of its own.
"""
