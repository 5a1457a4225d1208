import type { Store } from '../../src/store/database.ts'

/** What a publisher is grown to. */
export interface PublisherSize {
  readonly orders: number
  readonly products: number
}

/** Rows of one INSERT: PostgreSQL takes at most 65,535 parameters, SQLite 32,766. */
const BATCH = 500
/** Orders that run, whatever the size; the others are over, as after years. */
const RUNNING = 120
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/**
 * Grows a publisher to a size by copies of rows that the server wrote itself: its newest order with its package, and its first products. `now` is the time of
 * the server.
 */
export async function growPublisher(store: Store, tenantId: string, size: PublisherSize, now: Date): Promise<void> {
  await growProducts(store, tenantId, size.products)
  if (size.orders > 1) await growOrders(store, tenantId, size.orders, now)
}

async function growProducts(store: Store, tenantId: string, wanted: number): Promise<void> {
  const models = await store.read
    .selectFrom('products')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('owner', '=', '')
    .orderBy('position')
    .limit(10)
    .execute()
  const have = (await store.read.selectFrom('products').select('product_id').where('tenant_id', '=', tenantId).execute()).length
  await inBatches(have, wanted, (numbers) =>
    store.transaction(async (tx) => {
      const rows = numbers.flatMap((n) => {
        const model = models[n % models.length]
        if (!model) return []
        const id = `${model.product_id}-${n}`
        const document = { ...JSON.parse(model.document), product_id: id, name: `Product ${n}` }
        return [{ ...model, product_id: id, position: 1000 + n, document: JSON.stringify(document) }]
      })
      if (rows.length > 0) await tx.insertInto('products').values(rows).execute()
    }),
  )
  await store.transaction((tx) =>
    tx
      .updateTable('tenants')
      .set((eb) => ({ products_revision: eb('products_revision', '+', 1) }))
      .where('tenant_id', '=', tenantId)
      .execute(),
  )
}

async function growOrders(store: Store, tenantId: string, wanted: number, now: Date): Promise<void> {
  const buy = await store.read
    .selectFrom('media_buys')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow()
  const pkg = await store.read
    .selectFrom('packages')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('media_buy_id', '=', buy.media_buy_id)
    .executeTakeFirstOrThrow()
  const { have } = await store.read
    .selectFrom('media_buys')
    .select((e) => e.fn.countAll<number>().as('have'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  await inBatches(Number(have), wanted, (numbers) =>
    store.transaction(async (tx) => {
      const copies = numbers.map((n) => {
        const id = `mb_grown_${n}`
        const start = n <= RUNNING ? now.getTime() - DAY_MS - n * MINUTE_MS : now.getTime() - 60 * DAY_MS - n * MINUTE_MS
        const starts = new Date(start).toISOString()
        const ends = new Date(start + 14 * DAY_MS).toISOString()
        return { id, starts, ends }
      })
      await tx
        .insertInto('media_buys')
        .values(
          copies.map(({ id, starts, ends }) => ({
            ...buy,
            media_buy_id: id,
            created_at: starts,
            starts_at: starts,
            ends_at: ends,
            search: buy.search.replaceAll(buy.media_buy_id, id),
            document: JSON.stringify({
              ...JSON.parse(buy.document),
              mediaBuyId: id,
              createdAt: starts,
              confirmedAt: starts,
              startsAt: starts,
              endsAt: ends,
            }),
          })),
        )
        .execute()
      await tx
        .insertInto('packages')
        .values(
          copies.map(({ id, starts, ends }) => {
            const document = JSON.parse(pkg.document)
            const terms = { ...document.terms, from: starts, startsAt: starts, endsAt: ends }
            const own = { ...document, packageId: `${id}-1`, needsCreatives: false, terms }
            return { ...pkg, package_id: `${id}-1`, media_buy_id: id, document: JSON.stringify(own) }
          }),
        )
        .execute()
    }),
  )
}

async function inBatches(from: number, to: number, write: (numbers: readonly number[]) => Promise<void>): Promise<void> {
  for (let at = from; at < to; at += BATCH)
    await write(Array.from({ length: Math.min(BATCH, to - at) }, (_empty, index) => at + index))
}
