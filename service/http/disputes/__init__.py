"""What API and pages share about disputes."""
