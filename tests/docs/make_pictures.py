"""The pictures of the documentation, from a finished default study.

    .venv/bin/python -m tests.docs.make_pictures results/gridworld

writes docs/assets/*.png: two figures of the study, and its pages as a browser shows them. Needs
Chromium. Colours are reduced to 64, which these pictures bear and which keeps them small.
"""

import io
import sys
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import browser

ASSETS = Path(__file__).parents[2] / "docs/assets"
WIDTH = 1000
FIGURES = {"mismatch": "mismatch_split", "losses": "losses"}  # picture -> figure of the study
FAILURE = "smollm2-001"  # short, and it matters there what is chosen


def main(study):
    pictures = {name: (study / f"figures/{of}.png").read_bytes() for name, of in FIGURES.items()}
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": WIDTH, "height": 800}, color_scheme="light")
        page.goto((study / "report.html").resolve().as_uri())
        pictures["report"] = page.screenshot()
        page.goto((study / "explorer.html").resolve().as_uri())
        page.locator(f"ol.list a[href='#failure-{FAILURE}']").first.click()
        page.locator("section.failure:visible").wait_for()
        pictures["explorer"] = page.screenshot()
    for name, content in pictures.items():
        save(content, ASSETS / f"{name}.png")


def save(content, path):
    picture = Image.open(io.BytesIO(content)).convert("RGB")
    picture.thumbnail((WIDTH, WIDTH), Image.Resampling.LANCZOS)
    picture.quantize(64).save(path, optimize=True)
    print(f"{path.name} {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
