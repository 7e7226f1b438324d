"""One request to a model: what is sent, what came back, and where every token went."""
