"""The terminal and the process: options, exit codes, errors, signals, streams. Knows no
scenario.
"""
