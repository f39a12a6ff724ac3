"""Products as the shop's files have them, and what is said about files that are broken."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from webshop_shops import DATA, NO_DATA, real_folder

from repairstudy.environments.webshop import jsonfiles
from repairstudy.environments.webshop.draws import KeyedDraws, OriginalDraws, make_draws
from repairstudy.environments.webshop.nouns import compute_nouns, read_nouns
from repairstudy.environments.webshop.prepare import prepare
from repairstudy.environments.webshop.product import Product
from repairstudy.environments.webshop.published import SMALL_SUMS, full_source, small_source
from repairstudy.environments.webshop.sources import Source, Wish, read_listings
from repairstudy.environments.webshop.store import read_marker
from repairstudy.errors import DataError

LAMP: dict[str, Any] = {
    "asin": "B000000001",
    "name": "Desk Lamp",
    "full_description": "Stands.",
    "pricing": "$9.5",
    "small_description": ["Bright", "Cool"],
    "images": ["x.jpg"],
    "product_category": "Home › Lamps",
    "category": "garden",
    "query": " Desk Lamps ",
    "customization_options": "",
}


def write_source(folder: Path, *items: Any, **known: Any) -> Source:
    """Files with some products; `known` is what items_ins says of B000000001."""
    asins = [item["asin"] for item in items if isinstance(item, dict) and "asin" in item]
    content = {
        "items.json": list(items),
        "ins.json": {asin: known if asin == LAMP["asin"] else {} for asin in asins},
        "nouns.json": {"a-model": {asin: ["lamp"] for asin in asins}},
    }
    for name, value in content.items():
        folder.joinpath(name).write_text(json.dumps(value), encoding="utf-8")
    return Source(folder / "items.json", folder / "ins.json", folder / "nouns.json")


def products_of(source: Source, seed: int = 0) -> list[Product]:
    draws = OriginalDraws(seed)
    return [listing.product for listing in read_listings(source, read_nouns(source.nouns), draws)]


def lamp_with(tmp_path: Path, **fields: Any) -> Product:
    return products_of(write_source(tmp_path, {**LAMP, **fields}, attributes=["bright"]))[0]


def test_a_product_is_read_as_the_shop_shows_it(tmp_path: Path) -> None:
    assert lamp_with(tmp_path) == Product(
        asin="B000000001",
        name="Desk Lamp",
        description="Stands.",
        bullets=("Bright", "Cool"),
        price=9.5,
        price_tag="$9.5",
        category="garden",
        query="desk lamps",
        product_category="Home › Lamps",
        options={},
        attributes=("bright",),
        nouns=("lamp",),
    )


@pytest.mark.parametrize(
    ("pricing", "price", "tag"),
    [
        ("$1,024.50", 1024.5, "$1024.5"),
        ("", 100.0, "$100.0"),
        (None, 100.0, "$100.0"),
        ("$5.0$5.0", 5.0, "$5.0 to $5.0"),
        ("$5.0$5.0$9.0", 5.0, "$5.0 to $5.0"),
    ],
)
def test_prices(tmp_path: Path, pricing: str | None, price: float, tag: str) -> None:
    product = lamp_with(tmp_path, pricing=pricing)
    assert (product.price, product.price_tag) == (price, tag)


def test_options_are_lower_case_with_spaced_slashes_and_no_empty_groups(tmp_path: Path) -> None:
    raw = {"Color": [{"value": " Red/Blue "}, {"value": "TAN"}], "Size": None}
    assert lamp_with(tmp_path, customization_options=raw).options == {
        "color": ("red | blue", "tan")
    }


def test_a_text_in_place_of_bullets_is_one_bullet(tmp_path: Path) -> None:
    assert lamp_with(tmp_path, small_description="Bright").bullets == ("Bright",)


def test_the_search_text_has_the_first_bullet_and_all_options(tmp_path: Path) -> None:
    raw = {"Color": [{"value": "Red"}, {"value": "Tan"}], "Size": [{"value": "L"}]}
    product = lamp_with(tmp_path, customization_options=raw)
    assert product.search_text() == ("desk lamp stands. bright color: red, tan, and size: l")


def test_products_without_attributes_have_the_shops_stand_in(tmp_path: Path) -> None:
    assert products_of(write_source(tmp_path, LAMP))[0].attributes == ("DUMMY_ATTR",)


def test_doubled_and_unusable_asins_are_left_out_after_counting(tmp_path: Path) -> None:
    others = [LAMP, {**LAMP, "asin": "nan"}, {**LAMP, "asin": "B0000000001"}]
    last = {**LAMP, "asin": "B000000002"}
    source = write_source(tmp_path, LAMP, *others, last)
    assert [product.asin for product in products_of(source)] == ["B000000001", "B000000002"]
    assert len(products_of(replace(source, num_products=4))) == 1


def test_a_persons_wishes_without_attributes_are_left_out(tmp_path: Path) -> None:
    wish = {"instruction": "a lamp.", "instruction_options": ["red"]}
    wishes = [wish | {"instruction_attributes": names} for names in ([], ["bright"])]
    human = tmp_path / "human.json"
    human.write_text(json.dumps({LAMP["asin"]: wishes}))
    source = replace(write_source(tmp_path, LAMP), human=human, human_goals=True)
    (listing,) = read_listings(source, read_nouns(source.nouns), OriginalDraws(0))
    assert listing.wishes == (Wish("a lamp", ("bright",), ("red",)),)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({**LAMP, "pricing": "free"}, "product B000000001: ValueError: field 'pricing' is 'free'"),
        ({**LAMP, "name": None}, "field 'name' is None, not text"),
        ({**LAMP, "customization_options": "red"}, "is text, not groups of options"),
        ({"asin": "B000000001"}, "product B000000001: lacks name, full_description"),
        ("lamp", "holds 'lamp' in the place of a product"),
    ],
)
def test_a_broken_product_is_named_with_its_field(tmp_path: Path, item: Any, said: str) -> None:
    with pytest.raises(DataError, match=r"items\.json") as caught:
        products_of(write_source(tmp_path, item, attributes=[]))
    assert said in str(caught.value)


def test_missing_files_and_nouns_are_named(tmp_path: Path) -> None:
    source = write_source(tmp_path, LAMP, attributes=[])
    source.nouns.write_text(json.dumps({"a-model": {}}))
    with pytest.raises(DataError, match=r"nouns\.json: product B000000001: has no nouns"):
        products_of(source)
    source.nouns.write_text(json.dumps({"a-model": {}, "b-model": {}}))
    with pytest.raises(DataError, match="holds a-model, b-model"):
        products_of(source)
    source.nouns.unlink()
    with pytest.raises(DataError, match=r"is missing.* install spaCy"):
        products_of(source)
    source.items.unlink()
    source.nouns.write_text(json.dumps({"a-model": {}}))
    with pytest.raises(DataError, match=r"items\.json: cannot be read"):
        products_of(source)


def test_instructions_that_are_missing_are_named(tmp_path: Path) -> None:
    source = write_source(tmp_path, LAMP, attributes=[], instruction="Find it")
    with pytest.raises(DataError, match=r"ins\.json: product B000000001.*instruction_attributes"):
        products_of(source)
    source.attributes.write_text("{}")
    with pytest.raises(DataError, match=r"ins\.json: product B000000001: is missing"):
        products_of(source)
    with pytest.raises(DataError, match=r"need the file items_human_ins\.json"):
        products_of(replace(source, human_goals=True))
    source.attributes.write_text("[]")
    with pytest.raises(DataError, match=r"ins\.json: holds no JSON object"):
        products_of(source)


def test_who_lacks_spacy_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "spacy", None)
    with pytest.raises(DataError, match=r"spaCy is missing.*en_core_web_sm 3\.8\.0"):
        compute_nouns({"B000000001": "Desk Lamp"})


def test_who_lacks_the_published_files_is_told_which_to_fetch(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"lacks items_shuffle_1000\.json, items_ins_v2_1000\.json"):
        small_source([tmp_path])
    with pytest.raises(DataError, match=r"items_human_ins\.json.*setup\.sh -d all"):
        full_source([tmp_path])
    for name in ("items_shuffle_1000.json", "items_ins_v2_1000.json"):
        (tmp_path / name).write_text("[]")
    with pytest.raises(DataError, match=r"lacks name_nouns\.json"):
        small_source([tmp_path / "nothing", tmp_path])


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=9))), st.integers(1, 40))
def test_an_array_is_read_in_pieces_of_any_size(values: list[Any], size: int) -> None:
    text = json.dumps(values, indent=1)
    pieces = (text[start : start + size] for start in range(0, len(text), size))
    assert list(jsonfiles._decoded(Path("x"), pieces)) == values


@pytest.mark.parametrize("text", ["", "{}", '[{"a": 1}', '[{"a": ', '[{"a" 1}]'])
def test_a_file_that_is_cut_off_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "items.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"items\.json: .*Fetch the file again"):
        list(jsonfiles.elements(path))


def test_the_end_of_a_long_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_text('[{"a": 1}, this is no JSON')
    assert next(jsonfiles.elements(path)) == {"a": 1}


def test_corrected_draws_depend_on_the_product_alone() -> None:
    one, other = KeyedDraws(1), make_draws("corrected", 1)
    other.price("B000000009", 1.0, 2.0)
    assert one.price("B000000001", 5.0, 9.0) == other.price("B000000001", 5.0, 9.0)
    amounts = [10.0, 20.0, 30.0, 40.0]
    assert one.limits("B000000001", amounts) == other.limits("B000000001", amounts)
    order = one.order(["a", "b", "c", "d"])
    assert [["a", "b", "c", "d"][place] for place in order if place != 1] == [
        ["a", "c", "d"][place] for place in one.order(["a", "c", "d"])
    ]


@pytest.mark.skipif(not DATA.exists(), reason=NO_DATA)
def test_prices_of_the_real_set_are_those_of_the_original_after_seeding_it_with_0() -> None:
    source = small_source([DATA])
    drawn = json.loads((DATA / "goals_seed0.json").read_text())["ranged_prices"]
    products = products_of(source)
    assert len(products) == 1000
    assert {p.asin: p.price for p in products if " to " in p.price_tag} == drawn


@pytest.mark.skipif(not DATA.exists(), reason=NO_DATA)
def test_the_small_set_is_told_by_its_sum(tmp_path: Path) -> None:
    assert read_marker(Path(real_folder()))["source_sum"] == SMALL_SUMS[False]
    source = small_source([DATA], human_goals=True)
    known = SMALL_SUMS[True]
    with pytest.raises(DataError, match="fetch the files again"):
        prepare(replace(source, num_products=9), tmp_path, "small", expected=known)
    assert not (tmp_path / "prepared.json").exists()
    marker = prepare(source, tmp_path, "small", expected=known)
    assert (marker["source_sum"], marker["goals"], marker["unreachable_goals"]) == (known, 13, 0)
