"""All pages that are made and not written."""

from tools.docs import commands, fields, findings, rules, settings_pages

_MAKERS = (commands, fields, rules, findings, settings_pages)


def reference_pages() -> dict[str, str]:
    """Return the Markdown of each page of the reference by its path in the site."""
    return {path: words for maker in _MAKERS for path, words in maker.pages().items()}
