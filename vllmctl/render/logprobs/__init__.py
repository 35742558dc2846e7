"""Log-probabilities of an answer for people and for programs.

``tokens`` reads the server's shapes, ``heat``, ``table`` and ``tsv`` show them, ``picture``
makes a file of the heat.
"""

from vllmctl.render.logprobs.writing import VIEWS, write_logprobs

__all__ = ["VIEWS", "write_logprobs"]
