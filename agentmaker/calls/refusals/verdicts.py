"""How servers word what they refuse of a history: what they name, and what they say of it."""

from __future__ import annotations

# What is said.
REFUSED = (
    r"\b(?:un|in|not |never |n't |no longer )(?:a )?(?:supported|known|recogni[sz]ed|permitted|"
    r"allowed|accepted|valid(?!_request)|expected|enabled|specified)|does(?: not|n't) support|"
    r"only support|not one of|not match any|extra_forbidden|"
    r"(?:unexpected|unknown|extra|additional) (?:field|key|propert|input)|"
    r"(?:must|should) (?:only )?be (?:one of|either|'?(?:user|system)\b)|"
    r"(?:valid|allowed|only).{0,32}\broles?|不正确|不支持|非法"
)
MISSING = (
    r"\bmissing\b|\brequired?\b|\bexpects\b|\bmust (?:be|include|have|define)\b|pass(?:ed)? back"
)
NULL = r"\bnull\b|<nil>|\bnil\b|\bnone\b|NoneType|\bmissing\b|\brequired\b"
BLANK = (
    r"non-?(?:empty|blank|whitespace)|\b(?:is|are|be|was) (?:empty|blank)|empty (?:text|content)"
)
NO_STRING = (
    r"(?:valid|(?:be|expected|is not|to be) an?|only an?)(?: \w+)? string|string_type|"
    r"of type string|got (?:an? )?(?:list|array)|unknown content type"
)
ALTERNATE = (
    r"alternat|consecutive|in a row|take turns|same role|immediately after|"
    r"\bafter (?:an? )?(?:role|user|assistant|tool)\b|unexpected role\W+(?:user|assistant)|"
    r"(?:first|start|begin)\w*\b.{0,48}\buser|no user (?:query|message)"
)
AT_THE_END = (
    r"\blast (?:message|role|one|turn)|(?:end|finish)\w* with an? user|at the end of the list|"
    r"final message|prefill"
)
AT_THE_BEGINNING = (
    r"(?:at|from|in) the (?:beginning|start)|\bfirst\b|only (?:one|a single|1)|multiple|more than|"
    r"\bafter role\b|in the middle|index 0|precede"
)
NOT_BOTH = r"\bboth\b|only one|mutually|together|same time"
A_FORM = r"\blength|a-z|pattern|too long|alphanumeric"

# What is named.
ROLE = r"\broles?\b|角色"
TURN = r"\brole|\bmessages?\b|\bturn|\buser\b"
DEVELOPER = r"\bdeveloper\b(?!-).*(?:role|message|instruction)|role.*\bdeveloper\b(?!-)"
SYSTEM = (
    r"\b(?:system|developer) (?:role|message|prompt|instruction)s?|role\W{0,6}system|system\W role"
)
TOOL = (
    r"\btool[_ ]?(?:use|result|config|call)s?\b|\btool (?:message|role)|\brole\W{0,6}tool\b|"
    r"`tools=?` param|\bgot tool\b"
)
SEVERAL_CALLS = (
    r"\b(?:single|one)\b.{0,24}\b(?:tool|function)|\bparallel\b.{0,16}\b(?:tool|function)"
)
CALL_ID = r"call\W{0,3}s?\W.{0,12}\bids?\b|tool_(?:call_|use\.)id"
THOUGHT = r"\breasoning(?:[_ ](?:content|details|text))?\b(?![_. ]effort)"
CONTENT = r"\bcontents?\b|ContentBlock"
TEXT = rf"{CONTENT}|\btext\b"
OLD_CAP, NEW_CAP = r"\bmax_tokens", r"max_completion_tokens"

# What else they may be about.
PAIRS = r"must be (?:a response|followed)|preceed|preceding|corresponding|insufficient"
VALUE = r"less than|greater than|at (?:least|most)|too (?:large|many|small|long)|exceed|maximum"
PICTURE = r"image|audio|\burl\b"
