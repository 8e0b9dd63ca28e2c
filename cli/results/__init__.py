"""What came of a task, whether that is as expected, and the text for it. No
format, no terminal.
"""
