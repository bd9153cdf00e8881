"""OpenSearch Serverless as far as it refuses, delays and fails, in front of a real OpenSearch.

A test double. What it knows comes from AWS's documentation and from what people met; see
`docs/decisions/`. Where sources disagree it takes the harsher side, so that what passes here passes there.
"""
