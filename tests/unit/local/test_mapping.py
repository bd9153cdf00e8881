import json

import pytest

from local.intrinsics import Intrinsic
from local.mapping import EventMapping, UnknownPatternError, mappings_of
from local.template import Template, TemplateError

HEAD_ONLY = {"dynamodb": {"Keys": {"sk": {"S": ["HEAD"]}}}}


def mapping_of(**properties) -> EventMapping:
    return EventMapping.of_event("IndexFunction", "FactsTable", properties)


def record(sort_key: str, **more):
    return {"eventName": "INSERT", "dynamodb": {"Keys": {"sk": {"S": sort_key}}}, **more}


def filters(*patterns):
    return {"FilterCriteria": {"Filters": [{"Pattern": json.dumps(p)} for p in patterns]}}


def test_what_the_template_leaves_out_is_as_in_lambda():
    assert mapping_of() == EventMapping(
        function="IndexFunction",
        table="FactsTable",
        batch_size=100,
        retries=-1,
        max_age_seconds=-1,
        is_bisected=False,
        reports_failures=False,
    )


def test_all_limits_are_read():
    mapping = mapping_of(
        BatchSize=10,
        MaximumRetryAttempts=5,
        MaximumRecordAgeInSeconds=3600,
        BisectBatchOnFunctionError=True,
        FunctionResponseTypes=["ReportBatchItemFailures"],
    )

    assert mapping == EventMapping(
        function="IndexFunction",
        table="FactsTable",
        batch_size=10,
        retries=5,
        max_age_seconds=3600,
        is_bisected=True,
        reports_failures=True,
    )


def test_without_a_filter_everything_passes():
    assert mapping_of().passes(record("R#0000000001"))


def test_a_filter_passes_what_has_one_of_its_texts():
    mapping = mapping_of(**filters(HEAD_ONLY))

    assert mapping.passes(record("HEAD"))
    assert not mapping.passes(record("R#0000000001"))


def test_one_pattern_of_several_is_enough():
    mapping = mapping_of(**filters(HEAD_ONLY, {"eventName": ["REMOVE"]}))

    assert mapping.passes(record("R#0000000001", eventName="REMOVE"))


def test_a_pattern_about_what_is_not_there_does_not_match():
    mapping = mapping_of(**filters({"dynamodb": {"NewImage": {"kind": {"S": ["fact"]}}}}))

    assert not mapping.passes(record("HEAD"))


@pytest.mark.parametrize("wanted", [[{"prefix": "HE"}], "HEAD", [1]])
def test_a_filter_that_is_not_known_here_is_refused_and_not_guessed(wanted):
    with pytest.raises(UnknownPatternError):
        mapping_of(**filters({"dynamodb": {"Keys": {"sk": {"S": wanted}}}}))


def template_with(**properties) -> Template:
    event = {"Type": "DynamoDB", "Properties": properties}
    api = {"Type": "HttpApi", "Properties": {}}
    function = {"Handler": "handler.f", "Events": {"Facts": event, "Api": api}}
    return Template(
        {
            "Parameters": {"Size": {"Default": 7}},
            "Resources": {
                "IndexFunction": {"Type": "AWS::Serverless::Function", "Properties": function}
            },
        }
    )


@pytest.mark.parametrize("named", ["FactsTable.StreamArn", ["FactsTable", "StreamArn"]])
def test_a_template_s_mappings_are_found_and_resolved(named):
    template = template_with(
        Stream=Intrinsic("GetAtt", named),
        BatchSize=Intrinsic("Ref", "Size"),
        DestinationConfig={"OnFailure": {"Destination": Intrinsic("GetAtt", "Bucket.Arn")}},
    )

    assert mappings_of(template) == [
        EventMapping(function="IndexFunction", table="FactsTable", batch_size=7)
    ]


def test_a_stream_that_is_named_otherwise_is_refused():
    with pytest.raises(TemplateError):
        mappings_of(template_with(Stream="arn:aws:dynamodb:…"))
