"""The active controller in KRaft: the model `kraft` beside Kafka's own managers."""
