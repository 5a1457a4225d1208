import { sql } from 'kysely'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { MediaBuy, Package } from '../../domain/media-buy/media-buy.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { Db } from '../database.ts'
import { bytesOf, partsOfSize } from '../page-size.ts'

/** What the row of a media buy holds of it. */
export type Header = Omit<MediaBuy, 'packages'>

interface HeaderRow {
  readonly document: string
  readonly media_buy_id: string
}

/** The bytes of the documents of a row of `media_buys` and of its packages. */
export const BYTES_OF_BUY = sql<
  number | string
>`${bytesOf('media_buys.document')} + coalesce((select sum(${bytesOf('p.document')}) from packages p
  where p.tenant_id = media_buys.tenant_id and p.media_buy_id = media_buys.media_buy_id), 0)`

/** Media buys of these headers with their packages, in their order: some megabytes are read in parts, and others are served meanwhile. */
export async function withPackages(db: Db, owner: PrincipalRef, rows: readonly HeaderRow[]): Promise<MediaBuy[]> {
  const buys: MediaBuy[] = []
  for await (const part of partsWithPackages(db, owner, rows)) buys.push(...part)
  return buys
}

/** The same part by part, for what needs none of them after the next: others are served in between. */
export async function* partsWithPackages(
  db: Db,
  owner: PrincipalRef,
  rows: readonly HeaderRow[],
): AsyncGenerator<readonly MediaBuy[]> {
  for (const [index, part] of (await partsOf(db, owner, rows)).entries()) {
    if (index > 0) await yieldToEventLoop()
    yield await readWithPackages(db, owner, part)
  }
}

/** Headers in parts whose packages are read at once. */
async function partsOf(
  db: Db,
  { tenantId }: PrincipalRef,
  rows: readonly HeaderRow[],
): Promise<readonly (readonly HeaderRow[])[]> {
  if (rows.length < 2) return rows.length === 0 ? [] : [rows]
  const sizes = await db
    .selectFrom('packages')
    .select(['media_buy_id', sql<number | string>`sum(${bytesOf('document')})`.as('bytes')])
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', 'in', rows.map(idOf))
    .groupBy('media_buy_id')
    .execute()
  const bytes = new Map(sizes.map((each) => [each.media_buy_id, each.bytes]))
  return partsOfSize(rows, (row) => Number(bytes.get(row.media_buy_id) ?? 0))
}

const idOf = (row: HeaderRow) => row.media_buy_id

/** The same of some headers whose packages are no more than is read at once. */
export async function readWithPackages(db: Db, owner: PrincipalRef, rows: readonly HeaderRow[]): Promise<MediaBuy[]> {
  const packageRows = await db
    .selectFrom('packages')
    .select(['media_buy_id', 'document'])
    .where('tenant_id', '=', owner.tenantId)
    .where('media_buy_id', 'in', rows.map(idOf))
    .orderBy('media_buy_id')
    .orderBy('position')
    .execute()
  const byBuy = new Map<string, Package[]>(rows.map((row) => [row.media_buy_id, []]))
  for (const row of packageRows) byBuy.get(row.media_buy_id)?.push(JSON.parse(row.document))
  return rows.map((row) => {
    const header: Header = JSON.parse(row.document)
    return { ...header, packages: byBuy.get(row.media_buy_id) ?? [] }
  })
}
