"""What any long-running Python program could use: threads, memory, files that are there
whole or not at all. Knows no state and no model.
"""
