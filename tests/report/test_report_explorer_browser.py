"""The page of failures in a browser: list, filters, links, keyboard, and without any script."""

from statistics import median

import polars as pl
import pytest
from browser import accessibility_faults, opened
from made_up import study_frames
from playwright.sync_api import expect

from repairstudy.records import TABLES
from repairstudy.report.explorer import failures, write_explorer

PHONE = {"width": 390, "height": 844}
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


@pytest.fixture(scope="module")
def labelled(frames):
    """Failures that loop, every second one."""
    views = failures(frames)
    rows = [(view.failure_id, "failure_type", "loop" if n % 2 else "dead_end", f"step {n}")
            for n, view in enumerate(views)]  # fmt: skip
    table = pl.DataFrame(rows, TABLES["failure_labels"].schema, orient="row")
    return {**frames, "failure_labels": table}


@pytest.fixture(scope="module")
def views(labelled):
    return failures(labelled)


@pytest.fixture(scope="module")
def path(labelled, tmp_path_factory):
    page = tmp_path_factory.mktemp("explorer") / "explorer.html"
    write_explorer(labelled, page)
    return page


@pytest.fixture
def page(chromium, path):
    with opened(chromium, path) as shown:
        yield shown


def listed(page):
    return page.locator("ol.list > li:visible a").all_inner_texts()


def at_hash(page, name):
    page.evaluate("(name) => { location.hash = name; }", name)
    page.wait_for_function("(name) => location.hash === '#' + name", arg=name)


def overflow(page):
    """By how many pixels the page is wider than its window."""
    return page.evaluate("document.documentElement.scrollWidth - innerWidth")


# ---- The list


def test_every_failure_is_listed_in_the_order_of_the_pools(page, views):
    assert listed(page) == [view.pools[0] for view in views]
    assert page.locator("#count").inner_text() == "16 of 16 failures"
    assert page.locator("section.failure:visible").count() == 0


def test_filters_and_search_leave_what_has_all_that_was_asked_for(page, views):
    page.select_option("#executor", label="policy-strong")
    page.select_option("#labels", label="failure type: loop (8)")
    assert listed(page) == [view.pools[0] for view in views[1::2] if view.deployed != "smollm2"]
    page.get_by_label("some candidate helps").check()
    kept = [view for view in views[1::2] if view.deployed != "smollm2" and view.helps]
    assert listed(page) == [view.pools[0] for view in kept]
    assert page.locator("#count").inner_text() == f"{len(kept)} of 16 failures"
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#count")).to_have_text("16 of 16 failures")


def test_a_filter_asks_for_who_chose_badly(page, views):
    page.select_option("#bad", index=1)
    label = page.locator("#bad option:checked").inner_text().rpartition(" (")[0]
    bad = [v.pools[0] for v in views if label in {one.label for one in v.choosers if one.bad}]
    assert listed(page) == bad
    assert 0 < len(bad) < 16


def test_search_finds_ids_and_words_of_the_story_alike(page, views):
    page.fill("#search", views[3].failure_id[:12].upper())
    assert listed(page) == [views[3].pools[0]]
    page.fill("#search", "DOWN wall  left pit")
    assert len(listed(page)) == 16
    page.fill("#search", "no such word")
    assert listed(page) == []


def test_the_list_can_be_sorted_and_stays_filtered(page, views):
    page.select_option("#sort", label="net gain within reach")
    assert listed(page) == [v.pools[0] for v in sorted(views, key=lambda v: -v.reach[0])]
    page.select_option("#pools", label="smollm2-screened")
    screened = [v for v in views if "smollm2-screened" in v.pool_names]
    assert listed(page) == [v.pools[0] for v in sorted(screened, key=lambda v: -v.reach[0])]
    page.select_option("#sort", index=0)
    assert listed(page) == [v.pools[0] for v in screened]


# ---- One failure


def test_a_link_opens_one_failure_and_the_way_back_returns_to_the_list(page, views):
    heading = page.locator("section.failure:visible h2")
    page.locator("ol.list a").nth(2).click()
    expect(heading).to_contain_text(f"{views[2].pools[0]}: ")
    assert page.url.endswith(f"#failure-{views[2].failure_id}")
    assert page.locator("ol.list").is_hidden()
    assert page.locator("#place").inner_text() == "3 of 16"
    page.get_by_role("link", name="Next", exact=True).click()
    expect(heading).to_contain_text(f"{views[3].pools[0]}: ")
    page.keyboard.press("Escape")
    page.locator("ol.list").wait_for(state="visible")
    assert page.locator("section.failure:visible").count() == 0
    page.go_back()
    page.locator("section.failure:visible").wait_for()


def test_next_and_previous_follow_the_filtered_list(page, views):
    page.select_option("#executor", label="policy-strong")
    page.locator("ol.list > li:visible a").first.click()
    expect(page.locator("#place")).to_have_text("1 of 8")
    assert page.locator("#before").is_hidden()


def test_an_address_with_a_failure_opens_it_at_its_position(chromium, path, views):
    context = chromium.new_context(offline=True, viewport={"width": 1000, "height": 500})
    page = context.new_page()
    last = views[5].positions[-1]
    page.goto(f"{path.resolve().as_uri()}#{views[5].anchor}-step-{last.t}")
    shown = page.locator("section.failure:visible")
    assert shown.locator("h2").inner_text().startswith(views[5].pools[0])
    top = shown.locator(f"h3[id$='-step-{last.t}']").bounding_box()["y"]
    assert 0 <= top < 500
    context.close()


def test_a_cell_shows_its_rollouts_and_their_actions(page, views):
    at_hash(page, views[0].anchor)
    position = page.locator("section.position:visible").first
    position.locator("td[data-cell] button").first.click()
    told = position.locator(".asked-rollouts")
    assert told.locator("tbody tr").count() == 10
    assert told.locator("tbody tr").first.inner_text().split("\t")[0] == "0"
    assert told.locator("tbody td:last-child").first.inner_text() == "up"
    position.locator("td[data-cell] button").nth(1).click()
    assert position.locator(".asked-rollouts").count() == 1
    position.locator("td[data-cell] button").nth(1).click()
    assert position.locator(".asked-rollouts").count() == 0


def test_the_keyboard_alone_reaches_list_failure_and_rollouts(page, views):
    page.locator("ol.list a").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    shown = page.locator("section.failure:visible")
    shown.wait_for()
    assert shown.locator("h2").inner_text().startswith(views[1].pools[0])
    expect(shown.locator("h2")).to_be_focused()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('td[data-cell] button')"):
            break
    page.keyboard.press("Enter")
    shown.locator(".asked-rollouts tbody tr").first.wait_for()
    page.keyboard.press("Escape")
    page.locator("ol.list").wait_for(state="visible")
    expect(page.locator(":focus")).to_have_text(views[1].pools[0])


# ---- Without a script, on a phone, for everybody


def test_without_a_script_it_is_a_plain_page_of_details(chromium, path, views):
    with opened(chromium, path, java_script_enabled=False) as page:
        assert page.locator("#asked").is_hidden()
        assert page.locator("#bar").is_hidden()
        assert page.locator("ol.list > li:visible").count() == 16
        sections = page.locator("section.failure > details")
        assert sections.count() == 16
        assert sections.first.is_visible()
        assert page.locator("section.failure h2:visible").count() == 0
        sections.nth(1).locator("summary").first.click()
        assert page.locator("section.failure h2:visible").inner_text().startswith(views[1].pools[0])


def test_without_a_script_a_link_of_the_list_opens_its_failure(chromium, path, views):
    with opened(chromium, path, java_script_enabled=False) as page:
        page.locator("ol.list a").nth(4).click()
        heading = page.locator("section.failure h2:visible")
        heading.wait_for()
        assert heading.inner_text().startswith(views[4].pools[0])


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_nothing_is_wider_than_the_window(chromium, path, views, viewport, script):
    options = {"viewport": viewport} if viewport else {}
    with opened(chromium, path, java_script_enabled=script, **options) as page:
        assert overflow(page) <= 0
        if script:
            at_hash(page, views[0].anchor)
        page.evaluate(OPEN_ALL)
        assert overflow(page) <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_list_and_failure_are_accessible(chromium, labelled, views, tmp_path, scheme):
    path = tmp_path / "explorer.html"
    write_explorer(labelled, path, most=1)
    with opened(chromium, path, color_scheme=scheme) as page:
        assert accessibility_faults(page) == []
        at_hash(page, views[0].anchor)
        page.evaluate(OPEN_ALL)
        page.locator("section.failure:visible td[data-cell] button").first.click()
        assert accessibility_faults(page) == []


# ---- Speed


APPLY = """([id, value]) => {
  const element = document.getElementById(id);
  const started = performance.now();
  if (element.type === "checkbox") element.checked = value; else element.value = value;
  element.dispatchEvent(new Event("input", { bubbles: true }));
  document.body.offsetHeight;
  return performance.now() - started;
}"""


def test_120_failures_are_filtered_at_once(chromium, tmp_path):
    write_explorer(study_frames(failures=60), tmp_path / "explorer.html")
    with opened(chromium, tmp_path / "explorer.html") as page:
        page.evaluate(APPLY, ["search", "up"])  # reads the stories, once
        asked = [("search", "wall"), ("search", "wall pit layout-0"), ("search", ""),
                 ("helps", True), ("executor", "1"), ("disagree", True), ("disagree", False),
                 ("sort", "gain"), ("bad", "1"), ("bad", ""), ("helps", False)]  # fmt: skip
        took = [page.evaluate(APPLY, [*one]) for one in asked]
        print({one: round(ms, 1) for one, ms in zip(asked, took, strict=True)})
        assert page.locator("#count").inner_text() == "60 of 120 failures"
        assert median(took) < 30
