import { hash } from 'node:crypto'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { chunksInTurns, FEW_ROWS, forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import type { DirectoryAgentRow } from './rows.ts'

/** Stable id of an agent or a document: the first 96 bits of the SHA-256 of its canonical address. */
export function directoryId(address: string): string {
  return hash('sha256', address, 'base64url').slice(0, 16)
}

/** Those of some agents (canonical keys) that an indexed file has ever referenced. */
export async function findKnownAgents(db: Db, agents: readonly string[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>()
  for await (const chunk of chunksInTurns(agents.map(directoryId))) {
    const rows = await db.selectFrom('directory_agents').select('agent_url').where('agent_id', 'in', chunk).execute()
    for (const { agent_url } of rows) known.add(agent_url)
  }
  return known
}

const bumpAgent = hotQuery(['agentId', 'now'], (tx, value) =>
  tx
    .updateTable('directory_agents')
    .set((eb) => ({ version: eb('version', '+', 1), changed_at: value('now') }))
    .where('agent_id', '=', value('agentId')),
)

/** Marks the answers about some agents as changed. */
export async function bumpAgents(tx: Db, agentIds: readonly string[], now: Date): Promise<void> {
  // In one order, so that two transactions of PostgreSQL do not wait for each other.
  const sorted = [...agentIds].sort()
  if (sorted.length <= FEW_ROWS) {
    for (const agentId of sorted) await bumpAgent(tx, { agentId, now: now.toISOString() })
    return
  }
  await forEachChunk(sorted, (chunk) =>
    tx
      .updateTable('directory_agents')
      .set((eb) => ({ version: eb('version', '+', 1), changed_at: now.toISOString() }))
      .where('agent_id', 'in', chunk)
      .execute(),
  )
}

const insertAgent = hotQuery(['agent_id', 'agent_url', 'changed_at'], (tx, value) =>
  tx
    .insertInto('directory_agents')
    .values({ agent_id: value('agent_id'), agent_url: value('agent_url'), version: 1, changed_at: value('changed_at') })
    .onConflict((conflict) => conflict.column('agent_id').doNothing()),
)

/** Remembers agents for good: an agent once referenced is never again unknown. */
export async function registerAgents(tx: Db, agentUrls: Iterable<string>, now: Date): Promise<void> {
  const changed_at = now.toISOString()
  const rows: DirectoryAgentRow[] = []
  await eachInTurns(new Set(agentUrls), (agent_url) => {
    rows.push({ agent_id: directoryId(agent_url), agent_url, version: 1, changed_at })
  })
  if (rows.length <= FEW_ROWS) {
    for (const row of rows) await insertAgent(tx, row)
    return
  }
  await forEachChunk(rows, (chunk) =>
    tx
      .insertInto('directory_agents')
      .values(chunk)
      .onConflict((conflict) => conflict.column('agent_id').doNothing())
      .execute(),
  )
}
