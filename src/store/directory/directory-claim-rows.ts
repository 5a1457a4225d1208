import { FEW_ROWS, forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { CLAIM_COLUMNS, type DirectoryClaimRow } from './rows.ts'

const insertClaim = hotQuery(CLAIM_COLUMNS, (tx, value) =>
  tx.insertInto('directory_claims').values({
    agent_id: value('agent_id'),
    publisher_domain: value('publisher_domain'),
    route: value.of<DirectoryClaimRow['route']>('route'),
    document_id: value('document_id'),
    shown: value.of<DirectoryClaimRow['shown']>('shown'),
    status: value.of<DirectoryClaimRow['status']>('status'),
    observed_at: value('observed_at'),
    discovery_method: value.of<DirectoryClaimRow['discovery_method']>('discovery_method'),
    manager_domain: value('manager_domain'),
    properties_authorized: value.of<number>('properties_authorized'),
    properties_total: value.of<number>('properties_total'),
    signing_keys_pinned: value.of<number>('signing_keys_pinned'),
    verified_at: value('verified_at'),
    property_ids: value('property_ids'),
    granted_at: value('granted_at'),
  }),
)

export async function insertClaims(tx: Db, rows: readonly DirectoryClaimRow[]): Promise<void> {
  if (rows.length <= FEW_ROWS) for (const row of rows) await insertClaim(tx, { ...row })
  else await forEachChunk(rows, (chunk) => tx.insertInto('directory_claims').values(chunk).execute())
}

const claimsOfDomain = hotQuery(['domain'], (db, value) =>
  db.selectFrom('directory_claims').select(CLAIM_COLUMNS).where('publisher_domain', '=', value('domain')),
)

/** Every claim about one publisher, shown or not. */
export async function listPublisherClaims(db: Db, domain: string): Promise<DirectoryClaimRow[]> {
  return (await claimsOfDomain(db, { domain })).rows
}

/** Every claim about some publishers. */
export async function claimsOfDomains(tx: Db, domains: readonly string[]): Promise<DirectoryClaimRow[]> {
  const [domain] = domains
  if (domains.length === 1 && domain !== undefined) return listPublisherClaims(tx, domain)
  const rows: DirectoryClaimRow[] = []
  await forEachChunk(domains, async (chunk) => {
    rows.push(...(await tx.selectFrom('directory_claims').select(CLAIM_COLUMNS).where('publisher_domain', 'in', chunk).execute()))
  })
  return rows
}
