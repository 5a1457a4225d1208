import { FEW_ROWS, forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery, type NamedValue } from '../hot-query.ts'
import { bytesOf, forEachPart } from '../page-size.ts'
import { CLAIM_COLUMNS, type ClaimHead, type DirectoryClaimRow, HEAD_COLUMNS } from './rows.ts'

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
  else
    await forEachPart(rows, sizeOf, (part) =>
      forEachChunk(part, (chunk) => tx.insertInto('directory_claims').values(chunk).execute()),
    )
}

function sizeOf({ property_ids }: DirectoryClaimRow): number {
  return property_ids.length
}

const sizesOfOwn = hotQuery(['domain'], (db, value) => ownClaims(db, value).select(bytesOf('property_ids').as('bytes')))
const ownOfDomain = hotQuery(['domain', 'limit', 'offset'], (db, value) =>
  ownClaims(db, value).select(CLAIM_COLUMNS).limit(value.of<number>('limit')).offset(value.of<number>('offset')),
)

function ownClaims(db: Db, value: NamedValue<'domain'>) {
  return inOrder(db).where('publisher_domain', '=', value('domain')).where('route', '=', 'own')
}

/** Every claim about a publisher by its own walk, shown or not; read in parts that are bounded by their size. */
export async function listOwnClaims(db: Db, domain: string): Promise<DirectoryClaimRow[]> {
  const { rows: sizes } = await sizesOfOwn(db, { domain })
  const rows: DirectoryClaimRow[] = []
  await forEachPart(
    sizes,
    ({ bytes }) => Number(bytes),
    async ({ length: limit }) => {
      for (const row of (await ownOfDomain(db, { domain, limit, offset: rows.length })).rows) rows.push(row)
    },
  )
  return rows
}

const oneOfDomain = hotQuery(['domain'], (db, value) =>
  db.selectFrom('directory_claims').select('agent_id').where('publisher_domain', '=', value('domain')).limit(1),
)

/** Whether there is a claim about a publisher, shown or not. */
export async function hasClaims(db: Db, domain: string): Promise<boolean> {
  return (await oneOfDomain(db, { domain })).rows.length > 0
}

const headsOfDomain = hotQuery(['domain'], (db, value) =>
  inOrder(db).select(HEAD_COLUMNS).where('publisher_domain', '=', value('domain')),
)

/** Every claim about some publishers, without its ids: any number of files may speak of one publisher. */
export async function claimsOfDomains(tx: Db, domains: readonly string[]): Promise<ClaimHead[]> {
  const [domain] = domains
  if (domains.length === 1 && domain !== undefined) return (await headsOfDomain(tx, { domain })).rows
  const rows: ClaimHead[] = []
  await forEachChunk(domains, async (chunk) => {
    const heads = await inOrder(tx).select(HEAD_COLUMNS).where('publisher_domain', 'in', chunk).execute()
    for (const row of heads) rows.push(row)
  })
  return rows
}

const idsOfClaim = hotQuery(['publisher_domain', 'agent_id', 'route', 'document_id'], (db, value) =>
  db
    .selectFrom('directory_claims')
    .select('property_ids')
    .where('publisher_domain', '=', value('publisher_domain'))
    .where('agent_id', '=', value('agent_id'))
    .where('route', '=', value.of<DirectoryClaimRow['route']>('route'))
    .where('document_id', '=', value('document_id')),
)

/** A claim with its ids, which are read where it has none. */
export async function withIds(tx: Db, claim: ClaimHead | DirectoryClaimRow): Promise<DirectoryClaimRow> {
  if ('property_ids' in claim) return claim
  const { publisher_domain, agent_id, route, document_id } = claim
  const [row] = (await idsOfClaim(tx, { publisher_domain, agent_id, route, document_id })).rows
  return { ...claim, property_ids: row?.property_ids ?? '[]' }
}

/** In the order of the primary key. */
function inOrder(db: Db) {
  return db.selectFrom('directory_claims').orderBy('publisher_domain').orderBy('agent_id').orderBy('route').orderBy('document_id')
}
