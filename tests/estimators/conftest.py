"""Properties are checked on many small tables; a slow machine is no failure."""

from hypothesis import settings

settings.register_profile("estimators", deadline=None, max_examples=60)
settings.load_profile("estimators")
