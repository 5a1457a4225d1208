import { anchorOfLine, DIRECT } from '../../src/ad-serving/embedded/stored-direct-order.ts'
import type { LineDocument } from '../../src/ad-serving/embedded/stored-documents.ts'
import { importReport } from '../../src/ad-serving/reconcile/import-report.ts'
import { reconcileDue } from '../../src/ad-serving/reconcile/reconciler.ts'
import type { ReconciledBackend } from '../../src/ad-serving/reconciled-backends.ts'
import type { ExistingLine } from '../../src/domain/ad-serving/existing-line.ts'
import { DAY_MS, HOUR_MS } from '../../src/domain/calendar/instant.ts'
import { nextDay, startOfLocalDay } from '../../src/domain/calendar/local-time.ts'
import type { ProductDocument } from '../../src/domain/product/products-file.ts'
import type { Runnable } from '../../src/operator/act.ts'
import { adoptOrder } from '../../src/operator/adopted-orders/adopt-order.ts'
import { setInvoicing } from '../../src/operator/billing/invoicing-details.ts'
import type { FieldSet } from '../../src/operator/fields.ts'
import type { Db } from '../../src/store/database.ts'
import { adoptedKey, adoptedLineKey } from '../../src/store/order/adopted-orders.ts'
import { enterDirectOrder } from '../../test/support/direct-orders.ts'
import { startMediaBuyAgent } from '../../test/support/media-buy-agent.ts'
import { createMemoryAdServer } from '../../test/support/memory-ad-server.ts'
import { operatorBeside, performAs, setTenant } from '../../test/support/operator.ts'
import { countsThere, ordersThere } from '../../test/support/orders-there.ts'
import { seeded } from '../faults/random.ts'
import type { ActFact, CountFact, LineFact, OrderFact, PartyFact } from './facts.ts'

export const ZONE = 'Europe/Stockholm'
export const CURRENCY = 'SEK'
/** The ad server in which people booked orders without this program. */
const MODULE = 'memory'
const PUBLISHER = {
  ...{ legal_name: 'Sveaposten AB', street: 'Storgatan 1', postal_code: '111 22', city: 'Stockholm', country: 'SE' },
  ...{ vat_id: 'SE556677889901', iban: 'SE4550000000058398257466', payment_days: 30, language: 'en' },
}
export const PUBLISHER_FACTS = { name: PUBLISHER.legal_name, country: 'SE', vat_percent: '25', payment_days: 30 }

/** Midnight at the publisher at which a day begins, ISO 8601 UTC. */
export const startOf = (day: string): string => startOfLocalDay(day, ZONE).toISOString()

/** How much of a line is shown: about so many impressions a day, and of these so many per thousand are clicked. */
export interface Traffic {
  readonly impressions: number
  readonly clicks?: number
}

/** A line of the program's own ad server, and what it charges. */
interface Served {
  readonly lineId: string
  readonly rateMicros: number
}

/** A line that is shown until now. */
interface Running {
  readonly fact: LineFact
  readonly traffic: Traffic
  readonly countedBy: OrderFact['counted_by']
  /** Of the program's own ad server. */
  readonly served?: Served
  /** Id at the ad server that counts it by days. */
  readonly there?: string
  /** Days that were not shown. */
  readonly dark: ReadonlySet<string>
  nextDay: string
  isOver: boolean
}

export type Publisher = Awaited<ReturnType<typeof startPublisher>>

/** A publisher in Stockholm on the real server, whose clock goes on when the story says so; it keeps what was sold, counted and done. */
export async function startPublisher(products: readonly ProductDocument[], begin: string) {
  let now = new Date(begin)
  const clock = () => now
  const agent = await startMediaBuyAgent(products, {
    clock,
    flags: { 'adServer.type': 'embedded' },
    // The story books and imports itself, when its clock has moved.
    reconciler: { timing: { everyMs: 24 * HOUR_MS } },
  })
  const { tenant: tenantId, server } = agent
  const { store } = server
  const there = ordersThere()
  const module: ReconciledBackend = { backend: createMemoryAdServer(there.calls).backend, drift: 'leave', isModule: true }
  const own = server.services.adServers
  const backends = (id: string) => new Map([...own.backends(id), [MODULE, module] as const])
  const beside = operatorBeside(agent, clock)
  const operator = { ...beside, services: { ...beside.services, adServers: async () => ({ ...own, backends }) } }
  await setTenant(operator, tenantId, { timeZone: ZONE, currency: CURRENCY })
  await performAs(operator, tenantId, setInvoicing, PUBLISHER)

  const facts = {
    parties: [] as PartyFact[],
    orders: [] as OrderFact[],
    counts: [] as CountFact[],
    acts: [] as ActFact[],
  }
  const running = new Map<string, Running>()
  const reported = { own: [] as string[], there: [] as string[] }
  const random = seeded(2026)

  /** Notes what was done now. */
  type Noted<A = ActFact> = A extends ActFact ? Omit<A, 'at'> : never
  const note = (act: Noted) => void facts.acts.push({ at: now.toISOString(), ...act } as ActFact)
  const act = <F extends FieldSet, A extends object>(which: Runnable<F, A>, members: Readonly<Record<string, unknown>>) =>
    performAs(operator, tenantId, which, members)
  /** A task of the buyer, with the account that it names. Throws with the answer of what is refused. */
  const task = async (name: string, args: object) => {
    const { isError, data } = await agent.run(name, args)
    if (isError) throw new Error(`${name}: ${JSON.stringify(data)}`)
    return data
  }

  async function served(anchor: string): Promise<Served> {
    const lines = store.read.selectFrom('embedded_lines').select(['line_id', 'document'])
    const { line_id: lineId, document } = await lines.where('anchor', '=', anchor).executeTakeFirstOrThrow()
    const { settings }: LineDocument = JSON.parse(document)
    return { lineId, rateMicros: settings.price.rateMicros }
  }

  function runs(line: Omit<Running, 'nextDay' | 'isOver'>): void {
    const first = new Date(Date.parse(line.fact.starts_at) + 12 * HOUR_MS).toISOString().slice(0, 10)
    running.set(line.fact.line, { ...line, nextDay: first, isOver: false })
  }

  /** What the ad servers count of lines from now on. */
  async function count(news: readonly Omit<CountFact, 'at'>[]): Promise<void> {
    await store.transaction(async (tx) => {
      for (const { line, period, impressions, clicks } of news) {
        const { served: own, there: lineId = '' } = running.get(line) ?? {}
        if (own) await writeHour(tx, own, period, { impression: impressions, click: clicks })
        else {
          const before = there.counts.findIndex((each) => each.lineId === lineId && each.period === period)
          there.counts.splice(before < 0 ? there.counts.length : before, 1, countsThere(lineId, period, impressions, clicks))
        }
        facts.counts.push({ at: now.toISOString(), line, period, impressions, clicks })
      }
    })
  }

  /** Writes the sums of an hour as the program's ad server keeps them. */
  async function writeHour(tx: Db, { lineId, rateMicros }: Served, period: string, events: Readonly<Record<string, number>>) {
    const hour = `${period}:00:00.000Z`
    for (const [kind, count] of Object.entries(events)) {
      if (count === 0) continue
      const key = { tenant_id: tenantId, line_id: lineId, hour, kind }
      const row = tx.selectFrom('embedded_hours').select('events').where('line_id', '=', lineId).where('hour', '=', hour)
      const before = Number((await row.where('kind', '=', kind).executeTakeFirst())?.events ?? 0)
      await tx
        .insertInto('embedded_hours')
        .values({ ...key, creative_id: 'a', place: 'home', bot: 0, rate_micros: rateMicros, events: count })
        .onConflict((c) =>
          c
            .columns(['tenant_id', 'line_id', 'hour', 'creative_id', 'place', 'kind', 'bot', 'rate_micros'])
            .doUpdateSet({ events: count }),
        )
        .execute()
      await tx
        .insertInto('embedded_totals')
        .values({ tenant_id: tenantId, line_id: lineId, kind, events: count })
        .onConflict((c) =>
          c
            .columns(['tenant_id', 'line_id', 'kind'])
            .doUpdateSet((e) => ({ events: e('embedded_totals.events', '+', count - before) })),
        )
        .execute()
    }
  }

  /** Counts the days of the lines that are over, and imports them into the ledger. */
  async function report(): Promise<void> {
    const news: Omit<CountFact, 'at'>[] = []
    for (const line of running.values()) {
      const { line: id } = line.fact
      for (; !line.isOver && line.nextDay < line.fact.ends_at && now.toISOString() >= startOf(nextDay(line.nextDay)); ) {
        const day = line.nextDay
        line.nextDay = nextDay(day)
        if (startOf(day) >= line.fact.ends_at || line.dark.has(day)) continue
        const impressions = Math.round(line.traffic.impressions * (0.5 + random()))
        const clicks = Math.round((impressions * (line.traffic.clicks ?? 0)) / 1_000)
        if (line.countedBy === 'day') news.push({ line: id, period: day, impressions, clicks })
        else {
          // The first and the last hour of the publisher's day: of UTC they may be in another day, month or year.
          const early = Math.floor(impressions / 3)
          const hourOf = (at: number) => new Date(at).toISOString().slice(0, 13)
          const [first, last] = [hourOf(Date.parse(startOf(day))), hourOf(Date.parse(startOf(nextDay(day))) - HOUR_MS)]
          const earlyClicks = Math.floor(clicks / 3)
          news.push({ line: id, period: first, impressions: early, clicks: earlyClicks })
          news.push({ line: id, period: last, impressions: impressions - early, clicks: clicks - earlyClicks })
        }
      }
    }
    await count(news)
    await importCounts()
  }

  async function importCounts(): Promise<void> {
    const parts = { store, clock, backends }
    const since = new Date(now.getTime() - 120 * DAY_MS).toISOString().slice(0, 10)
    const ask = { tenantId, since, callMs: 60_000 }
    if (reported.own.length > 0) await importReport(parts, { ...ask, adServer: 'embedded', mediaBuyIds: reported.own })
    if (reported.there.length > 0)
      await importReport(parts, { ...ask, adServer: MODULE, mediaBuyIds: reported.there, areAdopted: true })
  }

  return {
    facts,
    today: () => now.toISOString(),
    act,
    task,
    note,
    /** Goes on to a moment: what was shown until then is counted and imported. */
    async reach(at: string): Promise<void> {
      now = new Date(at)
      await report()
    },
    /** Somebody who pays, as an account of the buyer. */
    async declare(domain: string, party: Omit<PartyFact, 'party'>, address: object): Promise<object> {
      const account = { brand: { domain }, operator: 'agency.example' }
      const billing_entity = { legal_name: party.name, vat_id: party.vat_id, address: { ...address, country: party.country } }
      const accounts = [{ ...account, billing: 'operator', billing_entity }]
      const data = await task('sync_accounts', { account: undefined, accounts })
      facts.parties.push({ ...party, party: data.accounts[0].account_id })
      return account
    },
    /** An order over the protocol; the prices of `lines` are what their products say. */
    async buy(
      account: { readonly brand?: unknown },
      flight: Pick<LineFact, 'starts_at' | 'ends_at'>,
      lines: readonly {
        readonly package: object
        readonly fact: Pick<LineFact, 'name' | 'model' | 'rate' | 'budget' | 'goal' | 'cancellation'>
        readonly traffic: Traffic
        readonly dark?: readonly string[]
      }[],
    ): Promise<{ readonly order: string; readonly lines: readonly string[] }> {
      const times = { start_time: flight.starts_at, end_time: flight.ends_at }
      const packages = lines.map((line) => line.package)
      const data = await task('create_media_buy', { account, brand: account.brand, packages, ...times })
      await reconcileDue({ store, clock, log: SILENT, backends: own.backends })
      const ids: string[] = data.packages.map((each: { package_id: string }) => each.package_id)
      const sold = lines.map(({ fact }, index) => ({ line: ids[index] ?? '', ...fact, ...flight }))
      for (const [index, fact] of sold.entries()) {
        const { traffic, dark = [] } = lines[index] ?? { traffic: { impressions: 0 } }
        runs({ fact, traffic, countedBy: 'hour', dark: new Set(dark), served: await served(fact.line) })
      }
      const order: string = data.media_buy_id
      reported.own.push(order)
      facts.orders.push({ order, origin: 'buyer', counted_by: 'hour', party: data.account.account_id, lines: sold })
      return { order, lines: ids }
    },
    /** An order that people sold themselves; `party`: null of house ads. */
    async enter(
      order: { readonly order_id: string; readonly advertiser: string; readonly party: string | null },
      lines: readonly { readonly line: object; readonly fact: Omit<LineFact, 'line'>; readonly traffic: Traffic }[],
    ): Promise<void> {
      const { party, order_id, advertiser } = order
      const image = { url: 'https://cdn.example/a.png' }
      const creatives = [{ creative_id: 'a', width: 300, height: 250, image, click_url: 'https://shop.example/' }]
      const sold = lines.map(({ line, fact: { starts_at, ends_at, name } }) => {
        return { line_id: name, starts_at, ends_at, creatives, ...line }
      })
      const text = JSON.stringify({ order_id, name: order_id, advertiser, currency: CURRENCY, lines: sold })
      await enterDirectOrder(operator, tenantId, { name: 'order', text })
      const known = lines.map(({ fact }) => ({ line: anchorOfLine(order_id, fact.name), ...fact }))
      for (const [index, fact] of known.entries()) {
        const traffic = lines[index]?.traffic ?? { impressions: 0 }
        runs({ fact, traffic, countedBy: 'hour', dark: new Set(), served: await served(fact.line) })
      }
      reported.own.push(`${DIRECT}${order_id}`)
      facts.orders.push({ order: order_id, origin: 'entered', counted_by: 'hour', party, lines: known })
    },
    /** An order that people had booked in another ad server. */
    async adopt(
      order: { readonly id: string; readonly name: string; readonly advertiser: string; readonly party: string },
      lines: readonly {
        readonly there: ExistingLine
        readonly fact: Omit<LineFact, 'line'>
        readonly traffic: Traffic
        readonly dark?: readonly string[]
      }[],
    ): Promise<string> {
      const { id, name, advertiser, party } = order
      there.orders.set(id, { id, name, advertiser, lines: lines.map((line) => line.there) })
      const adopted = await act(adoptOrder, { name: MODULE, there: id })
      const orderId = adopted.order.order_id
      const sold = lines.map(({ fact, there: line }) => ({ line: adoptedLineKey(MODULE, orderId, line.id), ...fact }))
      for (const [index, fact] of sold.entries()) {
        const { traffic = { impressions: 0 }, dark = [], there: line } = lines[index] ?? {}
        runs({ fact, traffic, countedBy: 'day', dark: new Set(dark), ...(line && { there: line.id }) })
      }
      reported.there.push(adoptedKey(MODULE, id))
      facts.orders.push({ order: orderId, origin: 'adopted', counted_by: 'day', party, lines: sold })
      return orderId
    },
    /** The ad servers count some days of a line otherwise than they did: a share of what they counted. */
    async recount(line: string, days: { readonly first: string; readonly last: string }, share: number): Promise<void> {
      const [from, until] = [startOf(days.first).slice(0, 13), startOf(nextDay(days.last)).slice(0, 13)]
      const known = new Map(facts.counts.filter((each) => each.line === line).map((each) => [each.period, each]))
      const isOfDay = running.get(line)?.countedBy === 'day'
      const isMeant = ({ period }: CountFact) =>
        isOfDay ? period >= days.first && period <= days.last : period >= from && period < until
      const meant = [...known.values()].filter(isMeant)
      const shareOf = (counted: number) => Math.round(counted * share)
      await count(
        meant.map(({ period, impressions, clicks }) => {
          return { line, period, impressions: shareOf(impressions), clicks: shareOf(clicks) }
        }),
      )
      await importCounts()
    },
    /** Nothing more is shown of the lines of an order. */
    ends(order: string): void {
      for (const { line } of facts.orders.find((each) => each.order === order)?.lines ?? []) {
        const found = running.get(line)
        if (found) found.isOver = true
      }
    },
    stop: () => agent.stop(),
  }
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }
