"""What `repairstudy plan-size` is made of: spreads and costs, sizes, texts."""
