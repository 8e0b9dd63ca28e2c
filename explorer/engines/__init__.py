"""The engines, one folder each. `reference` is slow and obviously right;
`breadth_first` is one machine; `partitioned` is many; `simulation` and `fuzzing` walk
at random.
"""
