"""How a run comes to be at work: begun, taken up again, or called as a sub-agent's."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio

from agentmaker.agents.abandoned import abandon, unanswered
from agentmaker.agents.belonging import check_approvals, check_resumer, scope_of
from agentmaker.agents.layout import laid_out
from agentmaker.agents.memo import memo_note
from agentmaker.agents.outputs import Output
from agentmaker.agents.prompt import Prompt, kept_prompt
from agentmaker.agents.run import ActiveRun
from agentmaker.agents.run_archive import RunArchive
from agentmaker.agents.slots import Slots
from agentmaker.agents.spending import children_of, meter_of
from agentmaker.agents.toolbox import Toolbox
from agentmaker.agents.work import delegated_in
from agentmaker.calls.call import new_id
from agentmaker.calls.limits import RunPolicy
from agentmaker.calls.setting import Setting
from agentmaker.clients.using import Overrides
from agentmaker.errors import AgentmakerError, SessionError
from agentmaker.memory.notes import Notes
from agentmaker.memory.records import Entry, RunRecord
from agentmaker.messages import Message
from agentmaker.prompts import PromptRegistry

if TYPE_CHECKING:
    from agentmaker.agents.base import BaseAgent
    from agentmaker.agents.stream import RunStream


async def begun(agent: BaseAgent, always: Slots, once: Slots, streams: bool) -> ActiveRun:
    """A new run that answers what *once* asks of an agent with *always*."""
    return await _new(agent, new_id(), partial(laid_out, always, once), {}, streams)


async def rehearsed(agent: BaseAgent, always: Slots, once: Slots) -> ActiveRun:
    """What such a run would be, of which nothing is kept."""
    setting = await _setting(agent)
    prompt = laid_out(always, once, setting.prompts)
    record = _record(agent, new_id(), {})
    run = await _assembled(agent, record, (), prompt, setting, agent.limits, streams=False)
    run.notes = None if agent.notes is None else await _index(agent.notes, agent, run)
    if agent.session is not None:
        left = await unanswered(agent.store, agent.session.scope, agent.chat.prompts())
        run.history = (*run.history, *left)
    return run


async def taken_up(
    agent: BaseAgent,
    run_id: str,
    approvals: Mapping[str, bool],
    limits: RunPolicy,
    outputs: Sequence[Output | None],
    streams: bool,
) -> ActiveRun:
    """A run that was begun before, from where it was left; its answer may be of *outputs*.

    Raises:
        SessionError: there is none, or *agent* is not the one to go on with it.
    """
    known = await agent.store.run(run_id)
    check_resumer(agent, known)
    check_approvals(known, approvals)
    prompt = kept_prompt(known.data, outputs)
    setting = await _setting(agent)
    record = await agent.store.claim(run_id, new_id())
    past = await agent.store.entries(run_id)
    run = await _active(agent, record, past, prompt, setting, limits, streams)
    run.approvals = approvals
    return run


def child(
    agent: BaseAgent,
    parent: ActiveRun,
    run_id: str,
    task: Message,
    *,
    limits: RunPolicy,
    approvals: Mapping[str, bool],
    began: Callable[[ActiveRun], None],
) -> RunStream:
    """The run of *agent* as a sub-agent of *parent*: gone on with where it is known, else begun.

    It has no session. *began* is told the run before anything is asked.
    """
    agent, always = copy.copy(agent), agent.slots
    agent.session, agent.store, agent.limits = None, parent.store, limits
    # Whose it is and who pays for it is its caller's to say.
    agent.chat = replace(agent.chat, bound=replace(agent.chat.bound, scope=None, run=None))

    async def begin(streams: bool) -> ActiveRun:
        try:
            outputs = (always.output, agent.wanted)
            run = await taken_up(agent, run_id, approvals, limits, outputs, streams)
        except SessionError:
            asked = partial(laid_out, always, Slots(input=task))
            run = await _new(agent, run_id, asked, {"parent": parent.id}, streams)
        began(run)
        return run

    return agent.played(begin)


def toolbox_of(agent: BaseAgent, run: ActiveRun) -> Toolbox:
    """What the loops of *run* share."""
    return Toolbox(
        registry=agent.tools,
        archive=RunArchive(agent.store, run.id),
        meter=run.meter,
        scope=run.record.scope,
        config=agent.config,
        counter=run.setting.counter,
        prompts=run.setting.prompts,
        confirm=agent.confirm,
        put_away=any(entry.data.get("put_away") for entry in run.past),
    )


async def _new(
    agent: BaseAgent,
    run_id: str,
    asked: Callable[[PromptRegistry], Prompt],
    data: Mapping[str, Any],
    streams: bool,
) -> ActiveRun:
    setting = await _setting(agent)
    prompt = asked(setting.prompts)
    kept = {"question": prompt.said.to_wire(), "prompt": prompt.to_json(), **data}
    record = _record(agent, run_id, kept)
    if agent.session is not None:
        await abandon(agent.store, agent.session.scope, agent.chat.prompts())
    await agent.store.begin(record)
    try:
        return await _active(agent, record, (), prompt, setting, agent.limits, streams)
    except BaseException:
        with anyio.CancelScope(shield=True), suppress(AgentmakerError):
            await agent.store.commit(replace(record, status="stopped"))
        raise


def _record(agent: BaseAgent, run_id: str, data: Mapping[str, Any]) -> RunRecord:
    return RunRecord(
        id=run_id,
        agent=agent.name,
        kind=agent.kind,
        scope=scope_of(agent),
        owner=new_id(),
        data=data,
    )


async def _active(
    agent: BaseAgent,
    record: RunRecord,
    past: tuple[Entry, ...],
    prompt: Prompt,
    setting: Setting,
    limits: RunPolicy,
    streams: bool,
) -> ActiveRun:
    run = await _assembled(agent, record, past, prompt, setting, limits, streams)
    for each in delegated_in(past):
        run.add_delegated(each)
    if agent.notes is not None:
        run.notes = await run.once("notes", partial(_index, agent.notes, agent, run))
    return run


async def _assembled(
    agent: BaseAgent,
    record: RunRecord,
    past: tuple[Entry, ...],
    prompt: Prompt,
    setting: Setting,
    limits: RunPolicy,
    streams: bool,
) -> ActiveRun:
    session, spent = agent.session, record.data.get("spent", {})
    return ActiveRun(
        record=record,
        store=agent.store,
        chat=agent.chat,
        meter=meter_of(limits, spent, parent=agent.chat.held().run),
        setting=setting,
        prompt=prompt,
        wanted=prompt.output or agent.wanted,
        sources=agent.sources,
        params=agent.config.params,
        past=past,
        history=() if session is None else await session.history(),
        memo="" if session is None else memo_note(await session.memo(), setting),
        streams=streams,
        children=children_of(spent),
    )


async def _index(notes: Notes, agent: BaseAgent, run: ActiveRun) -> str:
    """The index of the notes as it is now."""
    room = int(run.setting.window * agent.config.notes_share)
    return await notes.of(run.record.scope).index(room, run.setting.counter)


async def _setting(agent: BaseAgent) -> Setting:
    # Before anything is kept: a window that nobody knows leaves no run behind.
    return await agent.chat.setting(Overrides(sources=agent.sources))
