"""What is good to know is kept, whoever else keeps something at the same time."""

from threading import Event, Thread

import pytest

from vllmctl.env import Environment
from vllmctl.request.cache_file import CacheFile


@pytest.fixture
def env(tmp_path):
    return Environment(variables={"HOME": str(tmp_path)})


def test_two_at_once_lose_nothing(env):
    file, came = CacheFile("known.json", env), Event()

    def second(known):
        came.set()
        return {**known, "two": 2}

    other = Thread(target=file.update_object, args=(second,))

    def first(known):
        other.start()
        came.wait(0.2)  # it waits, unless it comes between
        return {**known, "one": 1}

    file.update_object(first)
    other.join()
    assert file.read() == {"one": 1, "two": 2}


def test_a_damaged_file_counts_as_empty_and_no_folder_is_no_fault(env):
    file = CacheFile("known.json", env)
    assert file.read() is None
    env.cache_dir.mkdir(parents=True)
    (env.cache_dir / "known.json").write_text("[1")
    file.update_object(lambda known: {**known, "a": 1})
    assert file.read_object() == {"a": 1}
