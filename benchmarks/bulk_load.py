"""Many items into dynoxide in seconds: through its import of DynamoDB exports instead of one request for each 25."""

import gzip
import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from local.dynoxide import DATABASE_NAME, Engine, dynamodb_client, running_dynoxide
from local.tables import create_tables
from local.template import Template

TEMPLATE = Path(__file__).parents[1] / "template.yaml"
IMPORT_SECONDS = 300


@contextmanager
def loaded_dynoxide(
    folder: Path, *, binary: Path, items: Iterable[Mapping[str, object]]
) -> Iterator[Engine]:
    """Run an engine with the template's tables, FactsTable full of these items.

    Args:
        folder: Empty; on a disk in memory it is faster.
        binary: The program.
        items: As the adapter's own codec makes them.
    """
    tables = Template.read(TEMPLATE).tables()
    empty, source, full = folder / "empty", folder / "export", folder / "full"
    data = source / "FactsTable" / "data"
    for made in (empty, data, full):
        made.mkdir(parents=True)
    with running_dynoxide(empty, binary=binary) as engine:
        client = dynamodb_client(engine.endpoint)
        names = create_tables(client, tables)
        described = [{"Table": client.describe_table(TableName=name)["Table"]} for name in names]
    schema = folder / "schema.json"
    schema.write_text(json.dumps(described, default=str))
    with gzip.open(data / "facts.json.gz", "wt", compresslevel=1) as file:
        file.writelines(json.dumps({"Item": item}) + "\n" for item in items)
    command = [str(binary), "import", "--source", str(source), "--schema", str(schema)]
    subprocess.run(
        [*command, "--output", str(full / DATABASE_NAME)],
        check=True,
        capture_output=True,
        timeout=IMPORT_SECONDS,
    )
    with running_dynoxide(full, binary=binary) as engine:
        create_tables(dynamodb_client(engine.endpoint), tables)
        yield engine
