"""Bodies of the tools' function over HTTP, for the OpenAPI document."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Message(BaseModel):
    """One JSON-RPC 2.0 message of the Model Context Protocol; the SDK reads it."""

    model_config = ConfigDict(defer_build=True)

    jsonrpc: Literal["2.0"]
    id: Annotated[int | str | None, Field(description="Absent in a notification.")] = None
    method: Annotated[str, Field(description="Such as `tools/call`.")]
    params: dict[str, Any] | None = None
