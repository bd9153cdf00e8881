"""Client environments: from which kind of program a memory came (spec/read-memory.md §2)."""

import re
from enum import StrEnum


class ClientEnv(StrEnum):
    """The programs that are told apart; whatever names itself otherwise is ``api``."""

    CURSOR = "cursor"
    CLAUDE = "claude"
    CHATGPT = "chatgpt"
    CHAT = "chat"
    API = "api"
    UNKNOWN = "unknown"


# How they name themselves: Cursor/1.2, claude-code/2.0, Claude-User, ChatGPT-User/1.0, openai-mcp/1.0, LibreChat. The first
# that fits counts, so that a client that names its model beside itself is still the client.
_NAMES = (
    (re.compile(r"\bcursor"), ClientEnv.CURSOR),
    (re.compile(r"\bclaude"), ClientEnv.CLAUDE),
    (re.compile(r"\bchatgpt|\bopenai"), ClientEnv.CHATGPT),
    (re.compile(r"chat"), ClientEnv.CHAT),
)


def client_env_of(named: ClientEnv | None, user_agent: str) -> ClientEnv:
    """Return from which kind of program a request comes.

    Args:
        named: What its key says, which wins: many programs send through a library that names only itself (``node``).
        user_agent: Its header; blank where it sent none.
    """
    if named is not None:
        return named
    if not user_agent.strip():
        return ClientEnv.UNKNOWN
    sent = user_agent.lower()
    return next((env for name, env in _NAMES if name.search(sent)), ClientEnv.API)
