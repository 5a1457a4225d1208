import { randomUUID } from 'node:crypto'
import { CAPABILITIES_CHANGED } from '../../domain/account/notification-configs.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Services } from '../../pipeline/services.ts'
import type { Store } from '../../store/database.ts'
import { findIdentity } from '../../store/identity/identities.ts'
import { listFollowers, noteTold, type PrincipalConfiguration } from '../../store/identity/principal-configurations.ts'
import { enqueue } from '../../store/webhook/outbox.ts'
import { endpointsOfKind } from '../../store/webhook/webhook-endpoints.ts'
import { versionFor } from '../protocol/capabilities-of.ts'

/** Callers that are looked at in one statement. */
const PAGE = 100

/**
 * Tells the subscribers of this agent whose capabilities document is another one than they know (AdCP 3.2, `capabilities.changed`). What they are told is what
 * they read by now. One process tells of each change.
 */
export async function tellCapabilityChanges(services: Services, store: Store, now: Date): Promise<void> {
  let after: PrincipalRef | undefined
  do {
    const page = await listFollowers(store.read, after, PAGE)
    let told = false
    for (const follower of page) told = (await tellOne(services, store, follower, now)) || told
    if (told) services.webhooks.wake()
    after = page.length === PAGE ? page.at(-1) : undefined
  } while (after)
}

async function tellOne(services: Services, store: Store, follower: PrincipalConfiguration, now: Date): Promise<boolean> {
  const { tenantId, principalId, knownCapabilities } = follower
  const identity = await findIdentity(store.read, tenantId, principalId)
  if (!identity) return false
  const { tenant, principal } = identity
  const contract = services.contracts.only(tenant.settings.releases).having('sync_agent_notification_configs').at(-1)
  if (!contract) return false
  const conformance = principal.sandbox && services.wiring.conformance
  const asker = { tenant, principal: { ...principal, conformance }, contract, services, db: store.read }
  const version = await versionFor(asker)
  if (version === knownCapabilities) return false
  return store.transaction(async (tx) => {
    if (!(await noteTold(tx, follower, version))) return false
    const notificationId = `ntf_${randomUUID()}`
    for (const endpoint of await endpointsOfKind(tx, follower, 'agent')) {
      const { subscriber } = endpoint.settings
      if (!subscriber?.eventTypes.includes(CAPABILITIES_CHANGED)) continue
      const { agentUrl } = services.wiring
      const change = { notificationId, capabilitiesVersion: version, subscriberId: subscriber.id, agentUrl, at: now }
      await enqueue(tx, endpoint, change, now)
    }
    return true
  })
}
