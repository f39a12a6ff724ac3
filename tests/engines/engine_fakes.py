"""A small server that answers like vLLM, and can be told to misbehave."""

import contextlib
import json
import os
import re
import socket
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from repairstudy.engines.base import ChoiceScores, Completion

PROBE = "Hello 1"  # as in engines.openai, whose import would make a stub server slow to start
WORD = re.compile(r" ?\w+|\W")


@dataclass
class Reply:
    """What the next completion request gets instead of a good answer."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict = field(default_factory=dict)
    wait_s: float = 0.0


class FakeServer:
    """Listens on a port of its own; a context manager.

    Args:
        models: names that it lists, said to be vLLM's if `vllm`.
        replies: bad answers given to the first completion requests, one each.
        key: bearer token that it wants.
        port: 0 for any.
    """

    def __init__(self, models=("small",), replies=(), key=None, vllm=True, port=0):
        self.models, self.replies, self.key, self.vllm = models, list(replies), key, vllm
        self.probes_too = False  # whether those who look who is there get bad answers as well
        self.card = {}  # further entries of the models it lists
        self.signed = {}  # further entries of every answer
        self.probe_tokens = {" up": -0.1, " down": -3.0}
        self.requests = []  # (path, headers, body)
        self.most_at_once = self._at_once = 0
        self.latency_s = 0.0
        self.lifetime, self.afterlife = None, ""  # completions until it dies, hangs, or slows down
        self._begun = time.monotonic()
        self.most, self.refused = None, 0  # completions that it does at once; those it refused
        self.vocabulary = {}
        self._lock = threading.Lock()
        self._open, self._stopped = set(), False
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """End at once, with all connections; harmless if it has ended."""
        if not self._stopped:
            self._stopped = True
            self._server.shutdown()
            self._server.server_close()
            for connection in list(self._open):
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def serve_forever(self):
        self._server.serve_forever()

    def completions(self):
        """Bodies of completion requests, without those that only look who is there."""
        return [
            body
            for path, _, body in self.requests
            if path == "/v1/completions" and body["prompt"] != PROBE
        ]

    def tokenize(self, text):
        pieces = WORD.findall(text)
        return [self.vocabulary.setdefault(piece, len(self.vocabulary)) for piece in pieces]

    def answer(self, path, body):
        if path == "/v1/models":
            owner = "vllm" if self.vllm else "someone"
            return {"data": [{"id": n, "owned_by": owner} | self.card for n in self.models]}
        if path == "/metrics":
            tokens = 7 if self.afterlife == "mute" else time.monotonic() - self._begun
            return f'vllm:generation_tokens_total{{model="m"}} {tokens}\n'
        if path == "/tokenize":
            return {"tokens": self.tokenize(body["prompt"])}
        if path == "/detokenize":
            words = {token: word for word, token in self.vocabulary.items()}
            return {"prompt": "".join(words[token] for token in body["tokens"])}
        if path == "/v1/chat/completions":
            message = {"content": " up", "reasoning_content": "down leads into a wall"}
            choice = {"message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 9, "completion_tokens": 6}
            return {"choices": [choice], "usage": usage} | self.signed
        return self.complete(body) | self.signed

    def complete(self, body):
        """Takes the last of the allowed tokens; gives token i the log-probability -1 - i."""
        choice = {"text": " up", "finish_reason": "length"}
        if "allowed_token_ids" in body:
            choice["token_ids"] = body["allowed_token_ids"][-1:]
        if "logprob_token_ids" in body:
            scores = {f"token_id:{token}": -1.0 - token for token in body["logprob_token_ids"]}
            choice["logprobs"] = {"top_logprobs": [scores]}
        elif "logprobs" in body:
            choice["logprobs"] = {"top_logprobs": [self.probe_tokens]}
        return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}

    def _handler(self):
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # head and body in one packet

            def setup(self):
                super().setup()
                fake._open.add(self.connection)

            def finish(self):
                fake._open.discard(self.connection)
                with contextlib.suppress(OSError):
                    super().finish()

            def do_GET(self):
                self.reply(None)

            def do_POST(self):
                self.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def reply(self, body):
                with fake._lock:
                    fake.requests.append((self.path, dict(self.headers), body))
                    fake._at_once += 1
                    fake.most_at_once = max(fake.most_at_once, fake._at_once)
                    probe = isinstance(body, dict) and body.get("prompt") == PROBE
                    spared = probe and not fake.probes_too
                    bad = self.path == "/v1/completions" and fake.replies and not spared
                    if fake.most and fake._at_once > fake.most and not probe:
                        fake.refused += 1
                        reply = Reply(429)
                    else:
                        reply = fake.replies.pop(0) if bad else self.good(body)
                time.sleep(reply.wait_s or fake.latency_s)
                with fake._lock:
                    fake._at_once -= 1
                self.send(reply)

            def good(self, body):
                wanted = f"Bearer {fake.key}"
                guarded = fake.key and self.path != "/metrics"
                if guarded and self.headers.get("Authorization") != wanted:
                    return Reply(401, json.dumps({"error": "Unauthorized"}).encode())
                answer = fake.answer(self.path, body)
                text = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                if fake.lifetime is not None and len(fake.completions()) > fake.lifetime:
                    if fake.afterlife == "mortal":
                        os._exit(3)
                    if body is not None:
                        return Reply(body=text, wait_s=1.5 if fake.afterlife == "busy" else 60)
                return Reply(body=text)

            def send(self, reply):
                try:
                    if reply.status == 0:  # hang up
                        self.close_connection = True
                        return
                    self.send_response(reply.status)
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(reply.body)))
                    self.end_headers()
                    self.wfile.write(reply.body)
                except OSError:  # the client has given up
                    self.close_connection = True

            def log_message(self, *_):
                pass

        return Handler


class CountingEngine:
    """Answers every question with the same scores, and counts them."""

    def __init__(self, logprobs=(-1.0, -0.5), wait_s=0.0, failures=()):
        self.logprobs, self.failures = tuple(logprobs), list(failures)
        self.wait_s = wait_s
        self.prompts = []
        self.at_once = self.most_at_once = 0
        self.closed = False

    async def score(self, prompt, choices):
        import asyncio

        self.prompts.append(prompt)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.wait_s)
        finally:
            self.at_once -= 1
        if self.failures:
            raise self.failures.pop(0)
        return ChoiceScores(self.logprobs, len(prompt))

    async def complete(self, request):
        return Completion(request.prompt.upper(), "stop", 1, 1)

    async def close(self):
        self.closed = True
