import { healthAfter } from '../../domain/registry/agent-health.ts'
import { type AgentProfile, facetsOf } from '../../domain/registry/agent-profile.ts'
import type { Db } from '../../store/database.ts'
import { unlistedEvent } from '../../store/directory/directory-feed.ts'
import { appendEvent } from '../../store/directory/registry-events.ts'
import { NOT_LEASED } from '../../store/leases.ts'
import {
  addRegistryAgents,
  findRegistryAgent,
  replaceFacets,
  saveRegistryAgent,
  unknownDirectoryAgents,
} from '../../store/registry/registry-agents.ts'
import { leaseDueAgents } from '../../store/registry/registry-leases.ts'
import type { RegistryAgentRow } from '../../store/registry/rows.ts'
import type { RegistryDeps } from './deps.ts'
import { newAgentRow, type Probe, probeAgent } from './probe.ts'

/** Longer than the slowest probe (two calls of three steps, 10 s each); agents of a killed process wait this long. */
const LEASE_MS = 3 * 60_000
/** Agents that are called at once. */
const AT_ONCE = 8
/** New agents are called within an hour of being met, not all at once. */
const SPREAD_MS = 60 * 60_000
/** Agents of the directory index that one run compares with the registry. */
const WINDOW = 1_000

type RefreshDeps = Pick<RegistryDeps, 'store' | 'fetch' | 'isTask' | 'clock' | 'random' | 'worker'>

/** Calls the agents that are due. Gives how many there were; a full batch means that more may be. */
export async function refreshDueAgents(deps: RefreshDeps): Promise<{ readonly checked: number; readonly more: boolean }> {
  const { store, clock, worker } = deps
  const due = await store.transaction(
    (tx) => leaseDueAgents(tx, { owner: worker, now: clock(), leaseMs: LEASE_MS, limit: AT_ONCE }),
    { isolation: 'read-committed' },
  )
  await Promise.all(
    due.map(async (row) => {
      const probe = await probeAgent(deps, row.call_url)
      await store.transaction((tx) => recordProbe(tx, row.agent_id, probe, deps))
    }),
  )
  return { checked: due.length, more: due.length === AT_ONCE }
}

/** Notes what came of calling an agent; gives its row as it is now, undefined when it was removed meanwhile. */
export async function recordProbe(
  tx: Db,
  agentId: string,
  probe: Probe,
  { clock, random }: Pick<RegistryDeps, 'clock' | 'random'>,
): Promise<RegistryAgentRow | undefined> {
  const before = await findRegistryAgent(tx, agentId)
  if (!before) return undefined
  const now = clock()
  const after = healthAfter(
    {
      lastSeenAt: msOf(before.last_seen_at),
      failingSince: msOf(before.failing_since),
      failures: Number(before.failures),
      listed: Number(before.listed) === 1,
    },
    probe.ok,
    now.getTime(),
    random(),
  )
  const row: RegistryAgentRow = {
    ...before,
    ...(probe.ok && profileColumns(probe.profile)),
    listed: after.listed ? 1 : 0,
    health: after.health,
    checked_at: now.toISOString(),
    last_seen_at: textOf(after.lastSeenAt),
    failing_since: textOf(after.failingSince),
    failures: after.failures,
    response_ms: probe.ok ? probe.responseMs : before.response_ms,
    error: probe.ok ? null : probe.reason,
    next_check_at: new Date(after.nextCheckAt).toISOString(),
    ...NOT_LEASED,
  }
  await saveRegistryAgent(tx, row)
  await announce(tx, before, row, now, 'registry')
  return row
}

/** The columns that a profile fills. */
export function profileColumns({ name, types, capabilities, channels }: AgentProfile) {
  return {
    name: name ?? null,
    types: JSON.stringify(types),
    capabilities: JSON.stringify(capabilities),
    channels: JSON.stringify(channels),
  }
}

/** Updates what an agent is found by, and records its changes in the feed. */
export async function announce(
  tx: Db,
  before: RegistryAgentRow | undefined,
  row: RegistryAgentRow,
  now: Date,
  actor: string,
): Promise<void> {
  const wasListed = Number(before?.listed ?? 0) === 1
  const isListed = row.listed === 1
  const changed =
    before?.types !== row.types ||
    before.capabilities !== row.capabilities ||
    before.channels !== row.channels ||
    before.domain !== row.domain
  if (wasListed === isListed && !(isListed && changed)) {
    if (!isListed || before?.health === row.health) return
    await tell(tx, 'agent.health_changed', row, { health: row.health }, now, actor)
    return
  }
  const profile: AgentProfile = {
    name: row.name ?? undefined,
    types: JSON.parse(row.types),
    capabilities: JSON.parse(row.capabilities),
    channels: JSON.parse(row.channels),
  }
  await replaceFacets(tx, row.agent_id, row.domain, isListed ? facetsOf(profile) : [])
  const { capabilities, channels, types } = profile
  const payload = isListed ? { domain: row.domain, capabilities, channels, types } : { domain: row.domain }
  const listedEvent = wasListed ? 'agent.profile_updated' : 'agent.discovered'
  await tell(tx, isListed ? listedEvent : await unlistedEvent(tx, row.agent_id), row, payload, now, actor)
}

function tell(tx: Db, type: string, row: RegistryAgentRow, payload: object, now: Date, actor: string): Promise<void> {
  return appendEvent(
    tx,
    { type, entityType: 'agent', entityId: row.agent_url, payload: { agent_url: row.agent_url, ...payload }, actor },
    now,
  )
}

/**
 * Compares the next stretch of the directory index with the registry and puts agents that it does not know on its list. Gives where to go on;
 * undefined at the end of the index.
 */
export async function discoverAgents(deps: RefreshDeps, after: string): Promise<string | undefined> {
  const { store, clock, random } = deps
  const { agentUrls, next } = await unknownDirectoryAgents(store.read, after, WINDOW)
  const now = clock()
  const rows = agentUrls.flatMap((url) => {
    const nextCheckAt = new Date(now.getTime() + Math.round(SPREAD_MS * random()))
    return newAgentRow(url, { source: 'discovered', registered_by: null, nextCheckAt, now }) ?? []
  })
  if (rows.length > 0) await store.transaction((tx) => addRegistryAgents(tx, rows))
  return next
}

function msOf(time: string | null): number | undefined {
  return time === null ? undefined : Date.parse(time)
}

function textOf(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}
