"""Pages of an invented shop, as agents see them."""

from __future__ import annotations

from repairstudy.executors import AgentView

INSTRUCTION = (
    "Find me machine wash men's shirts with long sleeve with color: dark blue, and size: x-large,"
    " and price lower than 30.00 dollars"
)
HEAD = f"Instruction: [SEP] {INSTRUCTION} [SEP] Back to Search"
SEARCH = f"WebShop [SEP] Instruction: [SEP] {INSTRUCTION} [SEP] Search"
RESULTS = (
    f"{HEAD} [SEP] Page 1 (Total results: 4) [SEP] Next > "
    "[SEP] A000000001 [SEP] Mens Long Sleeve Shirt, Machine Wash [SEP] $19.5 "
    "[SEP] A000000002 [SEP] Long dark curtain [SEP] $25.0 to $45.0 "
    "[SEP] A000000003 [SEP] Shirts for men, long sleeves, machine washable [SEP] $12.0 "
    "[SEP] A000000004 [SEP] Lamp [SEP] $1,030.0"
)
ITEM = (
    f"{HEAD} [SEP] < Prev [SEP] color [SEP] dark blue [SEP] light blue [SEP] red "
    "[SEP] size [SEP] large [SEP] x-large [SEP] fit [SEP] slim "
    "[SEP] Mens Long Sleeve Shirt, Machine Wash [SEP] Price: $19.5 [SEP] Rating: N.A. "
    "[SEP] Description [SEP] Features [SEP] Reviews [SEP] Buy Now"
)
SUB = f"{HEAD} [SEP] < Prev [SEP] A shirt with long sleeves. Dark."
DONE = "Thank you for shopping with us! [SEP] Your score (min 0.0, max 1.0) [SEP] 1.0"

QUERY = (
    "search[find me machine wash men's shirts with long sleeve with color: dark blue, and "
    "size: x-large]"
)
RESULT_CLICKS = ("back to search", "next >", *(f"a00000000{n}" for n in range(1, 5)))
ITEM_CLICKS = (
    *("back to search", "< prev", "description", "features", "reviews", "buy now"),
    *("dark blue", "light blue", "red", "large", "x-large", "slim"),
)
SUB_CLICKS = ("back to search", "< prev")


def clicks(*items: str) -> tuple[str, ...]:
    return tuple(f"click[{item}]" for item in items)


def view(*steps: str, admissible: tuple[str, ...]) -> AgentView:
    """Observations and actions by turns, beginning and ending with an observation."""
    return AgentView(INSTRUCTION, steps[0::2], steps[1::2], admissible)


AT_SEARCH = view(SEARCH, admissible=("search[<query>]",))
AT_RESULTS = view(SEARCH, QUERY, RESULTS, admissible=clicks(*RESULT_CLICKS))
ON_ITEM = (SEARCH, QUERY, RESULTS, "click[a000000001]", ITEM)
AT_ITEM = view(*ON_ITEM, admissible=clicks(*ITEM_CLICKS))
AT_SUB = view(*ON_ITEM, "click[description]", SUB, admissible=clicks(*SUB_CLICKS))
AT_END = view(*ON_ITEM, "click[buy now]", DONE, admissible=())
VIEWS = (AT_SEARCH, AT_RESULTS, AT_ITEM, AT_SUB, AT_END)
