"""What brings the index to where the table is: for the stream's function and for the commands that look after the index."""

from palimpsest.bootstrap.parts import CLOCK, build_vectors
from palimpsest.bootstrap.search import build_embeddings, build_followed_index
from palimpsest.bootstrap.settings import IndexCareSettings, SettingsError
from palimpsest.ports.facts import FactRepository
from palimpsest.ports.rechecks import Rechecks
from palimpsest.use_cases.fact_documents import FactDocuments
from palimpsest.use_cases.index_facts import IndexFacts


def build_projection(
    settings: IndexCareSettings, facts: FactRepository, rechecks: Rechecks
) -> IndexFacts:
    """Return what projects facts into the index.

    Args:
        settings: Where the tables, the index and the model are.
        facts: The truth. It counts out what is gone, where notices of a stream tell of that.
        rechecks: Where second looks wait.

    Raises:
        SettingsError: If there is no index.
    """
    embeddings = build_embeddings(settings.embeddings_uri)
    index = build_followed_index(settings.index_uri, embeddings)
    if index is None:
        raise SettingsError("INDEX_URI: there is no index to bring to where the table is.")
    return IndexFacts(
        facts=facts,
        index=index,
        documents=FactDocuments(vectors=build_vectors(settings), embeddings=embeddings),
        rechecks=rechecks,
        clock=CLOCK,
    )
