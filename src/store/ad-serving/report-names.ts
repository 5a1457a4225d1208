import { sql } from 'kysely'
import { isParty, payerName } from '../../domain/order/order-terms.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'

/** What reports name by an id, and what people call it. */
export type NamedDimension = 'order' | 'package' | 'product' | 'buyer' | 'account' | 'creative'

/** Where the names of each are; `document`: as its member `name`. */
const SOURCES = {
  order: [
    ['media_buys', 'media_buy_id', 'document'],
    ['orders', 'order_id', 'name'],
  ],
  product: [['products', 'product_id', 'document']],
  buyer: [['principals', 'principal_id', 'name']],
  account: [['accounts', 'account_id', 'document']],
  creative: [['creatives', 'creative_id', 'name']],
} as const satisfies Readonly<
  Record<Exclude<NamedDimension, 'package'>, readonly (readonly [table: string, id: string, name: string])[]>
>

/** Whether the values of a dimension are ids of something that has a name. */
export function isNamed(dimension: string): dimension is NamedDimension {
  return dimension === 'package' || Object.hasOwn(SOURCES, dimension)
}

/** Names by id; who pays for orders without an account is called as its key says; a line is called as the product that it sells, an adopted one as at its ad server. What has none is absent, and so is what has several: buyers choose ids of creatives, and two of them the same. */
export async function reportNames(
  db: Db,
  tenantId: string,
  dimension: NamedDimension,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (dimension === 'package') return lineNames(db, tenantId, ids)
  const parties = dimension === 'account' ? ids.filter(isParty) : []
  const names = new Map(parties.map((id) => [id, payerName(id)] as const))
  const ambiguous = new Set<string>()
  await forEachChunk([...new Set(ids)], async (some) => {
    for (const [table, id, column] of SOURCES[dimension]) {
      const own = table === 'products' ? sql`and owner = ''` : sql``
      const { rows } = await sql<{ id: string; name: string }>`select ${sql.ref(id)} as id, ${sql.ref(column)} as name
        from ${sql.table(table)} where tenant_id = ${tenantId} and ${sql.ref(id)} in (${sql.join(some)}) ${own}`.execute(db)
      for (const row of rows) {
        const name = column === 'document' ? nameIn(row.name) : row.name
        if (name === undefined || name === '') continue
        if (names.has(row.id) && names.get(row.id) !== name) ambiguous.add(row.id)
        names.set(row.id, name)
      }
    }
  })
  for (const id of ambiguous) names.delete(id)
  return names
}

async function lineNames(db: Db, tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const products = new Map<string, string>()
  const own = new Map<string, string>()
  await forEachChunk([...new Set(ids)], async (some) => {
    const { rows } = await sql<{
      id: string
      product: string
      document: string
    }>`select package_id as id, product_id as product, '' as document from packages
        where tenant_id = ${tenantId} and package_id in (${sql.join(some)})
      union all select line_id as id, product_id as product, document from order_lines
        where tenant_id = ${tenantId} and line_id in (${sql.join(some)})`.execute(db)
    for (const { id, product, document } of rows)
      if (product === '' && document !== '') own.set(id, bookedNameIn(document))
      else products.set(id, product)
  })
  const names = await reportNames(db, tenantId, 'product', [...products.values()])
  return new Map([
    ...[...products].flatMap(([id, product]) => (names.has(product) ? [[id, names.get(product) ?? ''] as const] : [])),
    ...[...own].filter(([, name]) => name !== ''),
  ])
}

/** What a line that sells no product is called at its ad server. */
function bookedNameIn(document: string): string {
  const { booked }: { readonly booked?: { readonly name?: string } } = JSON.parse(document)
  return booked?.name ?? ''
}

function nameIn(document: string): string | undefined {
  const { name }: { readonly name?: unknown } = JSON.parse(document)
  return typeof name === 'string' ? name : undefined
}
