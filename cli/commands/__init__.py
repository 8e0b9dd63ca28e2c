"""One module for each command, named as the command. Options in, one call, exit code
out.
"""
