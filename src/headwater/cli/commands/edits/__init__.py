"""Commands that edit what is known, and the log of edits."""
