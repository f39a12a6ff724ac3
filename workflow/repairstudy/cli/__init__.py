"""Entry points: the frame around every script of a rule, and the command line."""
