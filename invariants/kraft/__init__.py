"""What is true of Kafka in KRaft mode, and the scenarios that show it."""
