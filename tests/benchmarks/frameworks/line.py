"""The world and the model of all frameworks compared: a step of either costs next to nothing.

Without imports, since it is used in the environments of all of them.
"""

TASK = "Walk along the line."
ANSWER = "right"
TOKENS_IN, TOKENS_OUT = 40, 1
STEPS = 20  # of an episode; the world never ends it earlier
AT_ONCE = 256
REPEATS = 3


class Line:
    """Where the walker of one episode is; `steps` counts those of all episodes."""

    steps = 0

    def __init__(self) -> None:
        self.place = 0

    def walk(self, action: str) -> str:
        """What the walker sees after an action."""
        Line.steps += 1
        self.place += action == ANSWER
        return f"You moved {action} and are at place {self.place}."
