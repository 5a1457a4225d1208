import { type PublisherWord, shownClaim } from '../../domain/directory/provenance.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'
import type { DirectoryClaimRow } from './directory-tables.ts'

export type NewClaimRow = Omit<DirectoryClaimRow, 'shown' | 'granted_at'>

/** Of all claims about some domains, those that lookups show: at most one for each agent and publisher. */
export async function chooseShown(
  tx: Db,
  claims: readonly NewClaimRow[],
  domains: readonly string[],
  now: Date,
): Promise<Set<NewClaimRow>> {
  const words = await publisherWords(tx, domains, now)
  const groups = new Map<string, NewClaimRow[]>()
  for (const claim of claims) {
    const key = `${claim.publisher_domain} ${claim.agent_id}`
    const group = groups.get(key)
    if (group) group.push(claim)
    else groups.set(key, [claim])
  }
  const chosen = new Set<NewClaimRow>()
  for (const group of groups.values()) {
    const word = words.get(group[0]?.publisher_domain ?? '') ?? { servesFile: false, selfRevoked: false, excluded: false }
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
  }
  return chosen
}

async function publisherWords(tx: Db, domains: readonly string[], now: Date) {
  const words = new Map<string, PublisherWord>()
  for (const chunk of chunksOf(domains)) {
    const rows = await tx
      .selectFrom('directory_publishers')
      .select(['publisher_domain', 'serves', 'self_blocked_until'])
      .where('publisher_domain', 'in', chunk)
      .execute()
    for (const row of rows) {
      words.set(row.publisher_domain, {
        servesFile: row.serves === 'inline' || row.serves === 'pointer',
        selfRevoked: row.self_blocked_until !== null && row.self_blocked_until > now.toISOString(),
        excluded: false,
      })
    }
    const excluded = await tx
      .selectFrom('directory_exclusions')
      .select('publisher_domain')
      .where('publisher_domain', 'in', chunk)
      .where('kind', 'in', ['removed', 'blocked'])
      .execute()
    for (const row of excluded) words.set(row.publisher_domain, { servesFile: false, selfRevoked: false, excluded: true })
  }
  return words
}
