import { dropEvents } from '../../store/directory/registry-events.ts'
import type { RegistryDeps } from './deps.ts'
import { listOwnAgents, type OwnAgents } from './own-agents.ts'
import { discoverAgents, refreshDueAgents } from './refresh-agents.ts'

/** How long events are stored; the OpenAPI description says so too. */
const KEEP_EVENTS_MS = 90 * 24 * 60 * 60_000
/** How long a complete pass over the directory index is valid. */
const DISCOVER_EVERY_MS = 10 * 60_000

export interface UpkeepOptions {
  /** Undefined: this deployment has no address that others reach. */
  readonly own: OwnAgents | undefined
  /** Whether agents of others are called; a server that does not crawl leaves it to the command line. */
  readonly callsOthers: boolean
}

/** Makes the function that a background job calls: it keeps the registry up to date a little at a time and says whether there is more to do. */
export function registryUpkeep(deps: RegistryDeps, { own, callsOthers }: UpkeepOptions): () => Promise<boolean> {
  let position: string | undefined = ''
  let restAt = 0
  /** The last of our own tenants that was checked. */
  let tenant = ''
  return async () => {
    const now = deps.clock()
    if (own) tenant = (await listOwnAgents(deps.store, own, now, tenant)) ?? ''
    await deps.store.transaction((tx) => dropEvents(tx, new Date(now.getTime() - KEEP_EVENTS_MS)))
    if (!callsOthers) return false
    if (position === undefined && now.getTime() >= restAt) position = ''
    if (position !== undefined) {
      position = await discoverAgents(deps, position)
      restAt = now.getTime() + DISCOVER_EVERY_MS
    }
    const { more } = await refreshDueAgents(deps)
    return more || position !== undefined
  }
}
