"""Checks of foreign boards (`board_check`) and of foreign drivers (`driver_kit`)."""
