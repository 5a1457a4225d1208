import { AGENT } from '../account/notification-configs.ts'
import { documentVersion } from '../feed-version.ts'

/** How soon subscribers hear of a change, seconds: what follows within it is told as one. */
export const CHANGES_TOLD_WITHIN = 30
/** How long the document may be kept without asking again, seconds. */
const KEPT_FOR = 3600

/** What this agent keeps for its callers (AdCP 3.2, `adcp.principal`): subscribers; it delivers no reports to destinations and negotiates nothing. */
export function principalCapabilities(tasks: ReadonlySet<string>) {
  return (
    tasks.has('sync_principal') && {
      principal: {
        supported: true,
        sync_task: 'sync_principal',
        read_task: 'get_principal',
        supported_sections: ['notification_configs'],
        caller_event_types: [...AGENT.events],
        optimistic_concurrency: true,
      },
    }
  )
}

/** The version of a whole capabilities document, and who tells of its changes (AdCP 3.2, `adcp.capability_changes`). */
export function capabilityChanges(version: string) {
  return {
    capabilities_version: version,
    cache_ttl_seconds: KEPT_FOR,
    notifications: {
      supported: true,
      registration_task: 'sync_principal',
      event_types: [...AGENT.events],
      coalescence_window_seconds: CHANGES_TOLD_WITHIN,
    },
  }
}

/** The version that subscribers are told. */
export function capabilitiesVersion(document: object): string {
  return documentVersion(document)
}
