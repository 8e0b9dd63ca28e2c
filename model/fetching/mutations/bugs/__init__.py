"""Known bugs of Kafka as mutations, by what they are about."""
