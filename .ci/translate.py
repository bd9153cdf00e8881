#!/usr/bin/env python3
"""Print template.yaml as CloudFormation sees it: without SAM, as JSON.

`sam validate --lint` lints what a person wrote; what the transform makes of it, with its roles and
permissions, is linted only through this. Runs in .venv-sam, without credentials or a network.
"""

import json
import sys
from pathlib import Path

import boto3
from samcli.yamlhelper import yaml_parse
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

# The transform refuses code in a folder; `sam package` would have put it into a bucket by then.
PACKAGED = "s3://packaged-code/object"
CODE_PROPERTIES = {
    "AWS::Serverless::Function": "CodeUri",
    "AWS::Serverless::LayerVersion": "ContentUri",
}


def translated(path: Path) -> dict[str, object]:
    """Return the template at `path` after the SAM transform."""
    template = yaml_parse(path.read_text())
    for resource in template["Resources"].values():
        if code := CODE_PROPERTIES.get(resource["Type"]):
            resource["Properties"][code] = PACKAGED
    # The session gives the transform a partition; it opens no connection.
    session = boto3.Session(region_name="us-east-1")
    return Translator({}, Parser(), boto_session=session).translate(template, {})


if __name__ == "__main__":
    json.dump(translated(Path(sys.argv[1])), sys.stdout, indent=1)
