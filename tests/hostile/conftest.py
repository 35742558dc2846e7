from tests.cli.conftest import vllmctl as vllmctl
