"""The colour words that the shop's scoring knows, in the order in which it looks for them."""

from __future__ import annotations

# The first in this order that an option contains is the one that counts: "green blue" is blue.
_WORDS = """
alabaster apricot aqua ash asphalt azure banana beige black blue blush bordeaux bronze brown
burgundy camel camo caramel champagne charcoal cheetah chestnut chocolate christmas coffee
cognac copper coral cranberry cream crystal dark denim eggplant elephant espresso fuchsia
gold granite grape graphite grass gray green grey heather indigo ivory ivy khaki lavender
lemon leopard light lilac lime magenta maroon mauve merlot midnight mint mocha multicolor
mushroom mustard natural navy nude olive orange peach pewter pink plum purple rainbow red
rose royal rust sand sapphire seashell silver skull slate steel stone stonewash sunflower
tan taupe teal tiger turquoise violet walnut wheat white wine yellow
"""
COLOURS = tuple(_WORDS.split())
