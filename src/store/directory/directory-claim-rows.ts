import { FEW_ROWS, forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'
import { bytesOf, forEachPart } from '../page-size.ts'
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
  else
    await forEachPart(rows, sizeOf, (part) =>
      forEachChunk(part, (chunk) => tx.insertInto('directory_claims').values(chunk).execute()),
    )
}

function sizeOf({ property_ids }: DirectoryClaimRow): number {
  return property_ids.length
}

const sizesOfDomain = hotQuery(['domain'], (db, value) =>
  inOrder(db).select(bytesOf('property_ids').as('bytes')).where('publisher_domain', '=', value('domain')),
)
const claimsOfDomain = hotQuery(['domain', 'limit', 'offset'], (db, value) =>
  inOrder(db)
    .select(CLAIM_COLUMNS)
    .where('publisher_domain', '=', value('domain'))
    .limit(value.of<number>('limit'))
    .offset(value.of<number>('offset')),
)

/** Every claim about one publisher, shown or not; read in parts that are bounded by their size. */
export async function listPublisherClaims(db: Db, domain: string): Promise<DirectoryClaimRow[]> {
  const { rows: sizes } = await sizesOfDomain(db, { domain })
  return readParts(sizes, async (limit, offset) => (await claimsOfDomain(db, { domain, limit, offset })).rows)
}

const oneOfDomain = hotQuery(['domain'], (db, value) =>
  db.selectFrom('directory_claims').select('agent_id').where('publisher_domain', '=', value('domain')).limit(1),
)

/** Whether there is a claim about a publisher, shown or not. */
export async function hasClaims(db: Db, domain: string): Promise<boolean> {
  return (await oneOfDomain(db, { domain })).rows.length > 0
}

/** Every claim about some publishers. */
export async function claimsOfDomains(tx: Db, domains: readonly string[]): Promise<DirectoryClaimRow[]> {
  const [domain] = domains
  if (domains.length === 1 && domain !== undefined) return listPublisherClaims(tx, domain)
  const rows: DirectoryClaimRow[] = []
  await forEachChunk(domains, async (chunk) => {
    const claims = inOrder(tx).where('publisher_domain', 'in', chunk)
    const sizes = await claims.select(bytesOf('property_ids').as('bytes')).execute()
    const read = (limit: number, offset: number) => claims.select(CLAIM_COLUMNS).limit(limit).offset(offset).execute()
    for (const row of await readParts(sizes, read)) rows.push(row)
  })
  return rows
}

/** In the order of the primary key. */
function inOrder(db: Db) {
  return db.selectFrom('directory_claims').orderBy('publisher_domain').orderBy('agent_id').orderBy('route').orderBy('document_id')
}

/** Rows of known sizes, read in parts, with a turn for others between them. */
async function readParts<Row>(
  sizes: readonly { readonly bytes: number | string }[],
  read: (limit: number, offset: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  await forEachPart(
    sizes,
    ({ bytes }) => Number(bytes),
    async (part) => {
      for (const row of await read(part.length, rows.length)) rows.push(row)
    },
  )
  return rows
}
