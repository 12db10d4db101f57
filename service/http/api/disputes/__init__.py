"""Disputes: claims, evidence, proposals, rulings and appeals."""
