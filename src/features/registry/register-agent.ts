import { findRegistryAgent, saveRegistryAgent } from '../../store/registry/registry-agents.ts'
import type { RegistryAgentRow } from '../../store/registry/rows.ts'
import type { NoteChange, PlatformIdentity, RegistryDeps } from './deps.ts'
import { newAgentRow, probeAgent } from './probe.ts'
import { recordProbe } from './refresh-agents.ts'
import { notAnAgent, RegistryRefusal } from './refusal.ts'

type RegisterDeps = Pick<RegistryDeps, 'store' | 'fetch' | 'isTask' | 'clock' | 'random'>

/**
 * Calls an agent, and lists it when it answers. Registering one again has it called again; an agent that was discovered counts as
 * registered from then on, one of this deployment stays as it is. Throws RegistryRefusal when it does not answer as an AdCP agent.
 */
export async function registerAgent(
  deps: RegisterDeps,
  url: string,
  identity: Pick<PlatformIdentity, 'id'>,
  note: NoteChange = async () => {},
): Promise<{ readonly row: RegistryAgentRow; readonly isNew: boolean }> {
  const { store, clock } = deps
  const now = clock()
  const fresh = newAgentRow(url, { source: 'registered', registered_by: identity.id, nextCheckAt: now, now })
  if (!fresh) throw new RegistryRefusal(400, 'invalid_agent_url', 'agent_url must be an absolute http(s) URL')
  const before = await findRegistryAgent(store.read, fresh.agent_id)
  if (before?.source === 'own') return { row: before, isNew: false }
  const probe = await probeAgent(deps, url)
  if (!probe.ok) throw notAnAgent(fresh.agent_url, probe.reason)
  const row = await store.transaction(async (tx) => {
    const known = await findRegistryAgent(tx, fresh.agent_id)
    if (known?.source !== 'registered') {
      await saveRegistryAgent(tx, { ...(known ?? fresh), call_url: url, source: 'registered', registered_by: identity.id })
    }
    await note(tx, fresh.agent_url)
    return recordProbe(tx, fresh.agent_id, probe, deps)
  })
  if (!row) throw new Error('the agent was removed while it was registered')
  return { row, isNew: !before }
}
