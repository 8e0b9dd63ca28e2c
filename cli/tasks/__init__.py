"""What is to be searched: a scenario with the changes of the user, an engine with its
settings.
"""
