"""Gold sets: their schema and the cases made from them."""
