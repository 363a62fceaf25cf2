"""`headwater demo`: a server with something in it, and a tour of it."""
