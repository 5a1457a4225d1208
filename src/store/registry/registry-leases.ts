import type { Db } from '../database.ts'
import { leasedTo, unleased } from '../leases.ts'
import type { RegistryAgentRow } from './rows.ts'

export interface AgentLease {
  readonly owner: string
  readonly now: Date
  readonly leaseMs: number
  readonly limit: number
}

/** Hands out agents that are due for a look, longest waiting first, to one process at a time; a lease ends with the process that held it. */
export async function leaseDueAgents(tx: Db, { owner, now, leaseMs, limit }: AgentLease): Promise<RegistryAgentRow[]> {
  const due = await tx
    .selectFrom('registry_agents')
    .select('agent_id')
    .where('next_check_at', '<=', now.toISOString())
    .where(unleased('registry_agents', now))
    .orderBy('next_check_at')
    .limit(limit)
    .execute()
  if (due.length === 0) return []
  return tx
    .updateTable('registry_agents')
    .set(leasedTo(owner, now, leaseMs))
    .where(
      'agent_id',
      'in',
      due.map((row) => row.agent_id),
    )
    .where(unleased('registry_agents', now))
    .returningAll()
    .execute()
}

/** Makes agents due now: one, or all that are examined. */
export async function makeAgentsDue(tx: Db, agentId: string | 'all', now: Date): Promise<number> {
  const updated = await tx
    .updateTable('registry_agents')
    .set({ next_check_at: now.toISOString() })
    .where('next_check_at', 'is not', null)
    .$if(agentId !== 'all', (query) => query.where('agent_id', '=', agentId))
    .executeTakeFirst()
  return Number(updated.numUpdatedRows)
}
