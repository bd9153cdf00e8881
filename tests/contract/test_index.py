"""What every index of facts promises: the fake, SQLite, OpenSearch, OpenSearch as Serverless lets it be. How it searches."""

import math
from dataclasses import replace
from datetime import timedelta

import pytest
from palimpsest.domain.audiences import audiences_of

from tests.builders import build_caller, build_scope
from tests.fakes.clock import NOON
from tests.index_world import World, ids, numbered, unit


@pytest.fixture
def world(index_world: World) -> World:
    return index_world


class TestWords:
    @pytest.mark.parametrize("query", ["play", "plays", "playing", "PLAYED chess", "ana's"])
    def test_english_words_match_by_their_stems(self, world: World, query: str):
        world.put(world.fact(1, "Ana plays chess."), world.fact(2, "Bob sings."))

        hits = world.by_words(query)

        assert ids(hits) == numbered(1)

    @pytest.mark.parametrize(
        ("query", "number"),
        [
            ("绿茶", 1),
            ("她喜欢绿茶吗", 1),
            ("周五", 2),
            ("緑茶", 3),
            ("金曜日", 4),
            ("녹차", 5),
            ("금요일", 6),
        ],
    )
    def test_chinese_japanese_and_korean_are_found_by_their_words(
        self, world: World, query: str, number: int
    ):
        texts = (
            "用户喜欢绿茶",
            "会议改到周五",
            "ユーザーは緑茶を飲みます",
            "会議は金曜日になりました",
            "사용자는 녹차를 마십니다",
            "회의가 금요일로 바뀌었습니다",
        )
        world.put(*(world.fact(n, text) for n, text in enumerate(texts, start=1)))

        hits = world.by_words(query)

        assert ids(hits)[:1] == numbered(number)

    @pytest.mark.parametrize(
        "query",
        ["AND", "*", '"', "", "   ", "()", "the of and", "!?…", "-", "\\", "~", "。、", "\0"],
    )
    def test_a_query_without_words_finds_nothing(self, world: World, query: str):
        world.put(world.fact(1, 'AND * " () the of and - \\ ~ 。、'), world.fact(2))

        hits = world.by_words(query)

        assert hits == []

    @pytest.mark.parametrize(
        "query",
        [
            "C++ (old)",
            "old AND missing",
            "old NOT compiler",
            "-compiler old",
            '"old',
            "old OR",
            "old*",
            "text:old",
            "old~2",
            "old/compiler:c",
            "{old}",
            "^old",
            "old && !compiler",
            "NEAR(old)",
            "old\0nul",
            "old \ud800",
        ],
    )
    def test_a_query_is_words_and_never_syntax(self, world: World, query: str):
        world.put(world.fact(1, "The old C compiler"), world.fact(2, "Ana sings"))

        hits = world.by_words(query)

        assert ids(hits) == numbered(1)

    def test_a_query_that_imitates_a_filter_changes_none(self, world: World):
        world.put(world.fact(1, "Ana has a secret", type="secret"), world.fact(2, "Ana sings"))
        notes = world.everything(type="note")

        queries = ("#type:secret ana", '" OR 1=1 ana', "type:secret OR ana", "userId:ana")
        found = [ids(world.by_words(query, notes)) for query in queries]

        assert found == [numbered(2)] * len(queries)

    def test_a_very_long_query_is_answered(self, world: World):
        world.put(world.fact(1))

        hits = world.by_words("chess " + " ".join(f"word{n}" for n in range(5000)))

        assert ids(hits) == numbered(1)

    def test_a_fact_that_shares_more_of_the_words_comes_first(self, world: World):
        world.put(
            world.fact(1, "Ana plays chess in Berlin"),
            world.fact(2, "Ana plays the flute in Berlin"),
            world.fact(3, "Bob lives in Berlin now"),
        )

        hits = world.by_words("Ana chess Berlin")

        assert ids(hits) == numbered(1, 2, 3)

    def test_scores_are_positive_and_fall(self, world: World):
        world.put(*(world.fact(n, "Ana plays chess " * n) for n in range(1, 6)))

        scores = [hit.score for hit in world.by_words("Ana chess")]

        assert len(scores) == 5
        assert all(score > 0 for score in scores)
        assert scores == sorted(scores, reverse=True)

    def test_a_fact_without_a_vector_is_found_by_words_only(self, world: World):
        world.put(world.fact(1, vector=None))

        assert world.by_both() == [numbered(1), []]

    def test_a_fact_without_text_is_found_by_meaning_only(self, world: World):
        world.put(world.fact(1, ""))

        assert world.by_both() == [[], numbered(1)]


class TestMeaning:
    def test_scores_are_cosines_best_first(self, world: World):
        world.put(
            world.fact(1, vector=unit(1, 0)),
            world.fact(2, vector=unit(1, 1)),
            world.fact(3, vector=unit(0, 1)),
            world.fact(4, vector=unit(-1, 0)),
            world.fact(5, vector=unit(-1, -1)),
        )

        hits = world.by_meaning(unit(1, 0))

        assert ids(hits) == numbered(1, 2, 3, 5, 4)
        expected = [1, math.sqrt(0.5), 0, -math.sqrt(0.5), -1]
        assert [hit.score for hit in hits] == pytest.approx(expected, abs=1e-5)
        assert all(-1 <= hit.score <= 1 for hit in hits)

    def test_a_hit_names_the_version_that_was_found(self, world: World):
        world.put(world.fact(1, version=7))

        assert [hit.version for hit in world.by_meaning(unit(1))] == [7]
        assert [hit.version for hit in world.by_words("chess")] == [7]


class TestCut:
    def test_at_most_the_limit_comes(self, world: World):
        world.put(*(world.fact(n) for n in range(20)))

        assert [len(leg) for leg in world.by_both(limit=7)] == [7, 7]

    def test_equals_come_newest_first_every_time(self, world: World):
        world.put(*(world.fact(n) for n in (3, 1, 5, 2, 4)))

        for _ in range(3):
            assert ids(world.by_words("chess", limit=3)) == numbered(5, 4, 3)
            assert ids(world.by_meaning(unit(1), limit=3)) == numbered(5, 4, 3)

    def test_what_is_skipped_is_replaced_by_the_next(self, world: World):
        world.put(*(world.fact(n) for n in range(1, 6)))

        legs = world.by_both(limit=3, skip=frozenset(numbered(5, 3)))

        assert legs == [numbered(1, 2, 4)] * 2

    def test_a_thousand_can_be_skipped(self, world: World):
        world.put(*(world.fact(n) for n in range(1005)))

        legs = world.by_both(skip=frozenset(numbered(*range(5, 1005))))

        assert legs == [numbered(0, 1, 2, 3, 4)] * 2

    def test_five_of_ana_are_found_behind_five_hundred_nearer_ones_of_others(self, world: World):
        theirs = [
            world.fact(n, "chess chess chess", scope=build_scope(world.tenant_id, userId=f"u{n}"))
            for n in range(500)
        ]
        hers = [
            world.fact(
                n,
                "Long ago, before any of this, Ana also learned chess",
                scope=build_scope(world.tenant_id, userId="ana"),
                vector=unit(0.1, 1, n / 1000),
            )
            for n in range(500, 505)
        ]
        world.put(*theirs, *hers)
        caller = replace(build_caller("ana"), tenant_id=world.tenant_id)

        by_audience = world.by_both(world.everything(audiences=audiences_of(caller)))
        by_name = world.by_both(world.everything(named=(("userId", "ana"),)))

        assert by_audience == by_name == [numbered(*range(500, 505))] * 2

    def test_what_is_over_by_now_is_left_out(self, world: World):
        world.put(
            world.fact(1, expires_at=NOON),
            world.fact(2, expires_at=NOON + timedelta(milliseconds=1)),
            world.fact(3, expires_at=NOON - timedelta(days=1)),
            world.fact(4),
        )

        before = world.by_both(now=NOON - timedelta(milliseconds=1))
        at_noon = world.by_both(now=NOON)
        after = world.by_both(now=NOON + timedelta(milliseconds=1))

        assert before == [numbered(1, 2, 4)] * 2
        assert at_noon == [numbered(2, 4)] * 2
        assert after == [numbered(4)] * 2
