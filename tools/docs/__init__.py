"""The documentation's generators: reference pages, real output in pages, manual pages, pictures.

``python -m tools.docs`` writes what is kept in the repository: the output in the pages, and
the manual pages. The reference and the pictures are made while the site is built, by
``tools/docs/hook.py``.
"""
