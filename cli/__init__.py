"""The program: the composition root, and the only place that knows all the packages. A
command turns options into tasks, `runs` carries them out with the engines, `results`
assesses what came of them, and `reports` and `pages` write it down.
"""
