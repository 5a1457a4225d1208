import { agentKey } from '../../domain/directory/agent-url.ts'
import { ownClaims } from '../../domain/directory/claim.ts'
import { Discoverer } from '../../features/directory/discover.ts'
import { directoryFetch } from '../../features/directory/service.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { OperatorContext } from '../operator-context.ts'
import { buildAdagents } from './build-adagents.ts'

/** Compares the properties that a publisher's domain authorises this agent for with the imported ones. Throws REFERENCE_NOT_FOUND. */
export async function compareAdagents(operator: OperatorContext, tenantId: string) {
  const { domain, agentUrl, hostedAt, properties } = await buildAdagents(operator, tenantId)
  const discovery = await new Discoverer(directoryFetch(operator.config)).discover(domain)
  const now = operator.clock().getTime()
  const [own] = discovery.route ? await inTurns(ownClaims(discovery.index, discovery.route, now, agentKey(agentUrl) ?? '')) : []
  const [served, imported] = [new Set(own?.propertyIds), new Set(properties)]
  const missing = properties.filter((id) => !served.has(id))
  const extra = [...served].filter((id) => !imported.has(id))
  return {
    domain,
    agentUrl,
    /** Where this agent serves the file that would agree. */
    hostedAt,
    servedFrom: discovery.route ? discovery.url : undefined,
    pointsHere: discovery.route !== undefined && discovery.url === hostedAt,
    /** Why the domain authorises nothing; undefined when it serves a file. */
    reason: discovery.route === undefined ? discovery.reason : undefined,
    /** False: the domain could not be asked, so that what differs is unknown. */
    answered: discovery.route !== undefined || discovery.answered,
    missing,
    extra,
    same: missing.length === 0 && extra.length === 0,
  }
}
