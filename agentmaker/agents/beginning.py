"""How a run comes to be at work: begun, taken up again, or rehearsed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio

from agentmaker.agents.abandoned import abandon, unanswered
from agentmaker.agents.belonging import check_resumer, scope_of
from agentmaker.agents.decisions import check_approvals
from agentmaker.agents.equipped import Equipped
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
from agentmaker.errors import AgentmakerError
from agentmaker.memory.records import Entry, RunRecord

if TYPE_CHECKING:
    from agentmaker.memory.notes.notes import Notes


async def begun(
    agent: Equipped,
    always: Slots,
    once: Slots,
    streams: bool,
    *,
    run_id: str | None = None,
    parent: str | None = None,
) -> ActiveRun:
    """A new run that answers what *once* asks of an agent with *always*."""
    setting = await _setting(agent)
    prompt = laid_out(always, once, setting.prompts)
    data = {"question": prompt.said.to_wire(), "prompt": prompt.to_json()}
    record = _record(agent, run_id, {**data, **({"parent": parent} if parent else {})})
    if agent.session is not None:
        await abandon(agent.store, agent.session.scope, agent.chat.prompts())
    try:
        await agent.store.begin(record)
        return await _active(agent, record, prompt, setting, streams=streams)
    except BaseException:
        with anyio.CancelScope(shield=True), suppress(AgentmakerError):
            await agent.store.commit(replace(record, status="stopped"))
        raise


async def rehearsed(agent: Equipped, always: Slots, once: Slots) -> ActiveRun:
    """What such a run would be, of which nothing is kept."""
    setting = await _setting(agent)
    prompt = laid_out(always, once, setting.prompts)
    run = await _assembled(agent, _record(agent, None, {}), prompt, setting)
    run.notes = None if agent.notes is None else await _index(agent.notes, agent, run)
    if agent.session is not None:
        left = await unanswered(agent.store, agent.session.scope, agent.chat.prompts())
        run.history = (*run.history, *left)
    return run


async def taken_up(
    agent: Equipped,
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
    await check_approvals(agent.store, known, approvals)
    prompt = kept_prompt(known.data, outputs)
    setting = await _setting(agent)
    record = await agent.store.claim(run_id, new_id())
    check_resumer(agent, record)  # it may have been left behind meanwhile
    past = await agent.store.entries(run_id)
    run = await _active(agent, record, prompt, setting, past=past, limits=limits, streams=streams)
    run.approvals = approvals
    return run


def _record(agent: Equipped, run_id: str | None, data: Mapping[str, Any]) -> RunRecord:
    return RunRecord(
        id=run_id or new_id(),
        agent=agent.name,
        kind=agent.kind,
        scope=scope_of(agent),
        owner=new_id(),
        data=data,
    )


async def _active(
    agent: Equipped,
    record: RunRecord,
    prompt: Prompt,
    setting: Setting,
    *,
    streams: bool,
    past: tuple[Entry, ...] = (),
    limits: RunPolicy | None = None,
) -> ActiveRun:
    run = await _assembled(agent, record, prompt, setting, past=past, limits=limits)
    run.streams = streams
    for each in delegated_in(past):
        run.add_delegated(each)
    if agent.notes is not None:
        run.notes = await run.once("notes", partial(_index, agent.notes, agent, run))
    return run


async def _assembled(
    agent: Equipped,
    record: RunRecord,
    prompt: Prompt,
    setting: Setting,
    *,
    past: tuple[Entry, ...] = (),
    limits: RunPolicy | None = None,
) -> ActiveRun:
    session, spent = agent.session, record.data.get("spent", {})
    archive = RunArchive(agent.store, record)
    return ActiveRun(
        record=record,
        store=agent.store,
        chat=agent.chat,
        meter=meter_of(limits or agent.limits, spent, parent=agent.chat.held().run),
        setting=setting,
        prompt=prompt,
        output_type=prompt.output or agent.output_type,
        sources=agent.sources,
        params=agent.config.params,
        past=past,
        archive=archive,
        recalls=session is not None and bool(await archive.names(record.scope)),
        history=() if session is None else await session.history(),
        memo="" if session is None else memo_note(await session.memo(), setting),
        children=children_of(spent),
    )


async def _index(notes: Notes, agent: Equipped, run: ActiveRun) -> str:
    """The index of the notes as it is now."""
    room = int(run.setting.window * agent.config.notes_share)
    return await notes.of(run.record.scope).index(room, run.setting.counter)


async def _setting(agent: Equipped) -> Setting:
    # Before anything is kept: a window that nobody knows leaves no run behind.
    return await agent.chat.setting(Overrides(sources=agent.sources))


def toolbox_of(agent: Equipped, run: ActiveRun) -> Toolbox:
    """What the loops of *run* share."""
    return Toolbox(
        registry=agent.tools,
        archive=run.archive,
        meter=run.meter,
        scope=run.record.scope,
        config=agent.config,
        counter=run.setting.counter,
        prompts=run.setting.prompts,
        confirm=agent.confirm,
        put_away=run.recalls or any(entry.data.get("put_away") for entry in run.past),
    )
