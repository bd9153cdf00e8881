"""What one answer may hold."""

# spec/facts.md §9: a Lambda response ends at 6 MB (AWS Lambda quotas); what is left over holds the envelope and the headers.
MAX_ANSWER_BYTES = 5 * 1024 * 1024
