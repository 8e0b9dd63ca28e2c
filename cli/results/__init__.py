"""What came of a task, whether that is as expected, and the sentences for it. No
format, no terminal.
"""
