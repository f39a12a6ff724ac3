"""What a study will cost, before it runs: counts, prompts, prices, and what it used in the end."""
