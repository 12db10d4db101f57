"""Disputes: claims, evidence, rulings, and what a ruling changes."""
