"""The same search in tasks that share only files. This level is the driver: it cuts a
level into tasks, commits the next level, and keeps the manifest.
"""
