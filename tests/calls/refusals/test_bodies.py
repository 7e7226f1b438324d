from __future__ import annotations

import html
import json

import pytest

from agentmaker.calls.refusals.bodies import said_in

WORDS = "the prompt is 5 tokens too long"
ERROR = {"error": {"message": WORDS, "type": "bad_thing", "code": 17}}


@pytest.mark.parametrize(
    "body",
    [
        ERROR,
        [ERROR],
        ERROR["error"],
        json.dumps(ERROR),
        json.dumps(ERROR).encode(),
        json.dumps(json.dumps(ERROR)),
        {"error": json.dumps(ERROR)},
        {"error": {"message": json.dumps(ERROR)}},
        {"error": {"message": "no", "metadata": {"raw": json.dumps(ERROR)}}},
        f"relay.BadRequest: host said b'{json.dumps(ERROR)}'",
        f"event: error\ndata: {json.dumps(ERROR)}\n\n",
        {"response": {"status": "failed", **ERROR}},
        {"choices": [{"delta": {}}], **ERROR},
        {"errors": [ERROR["error"]], "success": False},
        {"Response": {"Error": {"Code": 17, "Type": "bad_thing", "Message": WORDS}}},
    ],
)
def test_case_43_the_message_and_the_codes_are_found_wherever_they_are(body):
    said = said_in(body)
    assert WORDS in said.texts
    assert {"bad_thing", "17"} <= set(said.codes)


@pytest.mark.parametrize("key", ["message", "Message", "msg", "detail", "error_msg", "errMessage"])
def test_a_message_is_known_by_the_shape_of_its_key(key):
    assert said_in({key: WORDS}).texts == [WORDS]
    assert said_in({"error": {key: WORDS}}).texts == [WORDS]


@pytest.mark.parametrize("key", ["hint", "request", "messages_sent", "input", "prompt", "model"])
def test_case_47_what_stands_elsewhere_is_no_message(key):
    assert said_in({"error": {key: WORDS}}).texts == []
    assert said_in({"error": {"message": "no"}, key: {"content": WORDS}}).texts == ["no"]


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"mensaje": WORDS}},
        {"errore": WORDS},
        {"type": "INPUT_LENGTH", "text": WORDS},
        {"status": {"note": WORDS}},
    ],
)
def test_keys_nobody_has_seen_are_read_where_it_failed_and_nothing_else_tells(body):
    assert said_in(body, failed=True).texts == [WORDS]
    assert said_in(body).texts == []
    assert said_in({**body, "message": "no"}, failed=True).texts == ["no"]


@pytest.mark.parametrize("key", ["hint", "request", "messages_sent", "input", "prompt", "model"])
def test_case_47_what_repeats_the_request_is_not(key):
    assert said_in({"error": {key: WORDS}}, failed=True).texts == []


def test_case_47_json_in_a_message_is_not_taken_for_words():
    echo = json.dumps({"role": "user", "content": WORDS})
    assert said_in({"message": f"no such role: {echo} (index 2)"}).texts == [
        "no such role:   (index 2)"
    ]


def test_an_answer_says_nothing_of_its_content():
    said = said_in({"choices": [{"message": {"content": WORDS}}], "message": WORDS, "code": 5})
    assert (said.texts, said.codes, said.is_error) == ([], [], False)


@pytest.mark.parametrize(
    "talk", [{"warning": WORDS}, {"code": 20000, "msg": "ok"}, {"detail": "ok"}]
)
def test_what_stands_beside_the_choices_of_an_answer_is_no_error_even_if_there_are_none(talk):
    said = said_in({"choices": [], **talk})
    assert (said.texts, said.codes, said.is_error) == ([], [], False)


@pytest.mark.parametrize(
    "error", [ERROR, {"type": "error", "message": WORDS}, {"object": "error", "message": WORDS}]
)
def test_an_error_beside_the_choices_is_one(error):
    said = said_in({"choices": [], **error})
    assert (said.texts, said.is_error) == ([WORDS], True)


def test_the_choices_of_a_failure_make_no_answer_of_it():
    assert said_in({"choices": [], "message": WORDS}, failed=True).texts == [WORDS]


def test_numbers_are_kept_by_the_words_of_their_keys():
    facts = {"n_ctx": 256, "maxContextLength": "8,192", "promptTokens": 9.0, "ok": True, "x": None}
    assert said_in({"error": facts}).numbers == {
        "n ctx": 256,
        "max context length": 8_192,
        "prompt tokens": 9,
    }


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"param": "messages[1].content"}, ["messages[1].content"]),
        ({"detail": [{"loc": ["body", "messages"], "msg": "no"}]}, ["body", "messages"]),
    ],
)
def test_the_blamed_part_of_the_request_is_kept(body, expected):
    assert said_in(body).fields == expected


def test_a_message_that_is_a_code_is_both():
    said = said_in({"error": "context_length_exceeded"})
    assert said.codes == said.texts == ["context_length_exceeded"]


def test_of_a_page_the_title_is_kept_and_the_lines_that_a_reader_sees():
    said = said_in(
        "<!DOCTYPE html><html><style>p {width: 9em}</style><title>413 Too\n Large</title>"
        "<script>if (1 < 2) run()</script><p>prompt of <b>9</b> tokens &gt; 8</p></html>"
    )
    assert said.is_page
    assert said.texts == ["413 Too Large"]
    assert said.lines == ["413 Too Large", "prompt of 9 tokens > 8"]


def test_xml_is_no_page_and_what_its_elements_hold_is_read():
    said = said_in("<?xml version='1.0'?><Error><Code>BadThing</Code><M>It &lt; 9</M></Error>")
    assert not said.is_page
    assert said.texts == ["BadThing", "It < 9"]
    assert said.codes == ["BadThing"]


def test_json_in_tags_is_read():
    said = said_in(f"<pre>{html.escape(json.dumps(ERROR))}</pre>")
    assert said.texts == [WORDS]
    assert "bad_thing" in said.codes


@pytest.mark.parametrize(
    "body",
    [
        ERROR,
        {"type": "error", "message": "no"},
        {"object": "error"},
        {"detail": "no"},
        {"success": False},
        {"error_code": 7, "error_msg": "no"},
        {"base_resp": {"status_code": 7, "status_msg": "no"}, "choices": None},
        "Internal server error",
    ],
)
def test_what_says_that_it_is_an_error_is_known(body):
    assert said_in(body).is_error


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        {},
        [],
        "Hello, how can I help?",
        {"id": "x", "object": "chat.completion.chunk", "choices": [], "error": None},
        {"type": "response.completed", "response": {"status": "completed", "error": None}},
        {"base_resp": {"status_code": 0, "status_msg": "success"}},
        {"code": 200, "message": "ok"},
    ],
)
def test_what_says_nothing_of_an_error_is_none(body):
    assert not said_in(body).is_error


def test_a_body_deeper_than_anyone_writes_is_read_to_a_depth():
    body = {"error": {"message": WORDS}}
    for _ in range(5_000):
        body = {"error": body}
    assert said_in(body).texts == []
