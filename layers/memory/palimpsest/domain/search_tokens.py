"""Filter tokens: what a document is filtered by, as words that every engine can match exactly.

An id holds what its owner likes: dashes, spaces, percent signs, delimiters. A tokenizer would cut it and a query language
would read it, so an index sees a hash of it, and the tenant stands in every hash: a token of one tenant matches nothing of
another. Example: ``named_token("t", "projectId", "acme")`` is 32 hex digits that share nothing with those of ``acme-corp``.
"""

import hashlib
import json
from collections.abc import Iterable

from palimpsest.domain.audiences import Audience, audience_of
from palimpsest.domain.labels import Label
from palimpsest.domain.scopes import Scope
from palimpsest.domain.search_filters import SearchFilter, named_values

# 128 bits: no two tokens of any tenant meet by chance.
TOKEN_LENGTH = 32


def tenant_token(tenant_id: str) -> str:
    """Return the token of everything in a tenant."""
    return _token("tenant", tenant_id)


def audience_token(tenant_id: str, audience: Audience) -> str:
    """Return the token of one audience of a tenant."""
    return _token(
        "audience",
        tenant_id,
        audience.root,
        audience.root_id,
        audience.is_private,
        audience.user_id,
    )


def named_token(tenant_id: str, key: str, value: str) -> str:
    """Return the token of scopes that name this value under a key, by its name on the wire; see ``named_values``."""
    return _token("named", tenant_id, key, value)


def type_token(tenant_id: str, type_: str) -> str:
    """Return the token of one type of fact in a tenant."""
    return _token("type", tenant_id, type_)


def label_token(tenant_id: str, label: Label) -> str:
    """Return the token of everything in a tenant that carries a label."""
    return _token("label", tenant_id, label.kind, label.value)


def tokens_of(scope: Scope, type_: str, labels: Iterable[Label] = ()) -> frozenset[str]:
    """Return every token that a document carries: three, and one for each key of its scope and each of its labels."""
    tenant_id = scope.tenant_id
    named = named_values(scope.items())
    return frozenset(
        {
            tenant_token(tenant_id),
            audience_token(tenant_id, audience_of(scope)),
            type_token(tenant_id, type_),
            *(named_token(tenant_id, key, value) for key, value in named),
            *(label_token(tenant_id, label) for label in labels),
        }
    )


def clauses_of(wanted: SearchFilter) -> tuple[frozenset[str], ...]:
    """Return a filter in conjunctive form: a document must carry at least one token of each clause.

    Returns:
        The tenant's clause first. An empty clause is one that no document meets: the search finds nothing.
    """
    return (*scope_clauses_of(wanted), *label_clauses_of(wanted))


def scope_clauses_of(wanted: SearchFilter) -> tuple[frozenset[str], ...]:
    """Return the clauses about scope and type alone, the tenant's first; see ``clauses_of``."""
    tenant_id = wanted.tenant_id
    clauses = [frozenset({tenant_token(tenant_id)})]
    if wanted.audiences is not None:
        clauses.append(frozenset(audience_token(tenant_id, a) for a in wanted.audiences))
    if wanted.type is not None:
        clauses.append(frozenset({type_token(tenant_id, wanted.type)}))
    clauses += [frozenset({named_token(tenant_id, key, value)}) for key, value in wanted.named]
    if wanted.org_id is not None:
        projects = (named_token(tenant_id, "projectId", p) for p in wanted.org_projects)
        clauses.append(frozenset({named_token(tenant_id, "orgId", wanted.org_id), *projects}))
    return tuple(clauses)


def label_clauses_of(wanted: SearchFilter) -> tuple[frozenset[str], ...]:
    """Return the clauses about labels alone; see ``clauses_of``."""
    return tuple(
        frozenset(label_token(wanted.tenant_id, label) for label in group)
        for group in wanted.labels
    )


def _token(*parts: str | bool | None) -> str:
    # JSON keeps the parts apart whatever they hold, and None from the text "None"; ASCII, so that a lone surrogate passes.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:TOKEN_LENGTH]
