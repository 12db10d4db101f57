"""Boards, far boards and drivers that do what none may do, and boards that play beside them."""
