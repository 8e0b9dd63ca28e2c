"""The inner loops of the search; `native` has numba compile them.

`expand` walks the trees of a chunk's states and writes candidates, one for each
step. Where the tables know no answer, the pair of state and instance is missed, and
what it lacks is asked for; `expand.retry` takes the missed pairs up again.
`candidate_sort` brings the candidates of several chunks in the order (part, state,
instance, step), a part being a range of fingerprints, so that `visited.insert` meets
the least predecessor of each new state first. `level_sort` sorts the new states of one
part. `exchange` is what the processes of a partitioned search do with one another's
states.

Everything is an array (`arrays`); nothing here knows what a cell means. A kernel that
`native` calls allocates nothing and raises nothing: it runs where numba is not loaded.
"""
