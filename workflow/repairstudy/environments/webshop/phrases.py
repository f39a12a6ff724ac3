"""Options, brands and sentences of invented products: our own, taken from no real catalogue."""

from __future__ import annotations

from repairstudy.environments.webshop.vocabulary import listed

OPTIONS = {
    "color": listed(
        "Black, White, Navy, Charcoal Grey, Light Grey, Dark Grey, Forest Green, Sky Blue, "
        "Burgundy, Ivory, Black/White, Blue-2, Sand, Teal, Mustard Yellow, Rust, Brown/Beige, "
        "Plum, Olive, Pink Check, Whitewash, Bluestone, Navy7"
    ),
    "shade": listed("Rose 01, Rose 02, Brick Red, Nude Beige, Deep Plum, Coral 3, Cocoa, Clear"),
    "clothes size": listed("X-Small, Small, Medium, Large, X-Large, XX-Large, 3X-Large"),
    "shoe size": listed("6, 6.5, 7, 7.5, 8, 8.5, 9, 10, 11"),
    "fit": listed("Regular, Tall, Petite"),
    "scent": listed("Lavender, Cedar, Citrus, Unscented, Vanilla, Sea Salt, Rose, Eucalyptus"),
    "bottle": listed("1 fl oz, 2 fl oz, 4 fl oz, 8 fl oz, 50 ml, 100 ml"),
    "pack": listed("1 Pack, 2 Pack, 3 Pack, 4 Pack, 6 Pack, 12 Pack"),
    "length": listed("3 ft, 6 ft, 10 ft, 16 inch, 24 inch, 36 inch"),
    "screen": listed("8 inch, 10 inch, 11 inch, 13 inch, 84 inch, 100 inch"),
    "capacity": listed("32 GB, 64 GB, 128 GB, 5000 mAh, 10000 mAh, 20000 mAh"),
    "layout": listed("US, UK, German, French"),
    "cloth size": listed('16" x 16", 18" x 18", 20" x 30", 42" x 63", 52" x 84", 24 x 36 inch'),
    "rug size": listed("2' x 3', 4' x 6', 5' x 8', 8' x 10', 2' x 8' Runner"),
    "bed size": listed("Twin, Full, Queen, King, California King"),
    "flavor": listed(
        "Original, Honey, Cinnamon, Sea Salt, Maple, Berry, Lemon Ginger, Cocoa, Smoky, Vanilla"
    ),
    "weight": listed("6 Ounce, 12 Ounce, 1 Pound, 2 Pound, 5 Pound"),
}
# How a group is called on the page; several kinds of size are all "Size".
GROUP_NAMES = {
    "color": "Color",
    "shade": "Color",
    "clothes size": "Size",
    "shoe size": "Size",
    "cloth size": "Size",
    "rug size": "Size",
    "bed size": "Size",
    "bottle": "Size",
    "screen": "Size",
    "weight": "Size",
    "fit": "Fit Type",
    "scent": "Scent",
    "pack": "Package Quantity",
    "length": "Length",
    "capacity": "Capacity",
    "layout": "Layout",
    "flavor": "Flavor Name",
}

SYLLABLES = listed(
    "bra, cor, dun, el, fen, gar, hol, ix, jor, kel, lum, mar, nov, or, pra, quin, ros, sel, tor, "
    "ul, ven, wil, yar, zan"
)
ENDINGS = listed("a, en, is, o, ex, um, ley, ton, wick, ora, ine, by")
AUDIENCES = listed(
    "beginners, commuters, families, students, travelers, neighbors, teachers, runners, bakers, "
    "painters, campers, gardeners"
)
MOODS = listed("classic, fresh, sturdy, simple, bold, cozy, bright, quiet, premium, everyday")
SENTENCES = (
    "This {thing} was planned for {audience} who want something {mood} that lasts.",
    "We made the {style} version {mood} on purpose, with {a} in mind.",
    "Every {thing} is checked by hand before it leaves our workshop.",
    "Pair it with other {things} from {brand} for a {mood} look.",
    "The {extra} is {mood} and does its job for years.",
    "If your {thing} does not please you, write to us and we answer within a day.",
    "It arrives in plain paper, ready as a present for {audience}.",
    "Known for {a} and {b}, it has become our most wanted {thing}.",
    "Please look at the measures before you order, since screens show colors differently.",
    "A {mood} choice for {style} days, at home or away.",
)
BULLETS = (
    "{A}: what {audience} asked us for first",
    "{A} and {b}, so you can use it on {style} days",
    "{mood} design with {extra} that suits most {things}",
    "A present that {audience} will really use",
    "{brand} service: a full refund within sixty days",
    "Comes with {extra} and a short guide",
    "Good to know: {a}, tested again with every batch",
    "Made for {style} use, and {mood} enough for every other day",
)
WISHES = (
    "i need {things} that are {a}",
    "looking for a {mood} {style} {one}, {a} please",
    "find {style} {many} with {a}",
    "i would like to buy a {one} for {style} use which is {a}",
)
NOT_NOUNS = frozenset(
    listed(
        "for, with, and, in, of, the, womens, mens, daily, overnight, sensitive, vegan, herbal, "
        "organic, modern, rustic, coastal, mini, outdoor, wireless, smart, dark, dried, pleated, "
        "green, ground, classic, fresh, sturdy, simple, bold, cozy, bright, quiet, premium, "
        "everyday, vintage, free, long, quick, fast, low, high, non, easy, to, ready, soft, deep, "
        "slim, relaxed, hidden, elastic, heavy, light, slow, small, double, natural, adjustable, "
        "resistant, lasting, drying, washable, friendly, gentle, compact, plug"
    )
)
