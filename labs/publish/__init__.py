"""`make lab-publish`: an estate goes to four catalogs, a change goes after it, and they answer."""
