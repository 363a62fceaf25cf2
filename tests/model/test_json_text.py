"""JSON as text: halves of surrogate pairs, numbers, depth, and white space."""

import json

import msgspec
import pytest

from headwater.model.values import json_text
from headwater.model.values.json_text import Readable, readable_numbers

HALVES = [
    rb'"\ud800"',
    rb'"\udfff"',
    rb'"\uD800 \uDBFF \uDC00 \uDFFF"',
    rb'"\ud800x"',
    rb'"x\udc00"',
    rb'"\ud800\ud800\udc00"',
    rb'"\ud83d\ude00\ude00"',
    rb'"\udc00\ud800"',
    rb'"\ud800\n\udc00"',
    rb'"\ud800\\udc00"',
    rb'"\\\ud800"',
    rb'"\ud800 \ue800 \uE800"',
    rb'"\ud800 \ue800 \uf8ff \ucccc \ubabe"',
    rb'"\ud800 \ue800 \uf8ff \ucccc \ubabe \uabcd"',
    rb'"\ud800 \\ue800 \\\\uf8ff"',
]

WHOLE = [
    rb'"\ud83d\ude00"',
    rb'"\uD83D\uDE00\ud83d\ude00"',
    rb'"\\ud800"',
    rb'"\\\\ud800 \\udc00"',
    rb'"\ud7ff \ue000 \uffff"',
    rb'"ud800"',
    rb'"\u0000"',
    '"\U0001f600"'.encode(),
]


@pytest.mark.parametrize("text", HALVES)
def test_text_with_half_a_pair_can_be_read_and_put_back(text: bytes) -> None:
    readable = Readable(text)
    assert readable.text != text
    assert len(readable.text) == len(text)
    msgspec.json.decode(readable.text)
    assert readable.restore(readable.text) == text


@pytest.mark.parametrize("text", [*WHOLE, b"", rb'"\ud80', rb'"\u'])
def test_text_without_one_is_left_as_it_is(text: bytes) -> None:
    readable = Readable(text)
    assert readable.text == text
    assert readable.restore(text) == text


def test_a_half_at_the_very_end_of_the_text_is_replaced() -> None:
    for text in (rb"\ud800", rb"\ud800\u", rb"\ud800\ud"):
        readable = Readable(text)
        assert readable.text != text
        assert readable.restore(readable.text) == text


@pytest.mark.parametrize("text", [*HALVES, *WHOLE])
def test_strings_get_back_the_halves_they_were_written_with(text: bytes) -> None:
    readable = Readable(text)
    assert readable.restore_string(msgspec.json.decode(readable.text)) == json.loads(text)


@pytest.mark.parametrize("character", ["\ue800", "\uf8ff", "\ucccc", "\uefff", "\uffff"])
def test_characters_of_the_text_itself_are_not_taken_for_halves(character: str) -> None:
    text = rb'"\ud800' + character.encode() + b'"'
    readable = Readable(text)
    assert readable.restore_string(msgspec.json.decode(readable.text)) == json.loads(text)


def test_decodes_past_lone_surrogates() -> None:
    decoder = msgspec.json.Decoder(dict[str, str])
    assert json_text.decode(decoder, rb'{"a":"\ud83d\ude00"}') == {"a": "\U0001f600"}
    assert json_text.decode(decoder, rb'{"a":"x\ud83d"}') == {"a": "x\0"}


class TestDepth:
    MOST = json_text.MAX_DEPTH

    @pytest.mark.parametrize("more", [0, 1])
    def test_the_limit_is_exact(self, more: int) -> None:
        depth = self.MOST + more
        half = depth // 2
        mixed = (
            b'{"a":[' * half + b"[" * (depth - 2 * half) + b"]" * (depth - 2 * half) + b"]}" * half
        )
        for text in (b"[" * depth + b"]" * depth, b"[" * depth, mixed):
            assert json_text.is_too_deep(text) == bool(more)

    @pytest.mark.parametrize(
        "text",
        [
            b"[" + b"[]," * 10_000 + b"[]]",
            b"[" + b"{}," * 10_000 + b"{}]",
            b'["' + b"[" * 10_000 + b'"]',
            b'["' + rb"\"[" * 10_000 + b'"]',
            b'["' + rb"\\" * 3 + rb"\"" + b"[{" * 10_000 + b'"]',
            b'["' + rb"\\" + b'","' + b"[" * 10_000 + b'"]',
            b'{"' + b"{" * 10_000 + b'":"' + b"}" * 10_000 + b'"}',
            b"",
            b"]" * 10_000,
        ],
    )
    def test_many_brackets_are_not_deep(self, text: bytes) -> None:
        assert not json_text.is_too_deep(text)

    @pytest.mark.parametrize(
        "text",
        [
            rb'["\\",' + b"[" * 600,
            rb'["\"",' + b"[" * 600,
            rb'["]]]]\\\"]]]",' + b"[" * 600,
            b'[""' + b',[""' * 600,
            b'{"]":' * 600,
        ],
    )
    def test_strings_do_not_hide_depth(self, text: bytes) -> None:
        assert json_text.is_too_deep(text)


@pytest.mark.parametrize(
    "text", [b'{"a":', rb'{"a":"\ud83d"', b'{"a":1}', rb'{"a":1,"b":"\ud83d"}']
)
def test_what_is_wrong_beside_surrogates_is_still_wrong(text: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        json_text.decode(msgspec.json.Decoder(dict[str, str]), text)


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (b'{ "a" : [ 1 ,\n 2 ] }', b'{"a":[1,2]}'),
        (b'{"a": " : , "}', b'{"a":" : , "}'),
        (b'{"b":1, "a":2, "b":3}', b'{"b":1,"a":2,"b":3}'),
        (b"[1.50, 1e999, -0, 1E5]", b"[1.50,1e999,-0,1E5]"),
        (b"[ " + b"1" * 40 + b" ]", b"[" + b"1" * 40 + b"]"),
        (rb'[ "\u00e9\u0000\/" ]', rb'["\u00e9\u0000\/"]'),
        ('[ "\u00e9\U0001f600" ]'.encode(), '["\u00e9\U0001f600"]'.encode()),
    ],
)
def test_white_space_goes_and_nothing_else(text: bytes, short: bytes) -> None:
    assert json_text.minify(text) == short


def test_minified_text_with_lone_surrogates_says_the_same() -> None:
    text = rb'{ "a" : "\ud800" }'
    assert json.loads(json_text.minify(text)) == json.loads(text)


class TestReadableNumbers:
    @pytest.mark.parametrize(
        "number",
        ["1e400", "-1e400", "1E+309", "0.1e310", "9" * 4301, "-" + "9" * 4301, "9" * 299 + "e99"],
    )
    def test_what_readers_cannot_take_is_text(self, number: str) -> None:
        data = f'{{"a":[{number}, 1],"b":{number}}}'.encode()
        assert json.loads(readable_numbers(data)) == {"a": [number, 1], "b": number}

    @pytest.mark.parametrize(
        "data",
        [
            b'{"a": 1e308, "b": 1e-400, "c": 123456789012345678901234567890}',
            b'{"a": "1e400", "b": "\\" 1e400", "4e123": "' + b"9" * 5000 + b'"}',
            b"[" + b"9" * 4300 + b"]",
            b'"\\ud800"',
            b"",
        ],
    )
    def test_all_else_is_as_it_came(self, data: bytes) -> None:
        assert readable_numbers(data) == data

    def test_strings_beside_such_a_number_are_as_they_came(self) -> None:
        data = b'{"a": "1e400 \\" 1e400", "b": 1e400, "c": "\\\\"}'
        assert readable_numbers(data) == data.replace(b": 1e400", b': "1e400"')
