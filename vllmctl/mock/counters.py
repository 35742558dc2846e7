"""What ``/metrics`` and ``/load`` tell."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import time

_HELP = {
    "process_start_time_seconds": (
        "gauge",
        "Start time of the process since unix epoch in seconds.",
    ),
    "vllm:num_requests_running": ("gauge", "Number of requests in model execution batches."),
    "vllm:num_requests_waiting": ("gauge", "Number of requests waiting to be processed."),
    "vllm:kv_cache_usage_perc": ("gauge", "KV-cache usage. 1 means 100 percent usage."),
    "vllm:prompt_tokens_total": ("counter", "Number of prefill tokens processed."),
    "vllm:generation_tokens_total": ("counter", "Number of generation tokens processed."),
    "vllm:request_success_total": ("counter", "Count of successfully processed requests."),
}


class Counters:
    """Counts over the life of a server; safe to use from several threads."""

    def __init__(self, model: str) -> None:
        self._labels = f'engine="0",model_name="{model}"'
        self._lock = Lock()
        self._started = time()
        self._finished: Counter[str] = Counter(stop=0, length=0, abort=0, error=0, repetition=0)
        self._prompt = 0
        self._generated = 0
        self.running = 0

    @contextmanager
    def request(self, prompt_tokens: int) -> Iterator[None]:
        """Count a request as running until the block ends."""
        with self._lock:
            self.running += 1
            self._prompt += prompt_tokens
        try:
            yield
        finally:
            with self._lock:
                self.running -= 1

    def token(self, finish: str | None) -> None:
        """Count one generated token, and the end of its choice."""
        with self._lock:
            self._generated += 1
            if finish:
                self._finished[finish] += 1

    def page(self) -> str:
        """Return the page in Prometheus' text form."""
        with self._lock:
            values: dict[str, dict[str, float]] = {
                "process_start_time_seconds": {"": self._started},
                "vllm:num_requests_running": {self._labels: self.running},
                "vllm:num_requests_waiting": {self._labels: 0},
                "vllm:kv_cache_usage_perc": {self._labels: 0},
                "vllm:prompt_tokens_total": {self._labels: self._prompt},
                "vllm:generation_tokens_total": {self._labels: self._generated},
                "vllm:request_success_total": {
                    f'{self._labels},finished_reason="{reason}"': count
                    for reason, count in self._finished.items()
                },
            }
        return "".join(_family(name, rows) for name, rows in values.items())


def _family(name: str, rows: dict[str, float]) -> str:
    kind, help = _HELP[name]
    lines = [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
    lines += [
        f"{name}{f'{{{labels}}}' if labels else ''} {float(value)}"
        for labels, value in rows.items()
    ]
    return "\n".join(lines) + "\n"
