"""What sits at a table: strategies, and people."""
