import type { AdServers } from '../../ad-serving/ad-servers.ts'
import type { Account } from '../../domain/account/account.ts'
import type { FinancialFacts } from '../../domain/account/financials.ts'
import type { DayAmount } from '../../domain/account/numbered-invoices.ts'
import { settle } from '../../domain/billing/settlement.ts'
import { localCalendar } from '../../domain/calendar/local-time.ts'
import type { Charge } from '../../domain/media-buy/charge.ts'
import { deliveryInSteps } from '../../domain/media-buy/delivery.ts'
import type { MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { inTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { buyersIn } from '../../store/account/account-buyers.ts'
import { listPayments } from '../../store/account/account-payments.ts'
import { usageCosts } from '../../store/account/usage.ts'
import { listCharges } from '../../store/billing/charges.ts'
import { billedSums } from '../../store/billing/credit-notes.ts'
import { settlementFacts } from '../../store/billing/invoice-payments.ts'
import { closedMonths } from '../../store/billing/invoices.ts'
import type { Db } from '../../store/database.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { listMediaBuys, type MediaBuyPosition } from '../../store/media-buy/list-media-buys.ts'
import { creativeFactsOf } from '../media-buy/creative-facts.ts'
import { reportsOf } from '../media-buy/orders.ts'

/** Media buys of one look at the store and the ad server. */
const BATCH = 25

/**
 * Everything that an account owes for and has paid, by days of `timeZone`: delivery of the media buys in it and what is charged beside it, whichever agent made them, reported use of vendor services,
 * payments. With `conformance` the accounts of a sandbox agent count as one, and its buys in all of them are charged.
 */
export async function financialFacts(
  {
    db,
    adServers,
    conformance,
    timeZone,
    now,
  }: {
    readonly db: Db
    readonly adServers: AdServers
    readonly conformance: boolean
    readonly timeZone: string
    readonly now: Date
  },
  account: Account,
): Promise<FinancialFacts> {
  const { tenantId, accountId } = account
  const own = await findPrincipal(db, tenantId, account.principalId)
  const sandbox = own?.sandbox === 1
  const inAll = sandbox && conformance
  const buyers = inAll ? [account.principalId] : await buyersIn(db, tenantId, accountId)
  const charges: DayAmount[] = []
  const fees: (DayAmount & { readonly isBilled: boolean })[] = []
  const deliveryDays: string[][] = []
  let orderCurrency: string | undefined
  const { dayOf } = localCalendar(timeZone)
  for (const principalId of buyers) {
    const agent = { tenantId, principalId, sandbox, conformance: inAll }
    for await (const buys of batches(db, agent, inAll ? undefined : accountId, now)) {
      const orderIds = buys.map(({ mediaBuyId }) => mediaBuyId)
      for (const charge of await listCharges(db, tenantId, { orderIds, withSandbox: true }))
        if (charge.state !== 'taken_back') fees.push({ ...feeOf(charge, dayOf), isBilled: charge.state === 'billed' })
      const creatives = await creativeFactsOf(db, agent, buys)
      const reports = await reportsOf({ services: { adServers }, principal: agent, now, timeZone }, buys, creatives)
      for (const buy of buys) {
        const { days: all } = await inTurns(deliveryInSteps(buy, reports.get(buy.mediaBuyId) ?? []))
        const days = all.filter(isActivity)
        deliveryDays.push(days.map(({ day }) => day))
        orderCurrency ??= buy.currency
        for (const { day, spendMicros } of days) charges.push({ day, currency: buy.currency, micros: spendMicros })
      }
    }
  }
  const usage = await usageCosts(db, { tenantId, accountId })
  const payments = (await listPayments(db, account)).filter(({ takenBack }) => takenBack === undefined)
  const facts = {
    account,
    charges: [...charges, ...usage],
    fees,
    payments,
    deliveryDays,
    ...(orderCurrency !== undefined && { orderCurrency }),
  }
  const closed = sandbox || account.sandbox ? [] : await closedMonths(db, tenantId)
  const last = closed.at(-1)?.month
  if (last === undefined) return facts
  const months = new Set(closed.map(({ month }) => month))
  const open = fees.filter(({ isBilled }) => !isBilled)
  const isClosed = ({ day }: DayAmount) => months.has(day.slice(0, 7))
  const pending = pendingOf(charges.filter(isClosed), await billedSums(db, tenantId, accountId), last)
  const unbilled = [...charges.filter((charge) => !isClosed(charge)), ...pending, ...open, ...usage]
  const settlement = await settlementFacts(db, tenantId, accountId)
  return { ...facts, billing: { last, unbilled, ...settlement, standing: settle(settlement, dayOf(now)) } }
}

/** What was delivered in closed months less what was billed of it: corrections that are on no invoice yet. */
function pendingOf(charges: readonly DayAmount[], billed: ReadonlyMap<string, number>, last: string): DayAmount[] {
  const sums = new Map([...billed].map(([currency, micros]) => [currency, -micros]))
  for (const { currency, micros } of charges) sums.set(currency, (sums.get(currency) ?? 0) + micros)
  return [...sums].filter(([, micros]) => micros !== 0).map(([currency, micros]) => ({ day: `${last}-01`, currency, micros }))
}

function feeOf({ incurredAt, currency, micros }: Charge, dayOf: (at: Date) => string): DayAmount {
  return { day: dayOf(new Date(incurredAt)), currency, micros }
}

function isActivity({ impressions, spendMicros }: { readonly impressions: number; readonly spendMicros: number }): boolean {
  return impressions > 0 || spendMicros > 0
}

async function* batches(
  db: Db,
  agent: { readonly tenantId: string; readonly principalId: string },
  accountId: string | undefined,
  now: Date,
): AsyncGenerator<readonly MediaBuy[]> {
  let after: MediaBuyPosition | undefined
  do {
    const { buys, next } = await listMediaBuys(db, agent, { accountId, now }, { after, limit: BATCH })
    if (buys.length > 0) yield buys
    after = next
    if (after) await yieldToEventLoop()
  } while (after)
}
