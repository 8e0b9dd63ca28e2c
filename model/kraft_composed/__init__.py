"""The cluster in KRaft mode with the replica fetcher threads of Kafka 4.1.

Controller, metadata, leaders and their ISR are those of `model.kraft`; what copies
records are the threads of `model.fetching`, in the place of the copying there. Their
functions run as they are, each on its own part of the state.
"""
