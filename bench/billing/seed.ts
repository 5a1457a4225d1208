import { sql } from 'kysely'
import { nextMonth } from '../../src/domain/billing/billing-lines.ts'
import { columnsOf, moveTotals } from '../../src/store/ad-serving/delivery-sums.ts'
import type { Db, Store } from '../../src/store/database.ts'
import { insertCopies } from '../../test/support/grow/insert-copies.ts'

/** Months in which an order delivers. */
const MONTHS_OF_ORDER = 2
/** Days of a month on which it delivers. */
const DAYS_OF_MONTH = 10
/** Orders of one transaction. */
const BATCH = 2_000

const DELIVERED = columnsOf({
  impressions: 5_000,
  spendMicros: 71_428_571,
  clicks: 40,
  views: 0,
  completedViews: 0,
  viewableImpressions: 3_500,
  conversions: 2,
  conversionValueMicros: 0,
  milliPoints: 0,
})

/** How much a publisher has sold. */
export interface SoldSize {
  readonly orders: number
  readonly accounts: number
  /** The months in which orders deliver, `YYYY-MM`, oldest first. */
  readonly months: readonly string[]
}

/** So many months from one on, `YYYY-MM`. */
export function monthsFrom(first: string, count: number): readonly string[] {
  const months = [first]
  while (months.length < count) months.push(nextMonth(months.at(-1) ?? first))
  return months
}

/** Copies the one order of a publisher and its account: orders of all months in turn, each over and with its days in the daily sums, as the server's background job leaves them. */
export async function sellMonths(store: Store, tenantId: string, { orders, accounts, months }: SoldSize): Promise<void> {
  const models = await modelsOf(store, tenantId)
  await store.transaction((tx) => {
    const copies = Array.from({ length: accounts }, (_empty, n) => ({ account_id: accountOf(n), natural_key: `grown ${n}` }))
    return insertCopies(tx, 'accounts', models.account, copies)
  })
  for (let from = 0; from < orders; from += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, orders - from) }, (_empty, index) => from + index)
    await store.transaction((tx) => insertOrders(tx, models, numbers, { accounts, months }), { durability: 'lazy' })
  }
  await store.transaction(async (tx) => {
    await tx.deleteFrom('delivery_totals').where('tenant_id', '=', tenantId).execute()
    await moveTotals(tx, tenantId, () => sql`1 = 1`, 1)
  })
}

const accountOf = (n: number) => `acc_grown_${n}`

async function modelsOf({ read }: Store, tenantId: string) {
  const one = (table: 'media_buys' | 'packages' | 'accounts') => read.selectFrom(table).where('tenant_id', '=', tenantId)
  const buy = await one('media_buys').selectAll('media_buys').executeTakeFirstOrThrow()
  const pkg = await one('packages').selectAll('packages').executeTakeFirstOrThrow()
  const account = await one('accounts').selectAll('accounts').where('account_id', '=', buy.account_id).executeTakeFirstOrThrow()
  return { buy, pkg, account }
}

async function insertOrders(
  tx: Db,
  { buy, pkg }: Awaited<ReturnType<typeof modelsOf>>,
  numbers: readonly number[],
  { accounts, months }: Pick<SoldSize, 'accounts' | 'months'>,
): Promise<void> {
  const [buyDocument, pkgDocument] = [JSON.parse(buy.document), JSON.parse(pkg.document)]
  const sold = numbers.map((n) => {
    const at = n % months.length
    const own = months.slice(at, at + MONTHS_OF_ORDER)
    const starts = `${own[0]}-01T00:00:00.000Z`
    const ends = `${own.at(-1)}-28T00:00:00.000Z`
    return { id: `mb_grown_${n}`, account: accountOf(n % accounts), own, starts, ends }
  })
  const buys = sold.map(({ id, account, starts, ends }) => {
    const times = { createdAt: starts, confirmedAt: starts, startsAt: starts, endsAt: ends }
    return {
      ...{ media_buy_id: id, account_id: account, created_at: starts, starts_at: starts, ends_at: ends },
      search: buy.search.replaceAll(buy.media_buy_id, id),
      document: JSON.stringify({ ...buyDocument, mediaBuyId: id, accountId: account, ...times }),
    }
  })
  await insertCopies(tx, 'media_buys', { ...buy, delivery_source: 'settled' }, buys)
  const packages = sold.map(({ id, starts, ends }) => {
    const terms = { ...pkgDocument.terms, from: starts, startsAt: starts, endsAt: ends }
    const document = JSON.stringify({ ...pkgDocument, packageId: `${id}-1`, needsCreatives: false, terms })
    return { package_id: `${id}-1`, media_buy_id: id, document }
  })
  await insertCopies(tx, 'packages', pkg, packages)
  const days = sold.flatMap(({ id, own }) =>
    own.flatMap((month) =>
      Array.from({ length: DAYS_OF_MONTH }, (_empty, n) => ({
        package_id: `${id}-1`,
        day: `${month}-${String(n + 1).padStart(2, '0')}`,
      })),
    ),
  )
  await insertCopies(tx, 'delivery_days', { tenant_id: buy.tenant_id, creative_id: '', ...DELIVERED }, days)
}
