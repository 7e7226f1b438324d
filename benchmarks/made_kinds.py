"""Made-up texts of the kinds that no library ships: identifiers, tables, logs, tool results."""

from __future__ import annotations

import json
import string
from collections.abc import Callable
from urllib.parse import quote

from agentmaker.tokens.exact import SURROGATE
from benchmarks.maker import Maker

Make = Callable[[Maker], str]

LEVELS = (
    *("DEBUG", "INFO", "WARN", "WARNING", "ERROR"),
    *("info", "error", "[notice]", "TRACE", "FATAL"),
)
EMOJI = (
    *(range(0x1F300, 0x1F5FF), range(0x1F600, 0x1F64F), range(0x1F680, 0x1F6FC)),
    *(range(0x1F900, 0x1F9FF), range(0x2600, 0x27BF), range(0x1F1E6, 0x1F1FF)),
)
FACES = "😀😂🤣😅😊😍😘😎🤔😭😢😡👍👎👏🙏💪🔥🎉❤️✨💯🚀✅❌⚠️👀🤷💔🥺"
BOXES = "─│┌┐└┘├┤┬┴┼═║╔╗╚╝▀▄█▌▐░▒▓■□▪●○◆◇★☆→←↑↓⇒✓✗"
FORMULAS = (
    *("\\alpha", "\\beta", "\\frac{a}{b}", "\\sum_{i=1}^{n}"),
    *("x^2", "\\int_0^1", "\\cdot", "="),
)
DIGITS_OF_BASE_64 = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"


def _many(make: Make) -> Make:
    """Many of one thing, a line, a comma or a space apart."""
    return lambda m: m.some(lambda: make(m), m.random.choice(("\n", " ", ", ", "\n- ", '",\n  "')))


def base64_text(m: Maker) -> str:
    text = m.base64(m.few(100, 6000))
    width = m.random.choice((64, 76, 10**6))
    prefix = m.random.choice(("", "data:image/png;base64,", '{"content": "'))
    return prefix + "\n".join(text[n : n + width] for n in range(0, len(text), width))


def urlsafe_tokens(m: Maker) -> str:
    def part(size: int) -> str:
        return m.base64(size).replace("+", "-").replace("/", "_").rstrip("=")

    def web_token() -> str:
        return f"eyJ{part(30)}.eyJ{part(m.few(40, 200))}.{part(32)}"

    def key() -> str:
        return f"sk-{part(36)}"

    def name() -> str:
        return part(m.few(8, 60))

    return m.some(m.random.choice((web_token, key, name)), "\n")


def hex_dump(m: Maker) -> str:
    def line(number: int) -> str:
        data = m.random.randbytes(16)
        shown = "".join(chr(b) if 32 <= b < 127 else "." for b in data)
        return f"{number * 16:08x}  {data.hex(' ')}  |{shown}|"

    return "\n".join(map(line, range(m.few(10, 150))))


def hex_text(m: Maker) -> str:
    prefix = m.random.choice(("", "0x", "#", "sha256:"))
    size = m.random.choice((3, 4, 8, 16, 20, 32, 64))
    separator = m.random.choice((" ", "\n", ", ", ""))
    text = m.some(lambda: prefix + m.hexadecimal(size, size), separator)
    return text.upper() if m.random.random() < 0.25 else text


def csv_text(m: Maker) -> str:
    makers = [
        m.random.choice((m.number, m.word, m.digits, m.time, m.name, m.phrase, m.uuid, m.address))
        for _ in range(m.few(2, 14))
    ]
    separator, quoted = m.separator(), m.random.random() < 0.25

    def row() -> str:
        return separator.join(f'"{make()}"' if quoted else make() for make in makers)

    return separator.join(m.name() for _ in makers) + "\n" + m.some(row, "\n")


def number_table(m: Maker) -> str:
    form = m.random.choice((".2f", ".4f", ".0f", "8.3f", ".6e", ",.0f", ">6.0f"))
    scale, columns, separator = 10 ** m.few(1, 7), m.few(1, 12), m.separator()

    def cell() -> str:
        return format(m.random.uniform(-scale / 4, scale), form)

    return m.some(lambda: separator.join(cell() for _ in range(columns)), "\n")


def number_lines(m: Maker) -> str:
    most = m.few(1, 10)
    separator = m.random.choice("\n\n ,\t")
    return m.some(lambda: m.digits(most if m.few(0, 1) else 1, most), separator)


def counting(m: Maker) -> str:
    start, step = m.few(0, 10**5), m.few(1, 3)
    separator = m.random.choice(("\n", " ", ", ", ",", "\r\n", "\n\n"))
    return separator.join(str(start + step * n) for n in range(m.few(20, 1500)))


def vectors(m: Maker) -> str:
    places = m.few(2, 17)
    return json.dumps([round(m.random.gauss(0, 1), places) for _ in range(m.few(20, 400))])


def markdown_table(m: Maker) -> str:
    columns = m.few(2, 7)

    def row() -> str:
        return "| " + " | ".join(m.value() for _ in range(columns)) + " |"

    return "\n".join((row(), f"|{'---|' * columns}", m.some(row, "\n")))


def box_table(m: Maker) -> str:
    widths = [m.few(6, 24) for _ in range(m.few(2, 6))]
    corner, dash, bar = m.random.choice((("+", "-", "|"), ("┼", "─", "│"), ("╬", "═", "║")))
    rule = corner + corner.join(dash * (width + 2) for width in widths) + corner

    def row() -> str:
        cells = f" {bar} ".join(m.value()[:width].ljust(width) for width in widths)
        return f"{bar} {cells} {bar}\n{rule}"

    return "\n".join(row() for _ in range(m.few(4, 40)))


def padded_columns(m: Maker) -> str:
    widths = [m.few(8, 30) for _ in range(m.few(2, 6))]

    def row() -> str:
        return "".join(m.value()[: width - 1].ljust(width) for width in widths)

    return m.some(row, "\n")


def tool_result(m: Maker) -> str:
    keys = [m.name() for _ in range(m.few(2, 10))]
    makers = [m.random.choice((m.value, m.uuid, m.time, m.phrase, m.number, m.url)) for _ in keys]

    def row() -> dict[str, str]:
        return {key: make() for key, make in zip(keys, makers, strict=True)}

    rows = [row() for _ in range(m.few(2, 30))]
    body = {m.name(): rows, "total": len(rows), "next": None}
    forms = ({}, {"indent": 2}, {"indent": 4}, {"separators": (",", ":")})
    return json.dumps(body, **m.random.choice(forms))


def nested_json(m: Maker) -> str:
    forms = ({}, {"indent": 2}, {"separators": (",", ":")})
    return json.dumps([m.json(4) for _ in range(m.few(2, 30))], **m.random.choice(forms))


def json_lines(m: Maker) -> str:
    return m.some(lambda: json.dumps({m.name(): m.json(1) for _ in range(m.few(2, 8))}), "\n")


def json_in_json(m: Maker) -> str:
    inner = json.dumps({m.name(): m.json(2) for _ in range(m.few(3, 20))})
    return json.dumps({"arguments": inner, "log": f"{m.phrase()}\n{m.phrase()}\t{m.path()}"})


def tool_schemas(m: Maker) -> str:
    def parameter() -> dict[str, object]:
        kind = m.random.choice(("string", "integer", "boolean", "number", "array"))
        more = {"enum": [m.word() for _ in range(m.few(2, 6))]} if kind == "string" else {}
        return {"type": kind, "description": f"{m.phrase(3, 16).capitalize()}.", **more}

    def tool() -> dict[str, object]:
        names = [m.name() for _ in range(m.few(1, 7))]
        properties = {name: parameter() for name in names}
        schema = {"type": "object", "properties": properties, "required": names[:2]}
        about = {"name": m.name(), "description": f"{m.phrase(5, 30).capitalize()}."}
        return {"type": "function", "function": {**about, "parameters": schema}}

    indent = m.random.choice((None, None, 2))
    return json.dumps([tool() for _ in range(m.few(2, 12))], indent=indent)


def log_lines(m: Maker) -> str:
    fields = [m.time, lambda: m.random.choice(LEVELS), m.name, m.phrase]
    extra = (m.address, m.uuid, m.url, m.number, m.path, lambda: f"{m.name()}={m.value()}")
    fields += m.random.choices(extra, k=m.few(0, 5))
    separator = m.random.choice((" ", " ", " - ", " | ", "\t"))
    return m.some(lambda: separator.join(make() for make in fields), "\n")


def access_log(m: Maker) -> str:
    def line() -> str:
        verb = m.random.choice(("GET", "POST", "PUT", "DELETE"))
        agent = f"Mozilla/5.0 ({m.phrase(1, 4)}) {m.name()}/{m.digits()}.{m.digits()}"
        status = m.random.choice((200, 301, 404, 500))
        request = f'"{verb} {m.path()} HTTP/1.1" {status} {m.digits()}'
        return f'{m.address()} - - [{m.time()}] {request} "{m.url()}" "{agent}"'

    return m.some(line, "\n")


def python_traceback(m: Maker) -> str:
    frames = "\n".join(
        f'  File "{m.path()}", line {m.few(1, 2000)}, in {m.name()}\n'
        f"    return {m.name()}({m.name()}, {m.name()}={m.name()})"
        for _ in range(m.few(4, 40))
    )
    return f"Traceback (most recent call last):\n{frames}\n{m.name().title()}Error: {m.phrase()}"


def java_trace(m: Maker) -> str:
    def class_name() -> str:
        return ".".join(m.word() for _ in range(m.few(2, 5))) + "." + m.word().title()

    def frame() -> str:
        return f"\tat {class_name()}.{m.name()}({m.word().title()}.java:{m.few(1, 999)})"

    return f"{class_name()}Exception: {m.phrase()}\n" + m.some(frame, "\n")


def sql_rows(m: Maker) -> str:
    columns = [m.name() for _ in range(m.few(2, 8))]

    def row() -> str:
        return "(" + ", ".join(f"'{m.value()}'" for _ in columns) + ")"

    return f"INSERT INTO {m.name()} ({', '.join(columns)}) VALUES\n" + m.some(row, ",\n") + ";"


def queries(m: Maker) -> str:
    def query() -> str:
        a, b, c = m.name(), m.name(), m.name()
        where = " AND ".join(f"{m.name()} = '{m.value()}'" for _ in range(m.few(1, 4)))
        return f"SELECT {a}, {b}, COUNT(*) AS {c} FROM {m.name()} t\nWHERE {where} GROUP BY {a};"

    return m.some(query, "\n\n")


def file_list(m: Maker) -> str:
    def line() -> str:
        mode = m.random.choice(("-rw-r--r--", "drwxr-xr-x"))
        day = f"Jan {m.few(1, 31):2} {m.few(0, 23):02}:05"
        return f"{mode} 1 root root {m.digits():>8} {day} {m.name()}"

    return m.some(m.random.choice((m.path, line)), "\n")


def environment(m: Maker) -> str:
    return m.some(lambda: f"{m.name().upper().replace('-', '_')}={m.value()}", "\n")


def unified_diff(m: Maker) -> str:
    def line() -> str:
        sign = m.random.choice("  +-")
        return f"{sign}{' ' * 4 * m.few(0, 4)}{m.name()} = {m.name()}({m.value()!r})"

    def hunk() -> str:
        a, b = m.few(1, 999), m.few(1, 99)
        body = "\n".join(line() for _ in range(m.few(4, 20)))
        return f"@@ -{a},{b} +{a},{b + 2} @@ def {m.name()}\n{body}"

    path = m.path()
    return f"--- a{path}\n+++ b{path}\n" + "\n".join(hunk() for _ in range(m.few(2, 14)))


def chat(m: Maker) -> str:
    def line() -> str:
        return f"{m.word()}: {m.phrase(1, 14)} " + "".join(m.random.choices(FACES, k=m.few(0, 3)))

    return m.some(line, "\n")


def emoji_run(m: Maker) -> str:
    block = m.random.choice((*EMOJI, None, None))
    after = m.random.choice(("", "", "\ufe0f", "\U0001f3fd", "\u200d\u2642\ufe0f"))

    def emoji() -> str:
        return (chr(m.random.choice(block)) if block else m.random.choice(FACES)) + after

    separators = ("", "", " ", "\n", f" {m.word()} ", f" {m.phrase()}\n")
    return m.some(emoji, m.random.choice(separators))


def any_script(m: Maker) -> str:
    """Words of random characters that are neighbours somewhere in Unicode."""
    first = m.random.choice((m.few(0xA0, 0xD7FF), m.few(0xE000, 0xFFFF), m.few(0x10000, 0x1FFFF)))

    def word() -> str:
        return "".join(chr(first + m.few(0, 40)) for _ in range(m.few(2, 8)))

    return SURROGATE.sub("", m.some(word, m.random.choice((" ", " ", "", "\n"))))


def boxes(m: Maker) -> str:
    some = m.random.sample(BOXES, 6)
    return m.some(lambda: m.random.choice(some) * m.few(1, 30), m.random.choice(("", " ", "\n")))


def percent_encoded(m: Maker) -> str:
    separator = m.random.choice(("&", "\n"))
    return m.some(lambda: quote(f"{m.phrase()} {m.value()}/é中", safe=""), separator)


def unicode_escapes(m: Maker) -> str:
    block = m.random.choice(((0x4E00, 0x9FFF), (0x400, 0x45F), (0x3041, 0x30FE), (0x600, 0x6FF)))

    def text() -> str:
        return "".join(chr(m.few(*block)) for _ in range(m.few(2, 20)))

    return json.dumps({m.name(): text() for _ in range(m.few(3, 40))})


def shouting(m: Maker) -> str:
    return m.some(lambda: m.phrase().upper(), m.random.choice((". ", "\n", ": ")))


def titles(m: Maker) -> str:
    return m.some(lambda: m.phrase(1, 5).title(), "\n")


def camel_names(m: Maker) -> str:
    return m.some(lambda: m.name() + m.word().title() + m.word().title(), m.separator())


def constants(m: Maker) -> str:
    def name() -> str:
        return "_".join((m.word(), m.word(), m.word())).upper()

    return m.some(name, m.random.choice(("\n", " = 1\n")))


def word_list(m: Maker) -> str:
    return m.some(m.word, m.random.choice(("\n", ", ", " ", "\t", '", "')))


def random_letters(m: Maker) -> str:
    cases = (string.ascii_lowercase, string.ascii_letters, string.ascii_uppercase)
    letters = m.random.choice(cases) + m.random.choice(("", string.digits))
    size = m.random.choice((6, 12, 30, 200))
    return m.some(lambda: "".join(m.random.choices(letters, k=m.few(size // 2, size))), " ")


def genome(m: Maker) -> str:
    letters = m.random.choice(("ACGT", "acgt", "01", "ACDEFGHIKLMNPQRSTVWY"))
    separator = m.random.choice(("\n", ""))
    return m.some(lambda: "".join(m.random.choices(letters, k=60)), separator)


def svg_path(m: Maker) -> str:
    def step() -> str:
        places, letter = m.few(0, 3), m.random.choice("MLCQZHVmlchv")
        numbers = (f"{m.random.uniform(-99, 999):.{places}f}" for _ in range(m.few(1, 6)))
        return letter + ",".join(numbers)

    steps = m.some(step, m.random.choice(("", " ")))
    return f'<path d="{steps}"/>'


def geometry(m: Maker) -> str:
    places = m.few(3, 7)
    separators = m.random.choice((None, (",", ":")))

    def point() -> list[float]:
        return [round(m.random.uniform(-180, 180), places) for _ in range(2)]

    points = [point() for _ in range(m.few(10, 200))]
    return json.dumps({"coordinates": points}, separators=separators)


def ansi_output(m: Maker) -> str:
    return m.some(lambda: f"\x1b[{m.few(0, 37)}m{m.phrase(1, 5)}\x1b[0m", m.random.choice("\n "))


def indented(m: Maker) -> str:
    return m.some(lambda: f"{' ' * 4 * m.few(1, 8)}{m.name()}: {m.value()},", "\n")


def blank_lines(m: Maker) -> str:
    return m.some(lambda: m.phrase(1, 3) + m.random.choice(("\n", " " * m.few(1, 40))), "\n")


def rules_of_signs(m: Maker) -> str:
    def line() -> str:
        return m.random.choice("-=_*#~.") * m.few(3, 100) + f"\n{m.phrase(0, 6)}"

    return m.some(line, "\n")


def long_run(m: Maker) -> str:
    one = m.random.choice("aexzAX 0179-=.\n\t #*é中あ한😀б")
    return one * m.few(100, 8000)


def formulas(m: Maker) -> str:
    def line() -> str:
        return f"$${' '.join(m.random.choices(FORMULAS, k=m.few(2, 9)))}$$ {m.phrase(0, 8)}"

    return m.some(line, "\n")


def tags(m: Maker) -> str:
    def element() -> str:
        name = m.random.choice(("div", "span", "a", "td", "li", "item", m.word()))
        held = f'{m.name()}="{m.value()}"'
        return f"<{name} {held}>{m.phrase(0, 6)}</{name}>"

    return m.some(element, m.random.choice(("", "\n", "\n    ")))


def source_map(m: Maker) -> str:
    """Places in files, each as how far it is from the one before, in base 64."""

    def segment() -> str:
        return "".join(_variable_length(int(m.random.gauss(0, 9))) for _ in range(m.few(4, 5)))

    def line() -> str:
        return ",".join(segment() for _ in range(m.few(0, 20)))

    about = {"version": 3, "sources": [f"../{m.name()}.ts"], "names": []}
    return json.dumps({**about, "mappings": m.some(line, ";")}, separators=(",", ":"))


def _variable_length(number: int) -> str:
    """*number* as source maps write it: five bits a digit, the sign last, the least first."""
    rest, found = abs(number) << 1 | (number < 0), ""
    while rest > 31:
        found += DIGITS_OF_BASE_64[rest & 31 | 32]
        rest >>= 5
    return found + DIGITS_OF_BASE_64[rest]


def listed(m: Maker) -> str:
    """Lines that begin alike and end alike."""
    begin, end = m.random.choice((m.path, m.url, m.phrase, m.name))(), m.value()[:12]
    return m.some(lambda: f"{begin}{m.random.choice('/.#= ')}{m.name()}{end}", "\n")


def mails(m: Maker) -> str:
    return m.some(lambda: f"{m.name()}@{m.word()}.{m.end()}", m.random.choice(("\n", "; ", ", ")))


def phones(m: Maker) -> str:
    def number() -> str:
        return f"+{m.digits(1, 2)} ({m.digits(3, 3)}) {m.digits(3, 3)}-{m.digits(4, 4)}"

    return m.some(lambda: f"{m.phrase(1, 2).title()} {number()}", "\n")


KINDS: dict[str, Make] = {
    "access log": access_log,
    "addresses": _many(Maker.address),
    "ansi": ansi_output,
    "any script": any_script,
    "base64": base64_text,
    "blank lines": blank_lines,
    "box table": box_table,
    "boxes": boxes,
    "camel names": camel_names,
    "chat": chat,
    "constants": constants,
    "counting": counting,
    "csv": csv_text,
    "emoji": emoji_run,
    "environment": environment,
    "file list": file_list,
    "formulas": formulas,
    "genome": genome,
    "geometry": geometry,
    "hex": hex_text,
    "hex dump": hex_dump,
    "identifiers": _many(Maker.name),
    "indented": indented,
    "java trace": java_trace,
    "json in json": json_in_json,
    "json lines": json_lines,
    "listed": listed,
    "log": log_lines,
    "long run": long_run,
    "mails": mails,
    "markdown table": markdown_table,
    "nested json": nested_json,
    "number lines": number_lines,
    "number table": number_table,
    "numbers": _many(Maker.number),
    "padded columns": padded_columns,
    "paths": _many(Maker.path),
    "percent encoded": percent_encoded,
    "phones": phones,
    "queries": queries,
    "random letters": random_letters,
    "rules": rules_of_signs,
    "shouting": shouting,
    "source map": source_map,
    "sql rows": sql_rows,
    "svg path": svg_path,
    "tags": tags,
    "times": _many(Maker.time),
    "titles": titles,
    "tool result": tool_result,
    "tool schemas": tool_schemas,
    "traceback": python_traceback,
    "unicode escapes": unicode_escapes,
    "unified diff": unified_diff,
    "urls": _many(Maker.url),
    "urlsafe tokens": urlsafe_tokens,
    "uuids": _many(Maker.uuid),
    "vectors": vectors,
    "word list": word_list,
}
