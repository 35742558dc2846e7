"""Extracts the facts of one release."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tools.catalogue.annotations import Annotations
from tools.catalogue.classes import Classes
from tools.catalogue.constants import Constants
from tools.catalogue.corrections import correct
from tools.catalogue.declarations import Declarations
from tools.catalogue.facts import EndpointFacts, ModelFacts, ReleaseFacts, reachable
from tools.catalogue.guide import guide
from tools.catalogue.handlers import Handlers, Taken
from tools.catalogue.modules import Defined, Module, Sources
from tools.catalogue.places import Place, Places
from tools.catalogue.routes import Route, routes
from tools.catalogue.source_tree import SourceTree
from tools.catalogue.variants import merged

_ENGINE_FILES = ("vllm/sampling_params.py", "vllm/pooling_params.py")
_BODIES = {"WEBSOCKET": "websocket-json", "FILE": "jsonl"}


def extract(tree: SourceTree, index: Mapping[str, Any]) -> ReleaseFacts:
    """Return what a release has; ``index`` is the catalogue's, which names the endpoints."""
    facts = _Extractor(tree, Places(index)).release()
    correct(facts)
    return facts


class _Extractor:
    def __init__(self, tree: SourceTree, places: Places) -> None:
        self._sources = Sources(tree)
        self._places = places
        self._constants = Constants(self._sources)
        self._annotations = Annotations(self._sources, self._constants)
        declarations = Declarations(self._annotations, self._constants)
        self._classes = Classes(self._sources, declarations)
        self._handlers = Handlers(self._sources, self._classes, declarations)
        self._bodies: set[str] = set()

    def release(self) -> ReleaseFacts:
        """Extract the endpoints first: what they refer to decides which models there are."""
        endpoints, uncharted = self._endpoints()
        engine = self._engine()
        models = self._models()
        for endpoint in endpoints.values():
            nested = {*endpoint.classes, *reachable(endpoint.fields, models)}
            endpoint.classes = frozenset(nested - engine.keys())
        _settle_policies(endpoints.values(), models)
        return ReleaseFacts(self._sources.release, endpoints, models, engine, uncharted)

    def _endpoints(self) -> tuple[dict[str, EndpointFacts], tuple[str, ...]]:
        found: dict[str, list[Route]] = {}
        uncharted: dict[str, None] = {}
        for route in routes(self._sources, self._constants):
            place = self._places.of(route.method, route.path, route.handler.name)
            if place is not None:
                found.setdefault(place.name, []).append(route)
            elif str(route) not in guide().left_out:
                uncharted[str(route)] = None
        uncharted |= dict.fromkeys(_second_handlers(found.values()))
        places = [place for place in self._places.all if self._is_served(place, found)]
        facts = [self._endpoint(place, found.get(place.name, [])) for place in places]
        return {each.name: each for each in facts}, tuple(uncharted)

    def _is_served(self, place: Place, found: Mapping[str, list[Route]]) -> bool:
        is_file = place.method == "FILE" and bool(self._guided_models(place.name))
        return is_file or any(route.path == place.path for route in found.get(place.name, ()))

    def _endpoint(self, place: Place, served: list[Route]) -> EndpointFacts:
        taken = self._best_taken([route for route in served if route.path == place.path])
        if not taken.models:
            taken.models = self._guided_models(place.name)
        if taken.models:
            taken.body = _BODIES.get(place.method, taken.body or "json")
        models = [self._classes.model(each) for each in taken.models]
        self._bodies |= {model.name for model in models}
        paths = {route.path for route in served}
        return EndpointFacts(
            place.name,
            place.path,
            place.method,
            taken.body,
            models[0].unknown if models else None,
            merged(models, taken.fields),
            tuple(alias for alias in place.aliases if alias in paths),
            frozenset(name for each in taken.models for name in self._classes.names(each)),
        )

    def _best_taken(self, served: list[Route]) -> Taken:
        """Several handlers may serve a path; the first one with a body model tells most."""
        each = [self._handlers.taken(route) for route in served]
        with_models = [taken for taken in each if taken.models]
        return next(iter([*with_models, *each]), Taken())

    def _guided_models(self, endpoint: str) -> list[Defined]:
        names = guide().models.get(endpoint, ())
        return [found for name in names if (found := self._class_named(name))]

    def _class_named(self, name: str) -> Defined | None:
        for path, text in self._sources.files.items():
            if path.startswith("vllm/entrypoints/") and re.search(rf"^class {name}\b", text, re.M):
                module = self._sources.at(path)
                node = module.names.get(name) if module else None
                if module and isinstance(node, ast.ClassDef):
                    return Defined(module, node)
        return None

    def _models(self) -> dict[str, ModelFacts]:
        """The nested models; reading one may lead to more."""
        models: dict[str, ModelFacts] = {}
        while waiting := [name for name in self._annotations.models if name not in models]:
            models |= {
                name: self._classes.model(self._annotations.models[name]) for name in waiting
            }
        return {name: models[name] for name in sorted(models) if name not in self._bodies}

    def _engine(self) -> dict[str, ModelFacts]:
        modules = [self._sources.at(path) for path in _ENGINE_FILES if path in self._sources.files]
        classes = [each for module in modules if module for each in _parameter_classes(module)]
        return {model.name: model for model in map(self._classes.model, classes)}


def _settle_policies(endpoints: Iterable[EndpointFacts], models: Mapping[str, ModelFacts]) -> None:
    """Typed dictionaries do with unknown fields as the bodies do that lead to them."""
    refused = {
        name
        for endpoint in endpoints
        if endpoint.unknown == "refused"
        for name in reachable(endpoint.fields, models)
    }
    for name, model in models.items():
        model.unknown = model.unknown or ("refused" if name in refused else "ignored")


def _second_handlers(served: Iterable[list[Route]]) -> Iterator[str]:
    """Routes that another handler of the same endpoint serves too."""
    for routes_to_one in served:
        first: dict[str, str] = {}
        for route in routes_to_one:
            name = route.handler.name
            if first.setdefault(str(route), name) != name:
                yield f"{route} by {name} (see handlers in guide.toml)"


def _parameter_classes(module: Module) -> list[Defined]:
    return [
        Defined(module, node)
        for name, node in module.names.items()
        if isinstance(node, ast.ClassDef) and name.endswith("Params")
    ]
