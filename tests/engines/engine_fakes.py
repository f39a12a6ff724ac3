"""A small server that answers like vLLM, and can be told to misbehave."""

import json
import re
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from repairstudy.engines.base import ChoiceScores, Completion

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
        self.requests = []  # (path, headers, body)
        self.most_at_once = self._at_once = 0
        self.latency_s = 0.0
        self.vocabulary = {}
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", port), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def serve_forever(self):
        self._server.serve_forever()

    def completions(self):
        return [body for path, _, body in self.requests if path == "/v1/completions"]

    def tokenize(self, text):
        pieces = WORD.findall(text)
        return [self.vocabulary.setdefault(piece, len(self.vocabulary)) for piece in pieces]

    def answer(self, path, body):
        if path == "/v1/models":
            owner = "vllm" if self.vllm else "someone"
            return {"data": [{"id": name, "owned_by": owner} for name in self.models]}
        if path == "/tokenize":
            return {"tokens": self.tokenize(body["prompt"])}
        if path == "/detokenize":
            words = {token: word for word, token in self.vocabulary.items()}
            return {"prompt": "".join(words[token] for token in body["tokens"])}
        if path == "/v1/chat/completions":
            message = {"content": " up", "reasoning_content": "down leads into a wall"}
            choice = {"message": message, "finish_reason": "stop"}
            return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 6}}
        return self.complete(body)

    def complete(self, body):
        """Takes the last of the allowed tokens; gives token i the log-probability -1 - i."""
        choice = {"text": " up", "finish_reason": "length"}
        if "allowed_token_ids" in body:
            choice["token_ids"] = body["allowed_token_ids"][-1:]
        if "logprob_token_ids" in body:
            scores = {f"token_id:{token}": -1.0 - token for token in body["logprob_token_ids"]}
            choice["logprobs"] = {"top_logprobs": [scores]}
        return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 1}}

    def _handler(self):
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 65536  # head and body in one packet

            def do_GET(self):
                self.reply(None)

            def do_POST(self):
                self.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def reply(self, body):
                with fake._lock:
                    fake.requests.append((self.path, dict(self.headers), body))
                    fake._at_once += 1
                    fake.most_at_once = max(fake.most_at_once, fake._at_once)
                    bad = self.path == "/v1/completions" and fake.replies
                    reply = fake.replies.pop(0) if bad else self.good(body)
                time.sleep(reply.wait_s or fake.latency_s)
                with fake._lock:
                    fake._at_once -= 1
                self.send(reply)

            def good(self, body):
                wanted = f"Bearer {fake.key}"
                if fake.key and self.headers.get("Authorization") != wanted:
                    return Reply(401, json.dumps({"error": "Unauthorized"}).encode())
                return Reply(body=json.dumps(fake.answer(self.path, body)).encode())

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
