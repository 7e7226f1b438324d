"""The concepts of a refusal, each with the words that servers have for it in ten languages.

A concept is a function: whether a plain text speaks of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

Concept: TypeAlias = Callable[[str], bool]


def _says(*words: str) -> Concept:
    # Compiled when first asked: a program whose calls succeed never needs them.
    @cache
    def pattern() -> re.Pattern[str]:
        return re.compile("|".join(words))

    return lambda text: pattern().search(text) is not None


OUTPUT = (
    r"max(?:imum)? tokens?\b(?! allowed| limit| per| count| of(?: \d+ exceeded| ?$))"
    r"|(?:max(?:imum)? )?(?:number of )?"
    r"(?:new|completion|output|generat(?:ed|ion)|response|thinking|reasoning)"
    r" (?:tokens?|length|sequence|budget)(?: count| limit)?|budget tokens"
)
"""The cap of the reply, as a pattern."""

names_output = _says(
    OUTPUT,
    r"\b(?:output|ausgabe|sortie|salida|saída|вывод)",
    "输出|輸出|出力|출력",
)
names_prompt = _says(
    r"\b(?:prompts?|inputs?|messages|conversation|history)\b",
    r"\b(?:eingabe|entrée|entrada|ввод|промпт)",
    "输入|輸入|提示|消息|入力|プロンプト|입력|프롬프트",
)
names_tokens = _says(
    r"token|context (?:length|window|size|limit)|\btp[mdh]\b|jeton|токен",
    "令牌|上下文|トークン|토큰",
)
names_input = _says(
    r"\b(?:prompts?|inputs?|context|messages|conversation|dialog(?:ue)?|chat|thread|history"
    r"|transcript|seq(?:uence)?|token\w{0,4}|ctx|window)\b",
    r"\bmax position embeddings\b|\btext you (?:supplied|sent|provided)",
    r"\b(?:model max(?:imum)? length|max(?:imum)? (?:model|seq) len(?:gth)?)\b",
    r"\b(?:eingabe|konte[xk]|nachrichten|unterhaltung|entrée|contexte|invite|jeton)",
    r"\b(?:entrada|contexto|mensaje|mensage|conversa|ingresso|contesto|messaggi)",
    r"\b(?:ввод|входн|промпт|контекст|сообщени|токен|диалог|истори)",
    "输入|輸入|上下文|提示|对话|對話|会话|會話|消息|历史|歷史|令牌|序列",
    "入力|プロンプト|コンテキスト|トークン|メッセージ|会話|履歴",
    "입력|프롬프트|컨텍스트|문맥|토큰|메시지|대화",
)
"""What is sent to the model, as a whole."""

names_length = _says(
    r"\blen(?:gth)?\b|long|short|size|token|characters|window|länge|longu|длин",
    "长度|長度|字数|長さ|길이",
)
is_over = _says(
    r"exceed|surpass|overflow|overrun|too (?:long|large|big|many|lengthy|much)",
    # What "must be longer than" something is too short.
    r"(?<!be )(?:long|larg|great|bigg|high)er than|(?:goes|going|runs?|ran|went) (?:past|over)",
    r"violat|reached the end of|ran out of|(?:10[1-9]|1[1-9]\d|[2-9]\d\d)\d*(?:\.\d+)? ?% of",
    r"\d ?> ?=? ?(?:[a-z]{1,16} ){0,4}\d",
    "przekrocz|překroč|prekroč|överskrid|overskrid|ylitt|aşıl|aştı|melebihi|vượt|túllép|depăș",
    r"(?:more than|over|above|beyond|outside|past|reached) (?:the |its |our |your )?"
    r"(?:model s? )?(?:max|limit|allowed|context|conversation|prompt|input|\d+ (?:token|limit))",
    r"(?:max\w{0,4}|limit|context)[^.]{0,30} reached",
    r"(?:limit|max(?:imum)?)(?: was| is| has been)? hit\b",
    r"\bhit (?:the|its|your|our) [^.]{0,24}limit",
    r"(?:context|ctx|conversation)[^.]{0,24} (?:full|exhausted)|(?:not|n t|cannot) fit",
    r"[ck]onte[xs]t[^.]{0,24} (?:voll|erschöpft|llen[oa]|chei[oa]|pleine?|pien[oa])\b|已满|已滿",
    r"(?:insufficient|not enough|no|out ?of) (?:context|room)|\bfills\b",
    r"überschr|übersteig|zu (?:lang|groß|viele)\b|(?:läng|größ)er als",
    r"dépass|exc[èé]d|trop (?:long|grand|de)|supérieure? à|plus (?:long|grand)\w{0,3} que",
    r"\bsuper(?:a|an|ado|ada|ato|ata|am|ó|ou)\b|exced|sobrepas|ultrapass",
    r"demasiad[oa] (?:larg|grand)|muit[oa] (?:long|grande)|ma[iy]or (?:do )?que",
    r"(?:long[oa]|grande) demais",
    r"troppo (?:lung|grand)",
    r"превыш|превос|слишком (?:длин|больш|велик|много)|(?:больше|длиннее), чем",
    "超过|超過|超出|超限|超长|超長|过长|過長|太长|太長|过大|過大|过多|過多|大于|大於|溢出|达上限|达到上限",
    "超え|長すぎ|大きすぎ|多すぎ|オーバー|上回",
    "초과|너무 (?:길|긴|깁|크|큽|많)|넘(?:었|습|어|는)",
)
is_bounded = _says(
    r"(?:must|should|can|may|cannot|has to|have to|needs? to)\b.{0,40}?(?:(?:few|short|small)er"
    r"|less than|at most|within|between|up to|no (?:more|long)"
    r"|not (?:be )?(?:exceed|long|more|great)|[<≤]|\[)",
    r"range of .{0,40} should be",
    r"max(?:imum)? (?:input|prompt|context) (?:characters?|tokens?|length|size)(?: is|:) \d",
    r"max(?:imum)? size(?: is|:) \d+ tokens",
    "不能超过|不得超过|应小于|以下にして|이하(?:여야|로)",
)
"""It may be so much at most."""

asks_for_less = _says(
    r"\b(?:reduc|shorten|decreas|trim|truncat|compress|shrink|condens)\w{0,4}(?: \w{1,20}){0,5}?"
    r" (?:prompts?|inputs?|messages|context|conversation|history|chat)\b",
    r"short(?:er)? (?:prompt|input|messages|context|conversation)\b|fewer (?:input |prompt )tokens",
    "(?:缩短|减少|精简|压缩|截断|縮短|減少)您?的?(?:输入|輸入|上下文|提示|消息|对话|内容)",
)
is_long_request = _says(
    r"\b(?:request|query|text|message|content|characters?)\b(?: \w{1,20}){0,4} too long\b",
    r"\b(?:request|query|text|message) (?:token )?length\b.{0,60}(?:exceed|er than)",
    r"anfrage (?:ist )?zu lang|requête (?:est )?trop long|запрос слишком длин",
    r"(?:solicitud|solicitação|requisição) (?:es |é )?(?:demasiado|muito) long",
    "(?:请求|文本|内容|長文)(?:内容|长度|文本)?(?:过长|太长|超长)",
    "リクエストが長すぎ|요청이 너무 (?:길|깁)",
)
"""A request, text or message is too long: "too large" would be said of its bytes."""

names_field = _says(
    r"\b(?:names?|titles?|tools?|functions?|descriptions?|stop|images?|pictures?|pixels?|files?|audio|video"
    r"|batch|dimensions?|headers?|lines?|ur[li]s?|metadata|schema|nesting|depth|retries)\b",
    r"\b(?:for|in|of) field (?!(?:prompt|messages?|inputs?|content|text|query)\b)",
    r"\b(?:bild|datei|fichier|outil|imagen|archivo|herramienta|imagem|arquivo|ferramenta)",
    r"\b(?:изображени|файл|инструмент|функци)",
    "图片|图像|圖片|文件|工具|函数|名称|标题|音频|视频|描述|画像|ファイル|ツール|이미지|파일|도구",
)
"""A part of the request that is not the input."""

is_number_of = _says(
    r"(?:too many|(?:number|count) of|maximum of|\d|trop de|zu viele|demasiad[oa]s|muit[oa]s)"
    r" (?:\w+ )?(?:messages?|turns|rounds|nachrichten|mensajes|mensagens)\b(?! tokens)",
    r"messages? counts?\b|(?:消息|对话|轮次)(?:数量|条数|数|轮数)|слишком много сообщений",
)
"""It is about how many messages there are, not how long they are."""

is_setting = _says(
    r"(?:(?:num|n|max) ctx|ctx size|max model len(?:gth)?|max seq(?:uence)? len(?:gth)?)"
    r"[^a-z]{0,12} (?:must|should|cannot|may not|exceeds|is (?:too )?(?:large|great|high|above))",
    r"^\W*(?:parameter |max(?:imum)? )*context (?:length|size|window)"
    r" (?:must|should|cannot|may not|is out of range)\b(?!.*tokens)",
)
"""A setting of the window is what is out of bounds."""

is_aside = _says(
    r"deadline|time ?out|timed|\btime (?:limit|window)|took|queue|overload|logit|strategy",
    r"consecutive|\bper (?:\w+ )?batch\b|\byour batch\b",
    r"\bjson\b|\bpars(?:e|er|ing)\b|scanner|syntax",
    r"un(?:known|supported|recognized) (?:param|field|argument|value)",
    r"(?:access|api|bearer|auth\w{0,10}|jwt|refresh|session) tokens?\b",
    r"expected an? (?:string|array)|\b(?:array|integer|list) (?:too|above)",
    r"\btoo (?:small|short|few) to\b|\bminimum (?:token )?(?:count|number|length|size)",
)
"""Times, parsers, credentials and validators have lengths of their own."""

_ACCOUNT = (
    r"(?:plan|account|organi[sz]ation|team|tier|subscription|project|workspace"
    r"|api key|user)"
)

is_throttled = _says(
    r"(?<!input )(?<!prompt )\btokens? (?:limit|budget|allowance)\b[^.]{0,24}"
    rf" (?:for|of|on) (?:(?:your|this|the) )?(?:\w+ )?{_ACCOUNT}\b",
    rf"\b{_ACCOUNT} (?:s )?(?:\w+ )?(?:tokens? (?:limit|budget|allowance)"
    r"|exceeded (?:its|the|your) (?:\w+ )?token)",
    r"rate.?limit|usage limit|requests? limit|too many requests|slow down|concurren|quota|throttl",
    r"per (?:min|second|hour|day|month|week)|/ ?min\b|\b[trq]p[mdhs]\b|\bdaily\b|\bmonthly\b",
    r"(?:last|past|this) (?:minute|hour)|too (?:many|fast)[^.]{0,40}\bwait",
    r"pro minute|ratenlimit|zu viele anfragen|par minute|trop de requêtes|por minuto",
    r"demasiadas solicitudes|muitas solicitações|limite de taxa|límite de tasa",
    r"в минуту|лимит запросов|слишком много запросов",
    "频率|頻率|频繁|頻繁|限流|速率|每分钟|每分鐘|每秒|每天|每日|配额|配額|并发|请求过多",
    "レート制限|毎分|リクエストが多すぎ|속도 제한|분당|요청이 너무 많",
)
"""Too much came in too short a time, or for one account."""

is_rolling = _says(
    r"\b(?:used|usage|remaining|left|current(?:ly)?|consumed|already|so far|in use|spent)\b",
    r"(?:last|past|previous) (?:minute|hour|day)|\brequests? (?:per|/)|\b\d+ requests|\brp[mdh]\b",
    r"concurren|verbraucht|utilisé|usad[oa]s?\b|использован|已用|已使用|剩余|剩餘|当前|使用量|残り",
)
"""It tells what was used of a quota before, or counts requests."""

passes_soon = _says(r"per min|(?:retry|try again) in")
is_unpaid = _says(
    r"insufficient (?:user )?(?:quota|balance|credit|fund)|exceeded your current quota|billing",
    r"credit balance|(?:not enough|more|out of) credits|arrear|payment required|unpaid",
    "余额|餘額|欠费|欠費|额度不足|充值|残高不足|잔액",
)
is_unauthorized = _says(
    r"api key (?:is )?(?:not valid|invalid|missing|expired|not found)",
    r"(?:invalid|incorrect|missing|wrong|expired) (?:api |access |auth )?(?:key|credential)",
    r"unauthori[sz]ed|authenticat|permission denied|access denied|(?<!extra )forbidden",
    "鉴权|认证失败|无权限",
)
is_filtered = _says(
    r"content (?:filter|polic|management|moderation)|moderation|flagged|jailbreak",
    r"(?:safety|risk) (?:system|filter|polic|setting|threshold|check|control)",
    r"sensitive (?:content|word|information)|inappropriate|prohibited (?:content|use)",
    r"responsible ai|usage polic|harmful|data inspection",
    "敏感|违规|違規|违反|安全审核|内容审核|不适当|不當|不適切",
)
is_out_of_memory = _says(
    r"out of memory|\boom\b|\bv?ram\b|cuda|(?:system|gpu) memory|kv (?:cache|slot)",
    r"insufficient (?:system |gpu )?(?:memory|resources)",
    r"fail\w{0,2} to load|model loading (?:was|fail|stop)",
)
is_over_the_cache = _says(
    r"\b(?:request|prompt|input|sequence|messages)\b[^.]{0,40}"
    r"(?:exceed|(?:larg|long|great)er than|(?:not|n t|cannot) fit)[^.]{0,30}\bkv (?:cache|slot)",
    r"\b(?:prompt|input)\b[^.]{0,16}\b(?:bigg|larg|long|great)er than the context",
)
"""The request alone is more than the cache holds."""
is_length_error = _says(
    r"(?:prompt|input|context|messages|sequence)s? (?:tokens? )?(?:length|size|limit) error"
)
is_failure = _says(
    r"deadline exceeded|timed ?out|\btimeout|context cancel|internal (?:server )?error",
    r"overload|crash|unavailable",
    "超时|超時|繁忙|タイムアウト|시간 초과",
)
"""The server failed, whatever was sent."""

is_malformed = _says(
    r"roles? must|must alternate|jinja|chat template|validation error|invalid request"
)
is_bad = _says(r"invalid|unsupported|not supported|bad ?request|not found|\bmust\b")
