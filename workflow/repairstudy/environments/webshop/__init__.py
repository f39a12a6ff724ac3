"""An online shop with text pages, rebuilt from the published WebShop."""

from repairstudy.environments.webshop.environment import Webshop

__all__ = ["Webshop"]
