from __future__ import annotations

import inspect
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import agentmaker
from agentmaker import count_tokens, estimate_tokens
from agentmaker.errors import ConfigError
from agentmaker.tokens import counter_name, is_exact
from agentmaker.tokens.estimated import (
    SAMPLED,
    Estimate,
    _windows,
    estimate_for,
    known_families,
)
from agentmaker.tokens.families import _RULES

FAMILIES = [None, "o200k_base", "cl100k_base", "deepseek_v3", "qwen3", "gemma3", "llama2"]
ANY_TEXT = st.text(st.characters(exclude_categories=()))
LENGTHENED = st.builds(str.__mul__, ANY_TEXT, st.integers(1, 2_000))

ENGLISH = (
    "The order left the warehouse on Tuesday. It should reach you by the end of the week, but the "
    "carrier has warned of delays in the north. If nothing has arrived by Monday, please write to "
    "us again and we will send a replacement at no cost. You do not have to return anything.\n"
)
CHINESE = (
    "客户在上周二下了订单，但是快递公司说北方的天气不好，所以包裹要晚几天才能送到。"
    "如果下周一还没有收到，请再联系我们，我们会免费重新发货，您不需要退回任何东西。"
    "对于给您带来的不便，我们非常抱歉，并且希望您能够继续支持我们的工作。\n"
)
SHORT_CHINESE = (
    *("今天天气很好", "订单什么时候发货？", "你好，请帮我查一下明天去上海的航班。"),
    *("请总结一下这篇文章的主要观点，谢谢。", "我们需要在周五之前完成这个项目的测试工作。"),
    *("他说他不知道为什么会这样。", "人工智能正在改变我们的生活方式。"),
)
CODE = inspect.getsource(inspect.getdoc) + inspect.getsource(inspect.getmodule)
RECORDS = json.dumps(
    [{"id": n, "name": f"Item {n}", "price": n * 1.25, "in_stock": n % 3 == 0} for n in range(40)]
)
ORDINARY = {"English": ENGLISH, "Chinese": CHINESE, "code": CODE, "records": RECORDS}


def exactly(text: str) -> int:
    return len(vocabulary("o200k_base").encode_ordinary(text))


def vocabulary(family):
    return pytest.importorskip("splintr").Tokenizer.from_pretrained(family)


def size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_is_no_token(family):
    assert estimate_tokens("", family=family) == 0


@given(ANY_TEXT.filter(bool), st.sampled_from(FAMILIES))
def test_any_text_is_at_least_a_token_and_at_most_its_bytes(text, family):
    assert 1 <= estimate_tokens(text, family=family) <= size(text)


@given(LENGTHENED.filter(bool))
def test_so_is_one_that_is_sampled(text):
    assert 1 <= estimate_tokens(text) <= size(text)


@pytest.mark.parametrize("text", ["\ud83d", "a\udfffb" * 20, "\ud800" * (SAMPLED + 1)])
def test_lone_surrogates_are_estimated(text):
    assert 1 <= estimate_tokens(text) <= size(text)


def test_a_long_text_has_no_more_tokens_than_bytes_where_only_its_rare_parts_are_looked_at():
    places = [chr(0x10000 + place) for place in range(4 * SAMPLED)]
    looked_at = set("".join(_windows("".join(places))))
    text = "".join("\U00010380" if place in looked_at else "a" for place in places)
    assert estimate_tokens(text) == size(text)


@given(ANY_TEXT)
def test_the_same_text_counts_the_same_whatever_was_counted_between(text):
    first = estimate_tokens(text)
    estimate_tokens(f"{text}{ENGLISH}", family="qwen3")
    assert estimate_tokens(text) == first


@pytest.mark.parametrize("value", [None, b"bytes", 5, ["text"]])
def test_what_is_no_string_is_refused(value):
    with pytest.raises(TypeError, match="takes a string"):
        estimate_tokens(value)


def test_families_count_by_themselves():
    counts = {family: estimate_tokens(CHINESE, family=family) for family in FAMILIES}
    assert counts["llama2"] > counts["cl100k_base"] > counts["o200k_base"] > counts["deepseek_v3"]


def test_a_family_nobody_knows_is_refused_with_those_there_are():
    with pytest.raises(ConfigError, match=r"no vocabulary is called 'Qwen': use one of .* qwen3"):
        estimate_tokens("text", family="Qwen")


def test_every_vocabulary_that_models_have_can_be_estimated():
    assert {family for family, _ in _RULES} <= {*known_families()}


@pytest.mark.parametrize("family", [None, "gpt_oss"])
@given(text=ANY_TEXT)
def test_unknown_families_and_gpt_oss_count_as_o200k(family, text):
    assert estimate_tokens(text, family=family) == estimate_tokens(text, family="o200k_base")


def test_an_estimate_says_its_family_and_that_it_is_none_of_the_exact():
    assert counter_name(estimate_for("qwen3")) == "estimate:qwen3"
    assert counter_name(estimate_for(None)) == "estimate"
    assert not is_exact(estimate_for("qwen3"))


def test_a_family_has_one_estimate():
    assert estimate_for("qwen3") is estimate_for("qwen3")
    assert estimate_for("qwen3") == Estimate("qwen3") != estimate_for("llama3")
    assert estimate_for("qwen3")(ENGLISH) == estimate_tokens(ENGLISH, family="qwen3")


def test_it_is_public():
    assert agentmaker.estimate_tokens is estimate_tokens


@pytest.mark.parametrize("text", [ENGLISH, CODE, RECORDS], ids=["English", "code", "records"])
def test_ordinary_texts_count_nearly_as_they_are(text):
    assert estimate_tokens(text) == pytest.approx(exactly(text), rel=0.2)


@pytest.mark.parametrize("text", ORDINARY.values(), ids=ORDINARY)
def test_a_long_text_counts_as_often_as_it_repeats(text):
    times = 4 * SAMPLED // len(text)
    once = estimate_tokens(text * (SAMPLED // len(text))) / (SAMPLED // len(text))
    assert estimate_tokens(text * times) == pytest.approx(once * times, rel=0.02)


def test_both_halves_of_a_long_text_are_looked_at():
    english, chinese = ENGLISH * 300, CHINESE * 300
    parts = estimate_tokens(english) + estimate_tokens(chinese)
    assert estimate_tokens(english + chinese) == pytest.approx(parts, rel=0.15)


def test_case_67_chinese_prose_is_not_counted_by_characters():
    tokens = exactly(CHINESE)
    assert count_tokens(CHINESE) > 1.35 * tokens
    assert 0.8 * tokens < estimate_tokens(CHINESE) < 1.35 * tokens


@pytest.mark.parametrize("family", ["o200k_base", "qwen3", "deepseek_v3", "glm4", "gemma3"])
def test_case_67_short_chinese_is_over_counted_by_far_less_than_by_characters(family):
    tokens = sum(len(vocabulary(family).encode_ordinary(text)) for text in SHORT_CHINESE)
    by_characters = sum(map(count_tokens, SHORT_CHINESE)) - tokens
    estimated = sum(estimate_tokens(text, family=family) for text in SHORT_CHINESE) - tokens
    assert by_characters > tokens / 2
    assert abs(estimated) < by_characters * 2 / 3


def test_case_68_numbers_on_lines_are_two_tokens_a_line():
    text = "1\n" * 30_000
    assert exactly(text) == 60_000
    assert estimate_tokens(text) == pytest.approx(60_000, rel=0.18)
    assert count_tokens(text) == 15_000
