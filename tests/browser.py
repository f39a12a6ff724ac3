"""Pages as a reader's browser shows them: the system's Chromium, headless and without network."""

import os
import shutil
from contextlib import contextmanager

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
REQUIRED = "REPAIRSTUDY_CHROMIUM"  # its path, for a machine that has it under another name
# What WCAG 2.1 AA asks for, and axe's own advice beside it.
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def find_chromium():
    """The program; skips the test on a machine that has none."""
    found = os.environ.get(REQUIRED) or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip(f"no Chromium here: install it, or set {REQUIRED} to its path")
    return found


@contextmanager
def browser():
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=find_chromium(), args=["--no-sandbox", "--disable-gpu"]
        )
        try:
            yield started
        finally:
            started.close()


@contextmanager
def opened(chromium, path, **options):
    """A page opened from disk; fails if it logs an error, runs `alert` or asks for the network.

    Args:
        options: of the browser context, as `java_script_enabled=False`, `color_scheme="dark"`,
            `viewport={"width": 390, "height": 844}`.
    """
    context = chromium.new_context(offline=True, **options)
    page = context.new_page()
    trouble = []

    def dialog(shown):
        trouble.append(f"a dialog says {shown.message}")
        shown.dismiss()

    page.on("console", lambda message: message.type == "error" and trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", dialog)
    page.on(
        "request",
        lambda request: (
            request.url.startswith(("file:", "data:", "blob:"))
            or trouble.append(f"asks for {request.url}")
        ),
    )
    try:
        page.goto(path.resolve().as_uri())
        yield page
        assert not trouble, trouble
    finally:
        context.close()


def accessibility_faults(page):
    """What axe-core finds: rule, help and the elements, a line each."""
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    return [
        f"{fault['id']}: {fault['help']}: {[node['html'][:120] for node in fault['nodes'][:3]]}"
        for fault in found.response["violations"]
    ]
