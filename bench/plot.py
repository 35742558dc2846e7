"""The results as a picture: bars of ratios on a logarithmic scale, as SVG."""

from collections.abc import Iterator
from html import escape
from math import log10

from bench.results import Results, Table

WIDTH, LABELS, RIGHT = 760, 250, 90
BAR, GAP, HEAD = 16, 8, 40
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f }
.title { font-weight: 600 }
.ours { fill: #6f42c1 } .other { fill: #9aa4af }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .ours { fill: #b083f0 } .other { fill: #59636e }
}
"""
PANELS = {
    "start-up": "Start-up, times python -c pass",
    "first token": "Start to first token, times curl",
    "stream": "CPU of a long stream, times curl",
}


def picture(results: Results) -> str:
    """Return the SVG; a panel for each part that was measured."""
    parts: list[str] = []
    height = 0
    for key, title in PANELS.items():
        if table := results.tables.get(key):
            rows = _rows(results, key, table)
            parts += _panel(title, rows, height)
            height += HEAD + len(rows) * (BAR + GAP)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height + GAP}">'
    return "\n".join([head, f"<style>{STYLE}</style>", *parts, "</svg>", ""])


def _rows(results: Results, key: str, table: Table) -> list[tuple[str, float]]:
    """Return names with ratios, the smallest first."""
    rows = [
        (name, results.ratio(key, name, table.base_of(name), table.measure) or 1.0)
        for name in table.samples
    ]
    return sorted(rows, key=lambda row: row[1])


def _panel(title: str, rows: list[tuple[str, float]], top: int) -> Iterator[str]:
    most = max(ratio for _, ratio in rows)
    least = min(1.0, *(ratio for _, ratio in rows))
    scale = (WIDTH - LABELS - RIGHT) / max(log10(most / least), 0.1)
    yield f'<text class="title" x="0" y="{top + 24}">{escape(title)}</text>'
    for place, (name, ratio) in enumerate(rows):
        y = top + HEAD + place * (BAR + GAP)
        length = max(3, scale * log10(ratio / least))
        kind = "ours" if name.startswith("vllmctl") else "other"
        yield f'<text x="{LABELS - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
        yield f'<rect class="{kind}" x="{LABELS}" y="{y}" width="{length:.0f}" height="{BAR}"/>'
        yield f'<text x="{LABELS + length + 6:.0f}" y="{y + 13}">{ratio:.1f}</text>'
