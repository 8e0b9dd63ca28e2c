"""What is true of KRaft's brokers with the fetcher threads of `fetching`.

What is true of the controller alone is judged with the model `kraft`.
"""
