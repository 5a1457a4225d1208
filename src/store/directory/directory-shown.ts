import { REMOVALS } from '../../domain/directory/crawled-publisher.ts'
import { type PublisherWord, shownClaim } from '../../domain/directory/provenance.ts'
import { eachInTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import type { DirectoryClaimRow } from './rows.ts'

/** Of a publisher that is not on the crawl list. */
const UNASKED: PublisherWord = { hasNoFile: false, selfRevoked: false }

export type NewClaimRow = Omit<DirectoryClaimRow, 'shown' | 'granted_at'>
export type NewClaimHead = Omit<NewClaimRow, 'property_ids'>

/** Of all claims about some domains, those that lookups show: at most one for each agent and publisher. */
export async function chooseShown(
  tx: Db,
  claims: readonly NewClaimHead[],
  domains: readonly string[],
  now: Date,
): Promise<Set<NewClaimHead>> {
  const words = await publisherWords(tx, domains, now)
  const groups = new Map<string, NewClaimHead[]>()
  await eachInTurns(claims, (claim) => {
    const key = `${claim.publisher_domain} ${claim.agent_id}`
    const group = groups.get(key)
    if (group) group.push(claim)
    else groups.set(key, [claim])
  })
  const chosen = new Set<NewClaimHead>()
  await eachInTurns(groups.values(), (group) => {
    const word = words.get(group[0]?.publisher_domain ?? '') ?? UNASKED
    const contenders = group.map((row) => ({
      row,
      method: row.discovery_method,
      manager: row.manager_domain,
      status: row.status,
      own: row.route === 'own',
      file: row.document_id,
    }))
    const winner = shownClaim(contenders, word)
    if (winner) chosen.add(winner.row)
  })
  return chosen
}

const wordOf = hotQuery(['domain'], (tx, value) =>
  tx
    .selectFrom('directory_publishers')
    .select(['publisher_domain', 'serves', 'self_blocked_until'])
    .where('publisher_domain', '=', value('domain')),
)

const exclusionOf = hotQuery(['domain'], (tx, value) =>
  tx
    .selectFrom('directory_exclusions')
    .select('publisher_domain')
    .where('publisher_domain', '=', value('domain'))
    .where('kind', 'in', REMOVALS),
)

async function publisherWords(tx: Db, domains: readonly string[], now: Date) {
  const words = new Map<string, PublisherWord>()
  await forEachChunk(domains, async (chunk) => {
    for (const row of await listWords(tx, chunk)) {
      words.set(row.publisher_domain, {
        hasNoFile: row.serves === 'absent',
        selfRevoked: row.self_blocked_until !== null && row.self_blocked_until > now.toISOString(),
        excluded: false,
      })
    }
    for (const row of await listShutOut(tx, chunk)) words.set(row.publisher_domain, { ...UNASKED, excluded: true })
  })
  return words
}

async function listWords(tx: Db, domains: readonly string[]) {
  const [domain] = domains
  if (domains.length === 1 && domain !== undefined) return (await wordOf(tx, { domain })).rows
  return tx
    .selectFrom('directory_publishers')
    .select(['publisher_domain', 'serves', 'self_blocked_until'])
    .where('publisher_domain', 'in', domains)
    .execute()
}

/** Those of some names that an operator has removed or blocked, however many they are. */
export async function findShutOut(tx: Db, domains: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  await forEachChunk(domains, async (chunk) => {
    for (const { publisher_domain } of await listShutOut(tx, chunk)) found.add(publisher_domain)
  })
  return found
}

async function listShutOut(tx: Db, domains: readonly string[]) {
  const [domain] = domains
  if (domains.length === 1 && domain !== undefined) return (await exclusionOf(tx, { domain })).rows
  return tx
    .selectFrom('directory_exclusions')
    .select('publisher_domain')
    .where('publisher_domain', 'in', domains)
    .where('kind', 'in', REMOVALS)
    .execute()
}
