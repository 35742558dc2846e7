import pytest

from vllmctl.errors import ConfigError
from vllmctl.request.profiles.files import ProfileFiles
from vllmctl.request.profiles.listing import list_profiles, path_of, profile_names, show
from vllmctl.request.profiles.places import Place
from vllmctl.request.profiles.resolve import resolve

from .helpers import CHAT, body_of


def place_of(name, env):
    return ProfileFiles(env).find(name).place


def test_looks_a_name_up_in_project_then_user_then_what_is_shipped(user):
    assert place_of("precise", user.env) is Place.SHIPPED
    user.write("~/profiles/precise.toml", "[request]\ntemperature = 0.1")
    assert place_of("precise", user.env) is Place.USER
    user.write("vllmctl.toml", "[profiles.precise.request]\ntemperature = 0.2")
    assert place_of("precise", user.env) is Place.PROJECT


def test_takes_a_profile_from_the_users_config_file(user):
    user.write("~/config.toml", "[profiles.mine.request]\ntemperature = 0.4")
    body, origins = body_of(resolve(["mine"], CHAT, user.env))
    assert body == {"temperature": 0.4}
    assert origins == {"temperature": "profile mine (~/.config/vllmctl/config.toml:2)"}


def test_prefers_the_users_profile_file_to_the_table_of_the_same_name(user):
    user.write("~/config.toml", "[profiles.mine.request]\ntemperature = 0.4")
    user.write("~/profiles/mine.toml", "[request]\ntemperature = 0.5")
    assert body_of(resolve(["mine"], CHAT, user.env))[0] == {"temperature": 0.5}


def test_finds_the_nearest_project_file_upwards_and_no_other(user):
    user.write("vllmctl.toml", "[request]\ntemperature = 0.2")
    assert body_of(resolve([], CHAT, user.env))[1] == {
        "temperature": f"project config ({user.project}/vllmctl.toml:2)"
    }
    user.write("deep/vllmctl.toml", "[request]\ntop_p = 0.3")
    assert body_of(resolve([], CHAT, user.env)) == (
        {"top_p": 0.3},
        {"top_p": "project config (vllmctl.toml:2)"},
    )


def test_takes_a_path_from_the_current_folder_or_home(user):
    user.write("deep/sub/x.toml", "[request]\nn = 2")
    (user.home / "y.toml").write_text("[request]\nn = 3")
    assert body_of(resolve(["sub/x.toml"], CHAT, user.env))[0] == {"n": 2}
    assert body_of(resolve(["~/y.toml"], CHAT, user.env)) == (
        {"n": 3},
        {"n": "profile ~/y.toml (~/y.toml:2)"},
    )


def test_names_the_absolute_path_of_a_profile_file_that_is_not_there(user):
    with pytest.raises(ConfigError, match=f"{user.cwd}/no.toml"):
        resolve(["./no.toml"], CHAT, user.env)


def test_suggests_the_nearest_name_for_an_unknown_one(user):
    with pytest.raises(ConfigError, match="no profile is called precis$") as caught:
        resolve(["precis"], CHAT, user.env)
    assert "did you mean precise?" in caught.value.hint


def test_suggests_names_although_another_file_is_broken(user):
    user.write("~/profiles/broken.toml", "= 1")
    with pytest.raises(ConfigError, match="no profile is called precis$"):
        resolve(["precis"], CHAT, user.env)


def test_refuses_a_file_of_several_profiles_as_one(user):
    user.write("deep/many.toml", "\n[profiles.a.request]\nn = 1")
    with pytest.raises(ConfigError, match=r"many.toml:2: a file named by its path is one profile"):
        resolve(["./many.toml"], CHAT, user.env)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("profiles = 1", ":1: profiles must be a table"),
        ("[profiles]\na = 1", ":2: profiles.a must"),
    ],
)
def test_refuses_profiles_that_are_no_tables(user, text, message):
    user.write("vllmctl.toml", text)
    with pytest.raises(ConfigError, match=message):
        resolve(["a"], CHAT, user.env)


def test_lists_profiles_in_the_order_of_lookup_and_says_which_are_shadowed(user):
    user.write("vllmctl.toml", '[profiles.precise]\ndescription = "Ours"')
    user.write("~/profiles/precise.toml", 'description = "Mine\\nof two lines"')
    rows = [row for row in list_profiles(user.env) if row.name == "precise"]
    assert [(row.place, row.shadowed_by) for row in rows] == [
        (Place.PROJECT, None),
        (Place.USER, Place.PROJECT),
        (Place.SHIPPED, Place.PROJECT),
    ]
    assert rows[0].where == f"{user.project}/vllmctl.toml:1"
    assert rows[1].description == "Mine of two lines"


def test_lists_a_broken_file_with_its_problem(user):
    user.write("~/profiles/broken.toml", "temperature 1")
    user.write("vllmctl.toml", "also broken")
    problems = {row.name: row.problem for row in list_profiles(user.env) if row.problem}
    assert "broken.toml:1:13" in problems["broken"]
    assert "vllmctl.toml:1" in problems["vllmctl"]


def test_completes_names_whatever_is_broken(user):
    user.write("~/profiles/broken.toml", "= ")
    user.write("~/config.toml", "[profiles.mine]")
    names = profile_names(user.env)
    assert "mine" in names
    assert "precise" in names
    assert "broken" not in names


def test_shows_where_a_profile_is_kept(user):
    path = user.write("vllmctl.toml", "\n[profiles.a]\n[profiles.b]\n")
    assert path_of("b", user.env) == (path, 3)


def test_shows_a_profile_as_it_is_written(user):
    user.write("vllmctl.toml", "[request]\nn = 1\n[profiles.b.request]\nn = 2 # two\n[profiles.c]")
    shown = show("b", user.env)
    assert shown.text == "[profiles.b.request]\nn = 2 # two\n"
    assert shown.table == {"request": {"n": 2}}


def test_masks_secrets_in_what_it_shows(user):
    secret, header = "sk-test-1234567890", "Bearer abcdefghijklmnop"
    user.write(
        "~/profiles/a.toml",
        f"""
        [server]  # comment
        base_url = "http://me:pa55word@gpu:8000"
        api_key = "{secret}"
        headers = {{ Authorization = "{header}", X-Team = "ml" }}
        """,
    )
    shown = show("a", user.env)
    for text in (shown.text, str(shown.table)):
        assert secret not in text
        assert "abcdefghijklmnop" not in text
        assert "pa55word" not in text
        assert "ml" in text
    assert "# comment" in shown.text


def test_masks_a_secret_that_is_written_with_escapes(user):
    user.write("~/profiles/a.toml", '[server]\napi_key = "sk-te\\u0073t-1234567890"')
    assert "1234567890" not in show("a", user.env).text
