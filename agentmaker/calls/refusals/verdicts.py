"""How servers word what they refuse of a history: what they name, and what they say of it.

That two features exclude each other, or that a parameter is refused, is said in the same words:
so what they name must be messages or a part of them.
"""

from __future__ import annotations

# What is said.
REFUSED = (
    r"\b(?:un|in|not |never |n't |no longer )(?:a )?(?:supported|known|recogni[sz]ed|permitted|"
    r"allowed|accepted|valid(?!_request)|expected|enabled|specified)|does(?: not|n't) support|"
    r"only support|not one of|not match any|extra_forbidden|"
    r"(?:unexpected|unknown|extra|additional) (?:field|key|propert|input)|"
    r"(?:must|should) (?:only )?be (?:one of|either|'?(?:user|system)\b)|"
    r"(?:valid|allowed|only).{0,48}\broles?|不正确|不支持|非法"
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
    r"alternat(?:e|es|ed|ing|ion)\b|consecutive|in a row|take turns|same role|immediately after|"
    r"\bafter (?:an? )?(?:role|user|assistant|tool)\b|unexpected role\W+(?:user|assistant)|"
    r"first (?:message|content|role|turn)\b.{0,48}\buser|(?:start|begin)\w* (?:with|from)\b"
    r".{0,24}\buser|no (?:first )?user (?:query|message)"
)
NOTHING_BUT_TURNS = r"\broles must alternate user/assistant"
BUT_CALLS = r"\bexcept\b.{0,16}\btool"
AT_THE_END = (
    r"\blast (?:message|role|turn)|messages?\b.{0,80}\blast one|(?:end|finish)\w* with an? user|"
    r"at the end of the list|final message|(?:assistant|message|response)\W{1,3}prefill|"
    r"prefill\w*.{0,40}\b(?:assistant|message|response)"
)
AT_THE_BEGINNING = (
    r"(?:at|from|in) the (?:beginning|start)|\bfirst\b|only (?:one|a single|1)\b|multiple|"
    r"more than (?:one|1)\b|\bafter role\b|in the middle|index 0|precede"
)
NOT_BOTH = r"\bboth\b|only one|mutually|together|same time"
NULL_TRIPS = (
    r"\bNoneType\b|\bNone'? has no (?:attribute|element)|must be string, but is null|"
    # What some servers make of no content: a list of no parts.
    r"\blist object has no element 0"
)
PARTS_TRIP = (
    r"\(not \W{0,2}list\W{1,2}\)|'list object' has no|concatenate list|"
    r"must be string, but is array|invalid user message\b"
)
MESSAGES_TRIP = r"\blist object has no element -?[1-9]"
MAPPING_TRIPS = r"\(not \W{0,2}dict\W{1,2}\)"
A_FORM = r"\blength|a-z|pattern|too long|alphanumeric"

# What is named: messages, their roles, their content, their keys.
ROLE = r"\broles?\b|角色"
USER_AND_ASSISTANT = r"\bonly user and assistant roles are supported(?!,? with)"
SYSTEM_USER_AND_ASSISTANT = r"\bonly (?:user, system|system, user),? and assistant roles"
TURN = r"\broles?\b|\bmessages?\b|\b(?:multi-?)?turns?\b|\buser and\b"
DEVELOPER = r"\bdeveloper\b(?!-).*(?:role|message|instruction)|role.*\bdeveloper\b(?!-)"
SYSTEM = (
    r"\b(?:system|developer) (?:role|message|prompt|instruction)s?\b"
    r"(?! (?:cach|length|size|token|limit))|role\W{0,6}system|system\W role|"
    r"role\W{0,3} does not support \W?system|\bgot system\b"
)
TOOL = (
    r"\btool[_ ]?(?:use|result)s? content block|\btool[_ ](?:results?|messages?|role)\b|"
    r"\brole\W{0,6}tool\b|\bgot tool\b|\btool[_ ]calls? arguments|\btool_call\.function|"
    r"\bmessages?\b.{0,80}\btool_calls?\b|\bexpects\b.{0,24}`tools=?` param"
)
SEVERAL_CALLS = (
    r"\b(?:single|one) (?:parallel )?(?:tool|function)[- _]?(?:call|use)|"
    r"\bparallel (?:tool|function)[- _]?(?:call|use)"
)
CALL_ID = r"call\W{0,3}s?\W.{0,12}\bids?\b|tool_(?:call_|use\.)id"
THOUGHT = (
    r"\breasoning_(?:content|details|text)\b|\breasoning (?:content|text)\b.{0,80}\bmessages?\b|"
    r"\bmessages?\b.{0,80}\breasoning\b(?![_. ](?:effort|model|token|summary|budget|max))"
)
CONTENT = r"\bcontents?\b|ContentBlock"
TEXT = rf"{CONTENT}|\btext\b"
OLD_CAP, NEW_CAP = r"(?<!reasoning\.)(?<!thinking\.)\bmax_tokens", r"max_completion_tokens"

# Where they find it: in messages and their template, in a field of the request.
PLACE = r"\bmessages?\W{1,3}\d|\bmessages\[|jinja|template"
FIELD = (
    r"messages?\b|roles?\b|contents?\b|tool_calls?\b|tools?\b|toolConfig|reasoning_content|"
    r"max_(?:completion_)?tokens|prompt|input\b|(?:chat_)?template"
)
PARAMETER = r"[a-z]\w*(?:[.\[].*)?"

# What else they may be about.
PAIRS = r"must be (?:a response|followed)|preceed|preceding|corresponding|insufficient"
VALUE = r"less than|greater than|at (?:least|most)|too (?:large|many|small|long)|exceed|maximum"
PICTURE = r"image|audio|video|\bfiles?\b|\burl\b"
ELSEWHERE = (
    # Who may do it, and how much of it.
    r"\b(?:permission|quota|subscription|billing|iam|arn)\b|this resource|permitted to use|"
    r"\byour role|\bowner\b|requests (?:by|from|per)\b|"
    # How it was sent.
    r"\bheaders?\b|\bhttp (?:request|body)|content-(?:type|length|encoding)|\bapplication/|\bmime|"
    # Another kind of system.
    r"\b(?:operating|file)[- ]?system|"
    # What else was asked for.
    r"tool_choice|parallel_tool_calls|response_format|json_schema|reasoning_effort|logprobs|"
    r"\btemperature\b|\btop_[pk]\b|_penalty\b|\bstructured outputs?\b|\bcach(?:ing|ed)\b"
)
FEATURES = (
    r"\b(?:un)?(?:support|allow|permitt|accept|compatib)\w*\b(?:[^.]{0,60} )?"
    r"(?:with|when|while|alongside) "
    # A model is no feature, and some are named: "with gemma-3".
    r"(?!(?:\S+ ){0,3}(?:models?|api|endpoint)\b|using\b|the exception|\S*\d)"
)
RETURNED = r"\b(?:stream|return)\w* (?:the )?\W?reasoning"
DESCRIBED = r"description|schema"
