"""The cluster of KIP-112 with the replica fetcher threads of KIP-461.

Controller, ZooKeeper, channels and log directories are those of `model.cluster`; what
copies records are the threads of `model.fetching`, in place of the cluster's simple
copying. Their functions run as they are, each on its own part of the state.
"""
