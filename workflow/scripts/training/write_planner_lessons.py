"""Write what a planner does in the states of many gridworld layouts, as text, one lesson a line.

    python workflow/scripts/training/write_planner_lessons.py --kind strong --seed 1001 --out FILE

Each line is a JSON object: `observation`, and `moves`, all first moves of shortest plans. The
planner of kind `weak` is blind to pits. Runs in the pipeline's environment; needs no torch.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from repairstudy.environments.gridworld.layouts import make_layouts
from repairstudy.environments.gridworld.options import Options
from repairstudy.environments.gridworld.teacher import lessons

KINDS = ("weak", "strong")


def write_lessons(path_to_lessons: Path, kind: str, seed: int, layouts: int) -> int:
    """Write the lessons of a kind; the layouts of the default study are left out.

    Returns:
        The number of lessons.
    """
    # ASSUME the policies learn on the kind of layout that they will act on, not on the layouts.
    studied = set(make_layouts(Options()))
    learned = [
        layout
        for layout in make_layouts(Options(layouts=layouts, seed=seed))
        if layout not in studied
    ]
    lines = [
        json.dumps({"observation": lesson.observation, "moves": list(lesson.moves)})
        for layout in learned
        for lesson in lessons(layout, blind_to_pits=kind == "weak")
    ]
    path_to_lessons.parent.mkdir(parents=True, exist_ok=True)
    path_to_lessons.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--seed", type=int, required=True, help="of the layouts; not the study's")
    parser.add_argument("--layouts", type=int, default=500)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    print(write_lessons(args.out, args.kind, args.seed, args.layouts), "lessons")


if __name__ == "__main__":
    main()
