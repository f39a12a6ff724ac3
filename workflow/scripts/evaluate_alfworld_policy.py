"""Play held-out ALFWorld games with a checkpoint, and report its success by type of task.

    python workflow/scripts/evaluate_alfworld_policy.py --model resources/models/alfworld-strong \
        --games ../shared/data/alfworld --limit 30 --episodes 2

Words are drawn as an executor with `decoding.mode: choice` draws them, from the same prompts; the
probabilities come from plain torch, so no server is needed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import defaultdict
from pathlib import Path

import numpy as np

from repairstudy.environments.alfworld import Alfworld
from repairstudy.executors.decoding import action_probabilities
from repairstudy.executors.identity import Decoding
from repairstudy.executors.protocols import AgentView, make_protocol
from repairstudy.executors.words import next_words
from repairstudy.records import generator

BUDGET = 50


class Policy:
    """A checkpoint in a process of its own, where torch is; answers to equal prompts are kept."""

    def __init__(self, model: Path, python: str, protocol: str, prompt: Path, temperature: float):
        script = Path(__file__).with_name("score_choices.py")
        self._process = subprocess.Popen(
            [python, str(script), str(model)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        self._protocol = make_protocol(protocol)
        self._template = prompt.read_text(encoding="utf-8")
        self._decoding = Decoding(mode="choice", temperature=temperature, top_p=0.95)
        self._known: dict[str, list[list[float]]] = {}
        self.asked = self.answered = 0

    def act(self, view: AgentView, rng: np.random.Generator) -> str:
        prompt = self._protocol.prompt(self._template, view)
        options = self._protocol.options(view)
        texts = tuple(options)
        self.asked += 1
        if prompt not in self._known:
            self.answered += 1
            self._known[prompt] = self._score(prompt, texts)
        scores = dict(zip(texts, self._known[prompt], strict=True))
        spoken, level = "", 0
        while texts != (spoken,):
            words = next_words(texts, spoken)
            if len(words) > 1:
                logprobs = [scores[leading[0]][level] for leading in words.values()]
                chances = action_probabilities(logprobs, self._decoding)
                word = list(words)[int(rng.choice(len(words), p=chances))]
            else:
                (word,) = words
            texts, spoken, level = words[word], spoken + word, level + 1
        return options[spoken]

    def _score(self, prompt: str, texts: tuple[str, ...]) -> list[list[float]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([prompt, texts]) + "\n")
        self._process.stdin.flush()
        answer: list[list[float]] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def play(
    environment: Alfworld, task_id: str, policy: Policy, rng: np.random.Generator
) -> tuple[bool, int]:
    """Whether an episode was won within the budget, and its number of steps."""
    first, task = environment.reset(task_id), environment.instruction()
    view = AgentView(task, (first,), (), environment.admissible_actions())
    while view.admissible and len(view.actions) < BUDGET:
        action = policy.act(view, rng)
        step = environment.step(action)
        view = AgentView(
            task,
            (*view.observations, step.observation),
            (*view.actions, action),
            environment.admissible_actions(),
        )
    return environment.outcome().success, len(view.actions)


def evaluate(policy: Policy, environment: Alfworld, episodes: int) -> dict[str, float]:
    """Success by type of task, by split and in all, and what an episode costs."""
    won: dict[str, list[bool]] = defaultdict(list)
    steps: list[int] = []
    for task_id in environment.tasks():
        game = environment.game(task_id)
        for number in range(episodes):
            rng = generator("alfworld evaluation", task_id, number)
            success, length = play(environment, task_id, policy, rng)
            for group in (game.task_type, game.split, "all"):
                won[group].append(success)
            steps.append(length)
    shown = {group: round(float(np.mean(values)), 3) for group, values in sorted(won.items())}
    return shown | {
        "episodes": len(steps),
        "steps": round(float(np.mean(steps)), 1),
        "repeated_prompts": round(1 - policy.answered / policy.asked, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--python", default=".venv-vllm/bin/python", help="where torch is")
    parser.add_argument("--protocol", default="window-3/1")
    parser.add_argument(
        "--prompt", type=Path, default=Path("resources/prompts/alfworld/policy.txt")
    )
    parser.add_argument("--temperature", type=float, default=0.7)
    parser.add_argument("--games", required=True, help="folder of the game files")
    parser.add_argument("--splits", nargs="+", default=["valid_seen", "valid_unseen"])
    parser.add_argument("--limit", type=int, help="number of games, spread over types and scenes")
    parser.add_argument("--episodes", type=int, default=2, help="of each game")
    args = parser.parse_args()
    environment = Alfworld(games=args.games, splits=args.splits, limit=args.limit, workers=1)
    policy = Policy(args.model, args.python, args.protocol, args.prompt, args.temperature)
    print(json.dumps(evaluate(policy, environment, args.episodes), indent=2))
    policy.close()


if __name__ == "__main__":
    main()
