import { AGENT } from '../account/notification-configs.ts'
import { documentVersion } from '../feed-version.ts'

/** How soon subscribers hear of a change, seconds: what follows within it is told as one. */
export const CHANGES_TOLD_WITHIN = 30
/** How long the document may be kept without asking again, seconds. */
const KEPT_FOR = 3600

/**
 * The version of a whole capabilities document, and who tells of its changes (AdCP 3.2, `adcp.capability_changes`). `adcp.principal` is not declared: it would
 * demand `sync_principal` here, and subscribers are all that this agent keeps for its callers.
 */
export function capabilityChanges(version: string) {
  return {
    capabilities_version: version,
    cache_ttl_seconds: KEPT_FOR,
    notifications: {
      supported: true,
      registration_task: 'sync_agent_notification_configs',
      event_types: [...AGENT.events],
      coalescence_window_seconds: CHANGES_TOLD_WITHIN,
    },
  }
}

/** The version that subscribers are told. */
export function capabilitiesVersion(document: object): string {
  return documentVersion(document)
}
