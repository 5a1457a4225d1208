import { agentKey } from '../../domain/directory/agent-url.ts'
import { hostsAbove, IdentifierIndex } from '../../domain/directory/property-identifier.ts'
import type { KnownProperty } from '../../domain/product/known-property.ts'
import type { DeliveryRecord } from '../../domain/property-list/validate-delivery.ts'
import type { Db } from '../../store/database.ts'
import { listAuthorizingPublishers, listVerifiedPublishers } from '../../store/directory/directory-authorization.ts'

/**
 * The records with the directory's word on their sales agents. The publisher of a record is that of the known property, else the nearest domain
 * above its host that the directory holds a verified file for. Reads the index, never the network.
 */
export async function withAuthorizations(
  db: Db,
  records: readonly DeliveryRecord[],
  known: readonly KnownProperty[],
): Promise<DeliveryRecord[]> {
  const checked = records.filter(({ salesAgentUrl }) => salesAgentUrl !== undefined)
  if (checked.length === 0) return [...records]
  const index = new IdentifierIndex(known.flatMap((each) => each.identifiers.map((identifier) => [identifier, each] as const)))
  const candidates = new Map(
    checked.map((record) => {
      const property = index.find(record.identifier)
      return [record, [...(property ? [property.publisherDomain] : []), ...hostsAbove(record.identifier)]] as const
    }),
  )
  const verified = await listVerifiedPublishers(db, [...new Set([...candidates.values()].flat())])
  const agents = new Set(checked.flatMap(({ salesAgentUrl = '' }) => agentKey(salesAgentUrl) ?? []))
  const authorizing = new Map<string, ReadonlySet<string>>()
  for (const agent of agents) authorizing.set(agent, await listAuthorizingPublishers(db, agent, [...verified]))
  return records.map((record) => {
    const domains = candidates.get(record)
    if (!domains) return record
    const publisherDomain = domains.find((domain) => verified.has(domain))
    if (publisherDomain === undefined) return { ...record, authorization: { status: 'unknown' } }
    const agent = agentKey(record.salesAgentUrl ?? '')
    const isAuthorized = agent !== undefined && authorizing.get(agent)?.has(publisherDomain) === true
    return { ...record, authorization: { status: isAuthorized ? 'authorized' : 'unauthorized', publisherDomain } }
  })
}
