import pytest
from palimpsest.domain.likeness import calibrated, cosine, midpoint


def test_a_cosine_is_the_product_of_unit_vectors_and_never_beyond_one():
    assert cosine((1.0, 0.0), (0.6, 0.8)) == 0.6
    assert cosine((1.0000001, 0.0), (1.0000001, 0.0)) == 1.0
    assert cosine((1.0, 0.0), (-1.0, 0.0)) == -1.0


@pytest.mark.parametrize(
    ("similarity", "noise", "likeness"),
    [
        (0.76, 0.76, 0.0),
        (0.70, 0.76, 0.0),
        (0.88, 0.76, 0.5),
        (1.0, 0.76, 1.0),
        (0.4, 0.0, 0.4),
        (-1.0, 0.0, 0.0),
    ],
)
def test_noise_is_nothing_and_the_same_is_all(similarity: float, noise: float, likeness: float):
    assert calibrated(similarity, noise) == pytest.approx(likeness)


def test_a_cosine_with_the_midpoint_is_the_mean_of_two_but_for_a_factor():
    left, right, other = (1.0, 0.0), (0.0, 1.0), (0.6, 0.8)

    between, factor = midpoint(left, right)

    mean = (cosine(left, other) + cosine(right, other)) / 2
    assert factor * cosine(between, other) == pytest.approx(mean)
    assert cosine(between, between) == pytest.approx(1.0)


def test_opposites_have_no_midpoint():
    assert midpoint((1.0, 0.0), (-1.0, 0.0)) == ((1.0, 0.0), 0.0)
