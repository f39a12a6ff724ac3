"""Strings that try to run, to load, to hide or to break a page, and a study full of them."""

import polars as pl

from repairstudy.records import TABLES

PWN = "window.pwned=1"
LONG = "x" * 4000
RIGHT_TO_LEFT = "שלום (1) עולם [2]"
STRINGS = (
    RIGHT_TO_LEFT * 40,
    LONG,
    f"<script>{PWN};alert(1)</script>",
    f"</script><script>{PWN}</script><!--<script>",
    f"</style></title></textarea></select></option><script>{PWN}</script>",
    f'"><img src=x onerror="{PWN}"><img src=\'http://evil.example/a.png\'>',
    f"' onmouseover='{PWN}' autofocus onfocus='{PWN}' x='",
    f"<svg onload={PWN}><animate onbegin={PWN} attributeName=x dur=1s></svg><svg><script>{PWN}",
    f"<iframe srcdoc='<script>parent.{PWN}</script>'></iframe><object data='http://evil.example'>",
    "<base href='http://evil.example/'><meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<link rel=stylesheet href='http://evil.example/a.css'><style>*{display:none!important}</style>",
    f"<details open ontoggle={PWN}><form action='javascript:{PWN}'><button>go</button></form>",
    f"[click](javascript:{PWN}) ![x](http://evil.example/a.png) <javascript:{PWN}>",
    "</td></tr></table></div></section></main></body></html><h1>another page</h1>",
    "{{ 7*7 }}{% for x in range(9) %}{{ x }}{% endfor %} ${7*7} <%= 7*7 %>",
    "]]>--><!-- --!> <![CDATA[ &lt;script&gt; &#60;b&#62; \\u003cb\\u003e",
    "".join(map(chr, range(1, 32))) + "\x7f\x80\x9b2J\u2028\u2029\ufeff\u200b\u00ad",
    "\u202egnp.exe\u202c \u2066\u2067a\u2069 \u200f\u061c" + RIGHT_TO_LEFT,
    "W" * 200 + " " + "\u0301\u0316" * 50,
)
NAME = "<b onclick=window.pwned=1>שלום\u202e"  # in the place of an executor's and of a pool's name

FREE_TEXTS = {
    "trajectories": ("task_id", "instruction", "cluster"),
    "steps": ("observation", "action", "drawing"),
    "candidates": ("action", "sources"),
    "proposals": ("source", "text"),
    "rollouts": ("actions",),
    "failure_labels": ("axis", "label", "evidence"),
    "llm_labels": ("labeller", "axis", "label"),
}


def with_every_table(frames):
    """The study with the tables that a made-up one lacks: texts of proposers, and labels."""
    places = frames["candidates"].select("failure_id", "t", "action").with_row_index("draw")
    proposals = places.with_columns(
        pl.col("draw").cast(pl.Int64), source=pl.lit("smollm2"), text=pl.lit("?")
    )
    names = frames["failures"].select("failure_id").unique(maintain_order=True)
    told = names.with_columns(
        axis=pl.lit("failure_type"), label=pl.lit("loop"), evidence=pl.lit("why"),
        labeller=pl.lit("big"),
    )  # fmt: skip
    found = {"proposals": proposals, "failure_labels": told, "llm_labels": told}
    return {
        **frames,
        **{name: table.select(list(TABLES[name].schema)) for name, table in found.items()},
    }


# What surrounds a hostile text in an environment whose observations or states are laid out.
LAID_OUT = {
    "webshop": ("observation", "Instruction: [SEP] {0} [SEP] Back to Search [SEP] Page 1 (Total "
                "results: 9) [SEP] B000000001 [SEP] {0} [SEP] ${0} [SEP] B000000002 [SEP] {0}"),
    "gridworld": ("drawing", "A < &\n\" \u202e ש\n' . G"),
}  # fmt: skip


def attacked(frames, environment):
    """The study with a hostile string in every free text, all of them one after the other."""
    frames = dict(with_every_table(frames))
    for table, columns in FREE_TEXTS.items():
        for number, column in enumerate(columns):
            frames[table] = _filled(frames[table], column, number)
    if environment in LAID_OUT:
        column, around = LAID_OUT[environment]
        texts = [around.replace("{0}", text) for text in frames["steps"][column]]
        frames["steps"] = frames["steps"].with_columns(pl.Series(column, texts))
    frames["trajectories"] = frames["trajectories"].with_columns(environment=pl.lit(environment))
    named = {name: _named(table) for name, table in frames.items()}
    return named | {name: frames[name] for name in ("provenance", "preregistration")}


def _filled(table, column, start):
    strings = [STRINGS[(start + n) % len(STRINGS)] for n in range(table.height)]
    if table.schema[column] == pl.List(pl.String):
        return table.with_columns(pl.Series(column, [[text, text] for text in strings]))
    return table.with_columns(pl.Series(column, strings, pl.String))


def _named(table):
    """policy-weak gets a hostile name wherever it stands, and every failure a hostile id."""
    texts = [name for name, dtype in table.schema.items() if dtype == pl.String]
    renamed = [pl.col(name).str.replace_all("policy-weak", NAME, literal=True) for name in texts]
    table = table.with_columns(renamed)
    if "failure_id" in table.columns:
        table = table.with_columns(
            pl.concat_str(pl.lit("'\"><i>%20#"), "failure_id").alias("failure_id")
        )
    return table
