"""Results that other tools wrote, into our records, and what their files cannot tell."""
