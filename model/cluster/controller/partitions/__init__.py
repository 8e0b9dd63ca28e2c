"""State machines of partitions and replicas, and the elections of leaders."""
