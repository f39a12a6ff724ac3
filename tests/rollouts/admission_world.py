"""Episodes, environments and a batching engine with a cache of prefixes, on a simulated clock.

The engine works as vLLM does: in each step every running request gets a token, new requests are
read first, and what of a prompt is still in the cache is not read again. The cache forgets whole
conversations, the least recently used first, and never a running one.
"""

import heapq
import random
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass, field

from repairstudy.engines.load import Load

TICK_S, LOOK_S = 0.2, 2.0


@dataclass(frozen=True)
class Setting:
    """Seconds, tokens, and how many at once."""

    places: int = 32  # requests at the engine
    cache: float = 1e9  # tokens
    step_s: float = 0.012  # of the whole batch
    request_s: float = 0.00005  # more for each request in it
    read_s: float = 0.00005  # for each prompt token that is not cached
    prompt: int = 500  # tokens at the start
    turn: int = 60  # more with each turn
    answer: int = 16
    turns: tuple = (5, 25)
    start_s: float = 0.0  # of an environment
    environment_s: float = 0.0  # a step, times 0.5 to 1.5
    environments: int = 10**9  # that can work at once


@dataclass
class Episode:
    tokens: int
    turns: int


@dataclass
class World:
    """Runs episodes without end; `may_be_open(now, opened, waiting, load)` says how many."""

    setting: Setting
    may_be_open: object
    seed: int = 1
    opened: int = 0
    answers: list = field(default_factory=list)  # when each came
    numbers: list = field(default_factory=list)  # of open episodes, at each tick

    def __post_init__(self):
        self.now, self.count, self.events = 0.0, 0, []
        self.draws = random.Random(self.seed)
        self.queue, self.reading, self.waiting = deque(), deque(), deque()
        self.inside = self.running = self.stepping = self.steps = 0
        self.ending = defaultdict(list)  # running requests by the step that ends them
        self.cached, self.filled, self.pinned = OrderedDict(), 0, {}
        self.busy, self.allowed, self.holds, self.looked = False, 0, None, 0.0

    def rate(self, seconds=120.0, skip=30.0):
        """Answers a second, after a start that does not count."""
        self.tick()
        while self.now < seconds:
            self.now, _, do, arguments = heapq.heappop(self.events)
            do(*arguments)
        return sum(moment > skip for moment in self.answers) / (seconds - skip)

    def at(self, seconds, do, *arguments):
        self.count += 1
        heapq.heappush(self.events, (self.now + seconds, self.count, do, arguments))

    def tick(self):
        if self.now - self.looked >= LOOK_S:
            used = sum(self.pinned.values()) / self.setting.cache
            self.holds, self.looked = self.running / used if used else None, self.now
        load = Load(self.setting.places, self.inside, len(self.queue), self.holds)
        self.allowed = self.may_be_open(self.now, self.opened, len(self.waiting), load)
        self.numbers.append(self.opened)
        while self.opened < self.allowed:
            self.open()
        self.at(TICK_S, self.tick)

    def open(self):
        self.opened += 1
        episode = Episode(self.setting.prompt, self.draws.randint(*self.setting.turns))
        self.environment(episode, self.setting.start_s)

    def environment(self, episode, mean_s):
        if self.stepping >= self.setting.environments:
            self.waiting.append((episode, mean_s))
            return
        self.stepping += 1
        self.at(mean_s * (0.5 + self.draws.random()), self.stepped, episode)

    def stepped(self, episode):
        self.stepping -= 1
        if self.waiting:
            self.environment(*self.waiting.popleft())
        if episode.turns:
            self.queue.append(episode)
            self.send()
            return
        self.opened -= 1
        if self.opened < self.allowed:
            self.open()

    def send(self):
        while self.queue and self.inside < self.setting.places:
            self.inside += 1
            self.reading.append(self.queue.popleft())
        if not self.busy:
            self.step()

    def step(self):
        fresh = 0
        while self.reading and self.make_room(self.reading[0]):
            episode = self.reading.popleft()
            known = self.cached.get(id(episode), 0)
            needed = episode.tokens + self.setting.answer
            fresh += episode.tokens - known if known < episode.tokens else 0
            self.filled += needed - known
            self.cached[id(episode)] = self.pinned[id(episode)] = needed
            self.cached.move_to_end(id(episode))
            self.running += 1
            self.ending[self.steps + self.setting.answer].append(episode)
        self.busy = bool(self.running)
        if self.busy:
            took = self.setting.step_s + self.setting.request_s * self.running
            self.at(took + self.setting.read_s * fresh, self.step_done)

    def make_room(self, episode):
        missing = episode.tokens + self.setting.answer - self.cached.get(id(episode), 0)
        while self.filled + missing > self.setting.cache:
            idle = (k for k in self.cached if k not in self.pinned and k != id(episode))
            oldest = next(idle, None)
            if oldest is None:
                return False
            self.filled -= self.cached.pop(oldest)
        return True

    def step_done(self):
        self.steps += 1
        for episode in self.ending.pop(self.steps, ()):
            self.running -= 1
            self.inside -= 1
            del self.pinned[id(episode)]
            self.answers.append(self.now)
            episode.tokens += self.setting.turn
            episode.turns -= 1
            self.environment(episode, self.setting.environment_s)
        self.busy = False
        self.send()
