"""Clouds, as collectors and publishers both reach them: where they are, and with which key."""
