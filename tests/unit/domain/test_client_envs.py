"""From which kind of program a memory came: spec/read-memory.md §2."""

import pytest
from palimpsest.domain.client_envs import ClientEnv, client_env_of


@pytest.mark.parametrize(
    ("user_agent", "env"),
    [
        ("Cursor/1.4.2 (darwin arm64)", "cursor"),
        ("cursor claude-sonnet", "cursor"),
        ("claude-code/2.0.14", "claude"),
        ("Mozilla/5.0 AppleWebKit/537.36; compatible; Claude-User/1.0", "claude"),
        ("Mozilla/5.0 AppleWebKit/537.36; compatible; ChatGPT-User/1.0", "chatgpt"),
        ("openai-mcp/1.0.0", "chatgpt"),
        ("LibreChat/0.8", "chat"),
        ("node", "api"),
        ("python-httpx/0.28.1", "api"),
        ("curl/8.5.0", "api"),
        ("precursor/1", "api"),
        ("", "unknown"),
        ("  ", "unknown"),
    ],
)
def test_a_program_is_known_by_how_it_names_itself(user_agent, env):
    assert client_env_of(None, user_agent) == env


@pytest.mark.parametrize("env", ClientEnv)
def test_what_the_key_says_comes_first(env):
    assert client_env_of(env, "claude-code/2.0.14") is env
