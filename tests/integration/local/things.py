"""Small handlers for the laptop's tests: they keep things in the table, or say what they got."""

import json
import os
import time

import boto3


def put(event, context):
    item = {"pk": {"S": event["pathParameters"]["thingId"]}, "body": {"S": event["body"]}}
    boto3.client("dynamodb").put_item(TableName=os.environ["THINGS_TABLE_NAME"], Item=item)
    return {"statusCode": 201, "body": event["body"]}


def get(event, context):
    key = {"pk": {"S": event["pathParameters"]["thingId"]}}
    client = boto3.client("dynamodb")
    found = client.get_item(TableName=os.environ["THINGS_TABLE_NAME"], Key=key)
    if "Item" not in found:
        return {"statusCode": 404}
    return {"statusCode": 200, "body": found["Item"]["body"]["S"]}


def echo(event, context):
    if event["rawPath"] == "/slow":
        time.sleep(1)
    names = ("CURSOR_KEYS_URI", "LEDGER_KEYS_URI", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_PROFILE")
    environ = {name: os.environ.get(name) for name in names}
    body = {"event": event, "environ": environ, "name": context.function_name}
    return {"statusCode": 200, "body": json.dumps(body)}
