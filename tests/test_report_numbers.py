"""Numbers become text in one place, and no rounding tells a lie."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.report.blocks import Form, Value
from assay.report.numbers import format_value

FORMS: tuple[Form, ...] = ("text", "integer", "share", "percent", "signed", "p", "seconds", "score")
NB = "\N{NO-BREAK SPACE}"


@pytest.mark.parametrize("form", FORMS)
def test_what_was_not_measured_is_a_dash_and_never_zero(form: Form) -> None:
    assert format_value(None, form) == "–"
    assert format_value(float("nan"), form) == "–"
    assert format_value(float("inf"), form) == "–"
    assert format_value(float("-inf"), form) == "–"


@pytest.mark.parametrize("form", FORMS)
def test_text_is_itself_in_every_column(form: Form) -> None:
    assert format_value("n/a", form) == "n/a"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.000"),
        (0.0, "0.000"),
        (1, "1.000"),
        (0.8125, "0.813"),  # a tie goes away from zero; the format of Python would give 0.812
        (0.2345, "0.235"),  # in binary this is less than a tie; in its own decimals it is one
        (0.9994, "0.999"),
        (0.9995, ">0.999"),  # rounds to 1.000, and is not 1
        (0.99999, ">0.999"),
        (1 - 1e-12, "1.000"),  # the noise of a mean of ones
        (0.0005, "0.001"),
        (0.0004, "<0.001"),  # rounds to 0.000, and is not 0
        (1e-12, "0.000"),
        (-0.25, "−0.250"),
        (-0.0001, "0.000"),  # there is no minus zero
        (1.5, "1.500"),
    ],
)
def test_share(value: float, text: str) -> None:
    assert format_value(value, "share") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.0 %"),
        (1.0, "100.0 %"),
        (0.812, "81.2 %"),
        (0.5565, "55.7 %"),  # 0.5565 * 100 is 55.65 and a bit less in binary: the noise does not decide
        (0.9996, ">99.9 %"),
        (0.0004, "<0.1 %"),
        (12.5, "1,250.0 %"),
    ],
)
def test_percent(value: float, text: str) -> None:
    assert format_value(value, "percent") == text.replace(" ", NB)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1857, "1,857"), (-3, "−3"), (2.5, "3"), (-2.5, "−3"), (1e6, "1,000,000"), (10**30, f"1{',000' * 10}")],
)
def test_integer(value: float, text: str) -> None:
    assert format_value(value, "integer") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.000"),
        (0.031, "+0.031"),
        (-0.031, "−0.031"),
        (0.0001, "+0.000"),  # a difference there is; how large, three decimals cannot say
        (-0.0001, "−0.000"),
        (1e-15, "0.000"),
        (0.0005, "+0.001"),
    ],
)
def test_signed(value: float, text: str) -> None:
    assert format_value(value, "signed") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "<0.001"),
        (0.0, "<0.001"),
        (0.0009999, "<0.001"),
        (0.001, "0.001"),
        (0.012, "0.012"),
        (0.05, "0.050"),
        (1.0, "1.000"),
    ],
)
def test_p(value: float, text: str) -> None:
    assert format_value(value, "p") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 s"),
        (0.00001, "<0.1 ms"),
        (0.0004, "0.4 ms"),
        (0.0123, "12.3 ms"),
        (0.0999, "99.9 ms"),
        (0.1, "0.10 s"),
        (1.234, "1.23 s"),
        (59.994, "59.99 s"),
        (59.996, "1 min 00 s"),
        (125, "2 min 05 s"),
        (3599.6, "1 h 00 min"),
        (3725, "1 h 02 min"),
        (-1.5, "−1.50 s"),
    ],
)
def test_seconds(value: float, text: str) -> None:
    assert format_value(value, "seconds") == text.replace(" ", NB)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0.0000"),
        (0.016393, "0.0164"),
        (0.00003, "3.0e−05"),
        (-0.00003, "−3.0e−05"),
        (4.2, "4.200"),
        (12.345, "12.35"),
        (123.45, "123.5"),
        (1234.5, "1,235"),
        (1e20, "1.0e+20"),
    ],
)
def test_score(value: float, text: str) -> None:
    assert format_value(value, "score") == text


@pytest.mark.parametrize(("value", "text"), [(1857, "1,857"), (0.25, "0.2500")])
def test_a_number_in_a_text_column(value: Value, text: str) -> None:
    assert format_value(value, "text") == text


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(FORMS))
def test_any_number_has_a_text(value: float, form: Form) -> None:
    """With a sign that is a minus, not a hyphen, and with digits."""
    text = format_value(value, form)
    assert "-" not in text
    assert any(character.isdigit() for character in text)


@given(st.floats(min_value=1e-6, max_value=1 - 1e-6))
def test_a_share_between_is_never_written_as_nothing_or_everything(value: float) -> None:
    assert format_value(value, "share") not in {"0.000", "1.000"}
    assert format_value(value, "percent") not in {f"0.0{NB}%", f"100.0{NB}%"}


@given(st.floats(min_value=0, max_value=1))
def test_a_p_value_is_never_nothing(value: float) -> None:
    assert format_value(value, "p") != "0.000"
