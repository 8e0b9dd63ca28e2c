"""The changes of the ISR that a leader makes by time, and who hears of them."""
