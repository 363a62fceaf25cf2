"""What every collector and every publisher must do, whoever wrote it."""
