"""What `repairstudy import-runs` and a study of imported failures are made of."""
