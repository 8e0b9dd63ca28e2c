"""The engine of runs for ever: any search of all states, then the graph of them."""
