"""The words that invented products are made of: our own, taken from no real catalogue."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of product.

    Attributes:
        one, many: its name.
        path: the levels of its category below the department's.
        price: a typical price in dollars.
        groups: names of the option groups that such products may have (see `OPTIONS`).
    """

    one: str
    many: str
    path: tuple[str, ...]
    price: float
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Department:
    """A part of the shop: its kinds, the styles they come in, and what is said about them."""

    top: str
    kinds: tuple[Kind, ...]
    styles: tuple[str, ...]
    attributes: tuple[str, ...]
    extras: tuple[str, ...]


def _kinds(text: str) -> tuple[Kind, ...]:
    """One kind a line: one | many | path > levels | price | group, group."""
    kinds = []
    for line in text.strip().splitlines():
        one, many, path, price, groups = (part.strip() for part in line.split("|"))
        levels = tuple(level.strip() for level in path.split(">"))
        names = tuple(name.strip() for name in groups.split(",") if name.strip())
        kinds.append(Kind(one, many, levels, float(price), names))
    return tuple(kinds)


def listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


_FASHION = """
rain jacket | rain jackets | Outerwear > Jackets | 48 | color, clothes size
wool sweater | wool sweaters | Knitwear > Sweaters | 36 | color, clothes size
linen shirt | linen shirts | Tops > Shirts | 27 | color, clothes size, fit
pleated skirt | pleated skirts | Bottoms > Skirts | 24 | color, clothes size
cargo trousers | cargo trousers | Bottoms > Trousers | 33 | color, clothes size, fit
ankle boots | ankle boots | Shoes > Boots | 62 | color, shoe size
canvas sneakers | canvas sneakers | Shoes > Sneakers | 41 | color, shoe size
knit beanie | knit beanies | Accessories > Hats | 14 | color
leather belt | leather belts | Accessories > Belts | 19 | color, clothes size
pajama set | pajama sets | Sleepwear > Sets | 29 | color, clothes size
swim shorts | swim shorts | Swimwear > Shorts | 22 | color, clothes size
wrap dress | wrap dresses | Dresses > Wrap | 39 | color, clothes size
"""
_BEAUTY = """
face serum | face serums | Skin Care > Serums | 21 | scent, bottle
body lotion | body lotions | Skin Care > Lotions | 13 | scent, bottle
lip tint | lip tints | Makeup > Lips | 9 | shade
brow pencil | brow pencils | Makeup > Brows | 8 | shade
hair mask | hair masks | Hair Care > Masks | 16 | scent, bottle
shampoo bar | shampoo bars | Hair Care > Shampoo | 11 | scent, pack
nail polish | nail polishes | Nails > Polish | 7 | shade, pack
makeup brush set | makeup brush sets | Tools > Brushes | 23 | color
bath salt | bath salts | Bath > Salts | 12 | scent, pack
beard oil | beard oils | Grooming > Oils | 15 | scent, bottle
sun cream | sun creams | Skin Care > Sun | 14 | bottle
perfume oil | perfume oils | Fragrance > Oils | 28 | scent, bottle
"""
_ELECTRONICS = """
charging cable | charging cables | Accessories > Cables | 9 | color, length
wireless earbuds | wireless earbuds | Audio > Earbuds | 44 | color
desk speaker | desk speakers | Audio > Speakers | 57 | color
tablet sleeve | tablet sleeves | Accessories > Sleeves | 18 | color, screen
phone stand | phone stands | Accessories > Stands | 15 | color
camera strap | camera straps | Photo > Straps | 17 | color, length
memory card | memory cards | Storage > Cards | 25 | capacity
power bank | power banks | Power > Banks | 32 | color, capacity
keyboard | keyboards | Computers > Keyboards | 51 | color, layout
projector screen | projector screens | Video > Screens | 83 | screen
smart plug | smart plugs | Home > Plugs | 20 | pack
webcam | webcams | Computers > Cameras | 46 | color
"""
_GARDEN = """
throw pillow | throw pillows | Decor > Pillows | 18 | color, cloth size
area rug | area rugs | Decor > Rugs | 74 | color, rug size
floor lamp | floor lamps | Lighting > Lamps | 66 | color
storage bench | storage benches | Furniture > Benches | 118 | color
window curtain | window curtains | Textiles > Curtains | 31 | color, cloth size
wall shelf | wall shelves | Furniture > Shelves | 42 | color, length
garden lantern | garden lanterns | Outdoor > Lanterns | 27 | color, pack
side table | side tables | Furniture > Tables | 88 | color
bed blanket | bed blankets | Textiles > Blankets | 37 | color, bed size
plant pot | plant pots | Outdoor > Pots | 21 | color, pack
canvas print | canvas prints | Decor > Prints | 34 | cloth size
bar stool | bar stools | Furniture > Stools | 95 | color, pack
"""
_GROCERY = """
oat granola | oat granolas | Breakfast > Granola | 11 | flavor, weight
green tea | green teas | Drinks > Tea | 9 | flavor, pack
ground coffee | ground coffees | Drinks > Coffee | 14 | flavor, weight
trail mix | trail mixes | Snacks > Mixes | 12 | flavor, weight
protein bar | protein bars | Snacks > Bars | 19 | flavor, pack
rice cracker | rice crackers | Snacks > Crackers | 7 | flavor, pack
nut butter | nut butters | Pantry > Spreads | 10 | flavor, weight
pasta sauce | pasta sauces | Pantry > Sauces | 6 | flavor, pack
dark chocolate | dark chocolates | Sweets > Chocolate | 8 | flavor, weight
dried mango | dried mangos | Snacks > Fruit | 13 | weight, pack
lentil soup | lentil soups | Pantry > Soups | 5 | flavor, pack
spice blend | spice blends | Pantry > Spices | 7 | flavor, weight
"""

DEPARTMENTS = {
    "fashion": Department(
        "Clothing & Wear",
        _kinds(_FASHION),
        listed("womens, mens, kids, winter, summer, travel, office, evening, trail, yoga"),
        listed(
            "machine washable, quick drying, wrinkle resistant, water repellent, stretch fabric, "
            "soft lining, deep pockets, hand stitched, slim fit, relaxed fit, long sleeve, "
            "rubber sole, arch support, elastic waist, breathable mesh, organic cotton, "
            "fade resistant, tumble dry, button closure, hidden zipper, light weight, hooded"
        ),
        listed("hood, lining, pockets, collar, cuffs, drawstring, buckle, buttons"),
    ),
    "beauty": Department(
        "Beauty & Care",
        _kinds(_BEAUTY),
        listed("daily, overnight, sensitive, travel, mens, vegan, mineral, salon, bridal, herbal"),
        listed(
            "cruelty free, fragrance free, paraben free, plant based, long lasting, "
            "fast absorbing, dry skin, oily skin, fine hair, curly hair, color safe, "
            "dermatologist tested, "
            "shea butter, aloe vera, argan oil, vitamin c, hyaluronic acid, green tea, "
            "smudge proof, easy to apply, refillable, gentle cleansing"
        ),
        listed("pump, dropper, case, mirror, applicator, refill, pouch, sampler"),
    ),
    "electronics": Department(
        "Electronics & Gear",
        _kinds(_ELECTRONICS),
        listed("gaming, travel, office, studio, outdoor, car, mini, vintage, classroom, marine"),
        listed(
            "fast charging, noise cancelling, long battery life, water resistant, plug and play, "
            "high speed, high resolution, easy to install, braided cord, aluminum alloy, "
            "wireless charging, touch control, low latency, shock proof, non slip, compact size, "
            "quick release, heavy duty, low power, dust proof, stereo sound, carrying case"
        ),
        listed("adapter, mount, remote, holder, controller, hub, dock, clip"),
    ),
    "garden": Department(
        "Home & Garden",
        _kinds(_GARDEN),
        listed(
            "farmhouse, modern, rustic, coastal, patio, nursery, loft, bedroom, balcony, library"
        ),
        listed(
            "solid wood, easy to clean, easy to assemble, space saving, hand woven, "
            "stain resistant, weather resistant, memory foam, blackout, energy efficient, "
            "stainless steel, "
            "machine washable, anti slip, double sided, heavy duty, natural fiber, ready to hang, "
            "adjustable height, powder coated, non toxic, living room, dining room"
        ),
        listed("frame, hooks, legs, tassels, cushion, drawer, bracket, cover"),
    ),
    "grocery": Department(
        "Food & Drink",
        _kinds(_GROCERY),
        listed(
            "organic, family, gourmet, hiking, office, holiday, breakfast, vegan, island, harvest"
        ),
        listed(
            "gluten free, dairy free, nut free, low sodium, low sugar, high protein, "
            "high fiber, non gmo, no preservatives, fair trade, small batch, keto friendly, "
            "ready to eat, "
            "individually wrapped, resealable bag, whole grain, caffeine free, stone ground, "
            "slow roasted, kosher, shelf stable, gift basket"
        ),
        listed("sampler, refill, tin, basket, jar, pouch, box, bundle"),
    ),
}
