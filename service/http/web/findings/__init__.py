"""The page of findings, and famous quarrels with what is found of them."""
