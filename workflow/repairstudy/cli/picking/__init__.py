"""What `repairstudy pick` is made of: failed runs read, arms restored, rollouts, the choice."""
