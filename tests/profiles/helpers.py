from vllmctl.catalog.load import endpoint
from vllmctl.catalog.target import newest
from vllmctl.request.layers import Merge

CHAT, COMPLETE = "chat.completions", "completions"


def body_of(resolved, endpoint_name=CHAT):
    """The body that the layers make, and where each value came from."""
    merge = Merge(endpoint(endpoint_name, newest()))
    for layer in resolved.layers:
        merge.add(layer)
    return merge.body, {path: str(origin) for path, origin in merge.origins.items()}
