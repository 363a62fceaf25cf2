"""What has a label: a tag, or an owner."""
