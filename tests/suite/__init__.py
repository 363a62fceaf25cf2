"""How the suite itself runs, on whatever machine and however it was started."""
