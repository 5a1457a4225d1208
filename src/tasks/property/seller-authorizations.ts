import { agentKey } from '../../domain/directory/agent-url.ts'
import { hostsAbove, IdentifierIndex } from '../../domain/directory/property-identifier.ts'
import type { KnownProperty } from '../../domain/product/known-property.ts'
import type { DeliveryRecord, SellerAuthorization } from '../../domain/property-list/validate-delivery.ts'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
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
  const candidates = new Map<DeliveryRecord, Candidates>()
  await eachInTurns(checked, (record) => {
    const property = index.find(record.identifier)
    const domains = [...(property ? [property.publisherDomain] : []), ...hostsAbove(record.identifier)]
    candidates.set(record, { domains, agent: agentKey(record.salesAgentUrl ?? '') })
  })
  const verified = await listVerifiedPublishers(db, [...new Set([...candidates.values()].flatMap(({ domains }) => domains))])
  const authorizing = new Map<string, ReadonlySet<string>>()
  for (const agent of new Set([...candidates.values()].flatMap((each) => each.agent ?? [])))
    authorizing.set(agent, await listAuthorizingPublishers(db, agent, [...verified]))
  const judged: DeliveryRecord[] = []
  await eachInTurns(records, (record) => {
    const found = candidates.get(record)
    judged.push(found ? { ...record, authorization: authorizationOf(found, verified, authorizing) } : record)
  })
  return judged
}

/** What a record may be held against. */
interface Candidates {
  /** Domains of publishers that it may belong to, the nearest first. */
  readonly domains: readonly string[]
  /** Undefined for an address that is none of an agent. */
  readonly agent: string | undefined
}

function authorizationOf(
  { domains, agent }: Candidates,
  verified: ReadonlySet<string>,
  authorizing: ReadonlyMap<string, ReadonlySet<string>>,
): SellerAuthorization {
  const publisherDomain = domains.find((domain) => verified.has(domain))
  if (publisherDomain === undefined) return { status: 'unknown' }
  const isAuthorized = agent !== undefined && authorizing.get(agent)?.has(publisherDomain) === true
  return { status: isAuthorized ? 'authorized' : 'unauthorized', publisherDomain }
}
