"""Properties of the models, and the scenarios that judge them."""
