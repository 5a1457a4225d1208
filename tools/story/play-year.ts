import { monthBefore, nextMonth } from '../../src/domain/billing/billing-lines.ts'
import { billingPartyOf, NO_TERMS } from '../../src/domain/order/order-terms.ts'
import { allPages } from '../../src/operator/all-pages.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { closeMonth } from '../../src/operator/billing/close-month.ts'
import { creditInvoice } from '../../src/operator/billing/credit-invoice.ts'
import { recordPayment, takeBackPayment } from '../../src/operator/billing/invoice-payments.ts'
import { previewMonth } from '../../src/operator/billing/preview-month.ts'
import { listInvoices, showInvoice } from '../../src/operator/billing/show-invoices.ts'
import { offerCredit } from '../../src/operator/make-goods/offer-make-good.ts'
import { setOrderTerms } from '../../src/operator/order-terms/order-terms.ts'
import { productDocument } from '../../test/support/media-buy-agent.ts'
import { lineThere } from '../../test/support/orders-there.ts'
import type { InvoiceFact, PartyFact, YearFacts } from './facts.ts'
import { CURRENCY, PUBLISHER_FACTS, type Publisher, startOf, startPublisher } from './publisher.ts'

const GUARANTEED = { format_ids: [], delivery_type: 'guaranteed' as const }
const CAPACITY = { daily_capacity: 10_000_000 }
const POLICY = {
  notice_period: { interval: 14, unit: 'days' as const },
  cancellation_fee: { type: 'percent_remaining' as const, rate: 0.25 },
}

/** What the publisher sells. */
const PRODUCTS = [
  {
    ...productDocument('nyheter', GUARANTEED, CAPACITY),
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: CURRENCY, fixed_price: 83.37 }],
  },
  {
    ...productDocument('startsida', GUARANTEED, CAPACITY),
    pricing_options: [
      { pricing_option_id: 'flat', pricing_model: 'flat_rate' as const, currency: CURRENCY, fixed_price: 310_000.37 },
    ],
  },
  {
    ...productDocument('auktion', { format_ids: [] }, CAPACITY),
    pricing_options: [
      {
        ...{ pricing_option_id: 'clearing', pricing_model: 'cpm' as const, currency: CURRENCY, floor_price: 40 },
        ...{ max_bid: true, price_guidance: { p50: 52.55 } },
      },
      { pricing_option_id: 'bid', pricing_model: 'cpm' as const, currency: CURRENCY, floor_price: 30 },
    ],
  },
  {
    ...productDocument('sommar', { ...GUARANTEED, cancellation_policy: POLICY }, CAPACITY),
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: CURRENCY, fixed_price: 95.5 }],
  },
  {
    ...productDocument('klick', { format_ids: [] }, CAPACITY),
    pricing_options: [{ pricing_option_id: 'cpc', pricing_model: 'cpc' as const, currency: CURRENCY, fixed_price: 6.35 }],
  },
  {
    ...productDocument('sajten', GUARANTEED, CAPACITY),
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm' as const, currency: CURRENCY, fixed_price: 70 }],
  },
]

/** What nobody pays beyond what the story says: of February half is paid, of March nothing. */
const UNPAID = new Set(['2026-02-0002', '2026-03-0002', '2026-07-0002'])

/** Parties by the names that the story has for them. */
const PARTIES = {
  bryggan: { name: 'Nordbryggan AB', country: 'SE', vat_id: 'SE556000000101' },
  sohn: { name: 'Söhne & Partner GmbH', country: 'DE', vat_id: 'DE123456789' },
  kaffe: { name: 'Nordic Coffee AB', country: 'SE', vat_id: 'SE556000000201' },
  byra: { name: 'Media Nord AB', country: 'SE', vat_id: 'SE556000000301' },
  volta: { name: 'Volta AB', country: 'SE', vat_id: 'SE556000000401' },
} as const satisfies Readonly<Record<string, Omit<PartyFact, 'party'>>>
const ADDRESSES: Readonly<Record<string, object>> = {
  SE: { street: 'Kungsgatan 2', postal_code: '411 19', city: 'Göteborg' },
  DE: { street: 'Weg 2', postal_code: '10115', city: 'Berlin' },
}

/** Plays 2026 at a publisher in Stockholm on the real server; `say` is told of each month. Throws when the program refuses something of the story. */
export async function playYear(say: (text: string) => void = () => undefined): Promise<YearFacts> {
  const publisher = await startPublisher(PRODUCTS, '2026-01-05T08:00:00.000Z')
  try {
    const story = new Story(publisher, say)
    await story.winter()
    await story.spring()
    await story.summer()
    await story.autumn()
    return await story.read()
  } finally {
    await publisher.stop()
  }
}

class Story {
  readonly #publisher: Publisher
  readonly #say: (text: string) => void
  #accounts: Readonly<Record<'bryggan' | 'sohn', { readonly account: object; readonly party: string }>> | undefined

  constructor(publisher: Publisher, say: (text: string) => void) {
    this.#publisher = publisher
    this.#say = say
  }

  /** A campaign by the thousand, a front page at a flat price over the spring change of the clocks, and an order that was booked elsewhere. */
  async winter(): Promise<void> {
    const { reach, buy, adopt, enter } = this.#publisher
    this.#accounts = { bryggan: await this.#declare('bryggan'), sohn: await this.#declare('sohn') }
    const { bryggan, sohn } = this.#accounts
    await buy(bryggan.account, { starts_at: startOf('2026-01-12'), ends_at: startOf('2026-04-01') }, [
      {
        package: { product_id: 'nyheter', pricing_option_id: 'cpm', budget: 240_000 },
        fact: { name: 'nyheter', model: 'cpm', rate: '83.37', budget: '240000' },
        traffic: { impressions: 30_000 },
      },
    ])
    await enter({ order_id: 'egna', advertiser: 'Sveaposten', party: null }, [
      {
        line: { product_id: 'sajten', priority: 'house', cpm: 0 },
        fact: { name: 'prenumerera', model: 'cpm', rate: '0', starts_at: startOf('2026-02-01'), ends_at: startOf('2027-01-01') },
        traffic: { impressions: 4_000 },
      },
    ])
    const front = await buy(sohn.account, { starts_at: startOf('2026-02-16'), ends_at: startOf('2026-06-01') }, [
      {
        package: { product_id: 'startsida', pricing_option_id: 'flat', budget: 310_000.37, impressions: 2_000_000 },
        fact: { name: 'startsida', model: 'flat_rate', rate: '310000.37', goal: 2_000_000 },
        traffic: { impressions: 15_500 },
        // The site was down.
        dark: ['2026-03-31', '2026-04-01', '2026-04-02'],
      },
    ])
    this.#front = front
    await this.#close('2026-01')
    await reach('2026-02-20T10:00:00.000Z')
    await this.#pay(bryggan.party, '2026-01')
    await this.#close('2026-02')
    await reach('2026-03-10T10:00:00.000Z')
    const flights = {
      spring: { starts_at: startOf('2026-03-01'), ends_at: startOf('2026-09-01') },
      days: { starts_at: startOf('2026-06-01'), ends_at: startOf('2026-08-01') },
    }
    const lineOf = (id: string, { starts_at: startsAt, ends_at: endsAt }: { starts_at: string; ends_at: string }, more: object) =>
      lineThere(id, { orderId: '77', startsAt, endsAt, goal: { unit: 'IMPRESSIONS', units: 5_000_000 }, ...more })
    const volta = { id: '77', name: 'Spring at Volta', advertiser: PARTIES.volta.name, party: this.#direct('volta') }
    this.#volta = await adopt(volta, [
      {
        there: lineOf('1', flights.spring, { rateMicros: 87_370_000 }),
        fact: { name: '1', model: 'cpm', rate: '87.37', ...flights.spring },
        traffic: { impressions: 11_111 },
      },
      {
        there: lineOf('2', flights.days, { costType: 'CPD', rateMicros: 1_234_567_000 }),
        fact: { name: '2', model: 'per_day', rate: '1234.567', ...flights.days },
        traffic: { impressions: 9_000 },
        dark: ['2026-06-06', '2026-07-31'],
      },
    ])
    await this.#terms(this.#volta, 'volta')
    // Half of February is paid and the rest is not.
    await this.#pay(bryggan.party, '2026-02', 0.5)
    await this.#pay(sohn.party, '2026-02')
  }

  #front: { readonly order: string; readonly lines: readonly string[] } = { order: '', lines: [] }
  #volta = ''
  #auction = { order: '' }

  /** An auction with a discount and a commission, late figures of the other ad server, a credit note of an amount. */
  async spring(): Promise<void> {
    const { reach, buy, recount, facts } = this.#publisher
    const { bryggan, sohn } = this.#parties()
    await reach('2026-03-20T10:00:00.000Z')
    this.#auction = await buy(bryggan.account, { starts_at: startOf('2026-04-01'), ends_at: startOf('2026-07-01') }, [
      {
        package: { product_id: 'auktion', pricing_option_id: 'clearing', bid_price: 65, budget: 60_000 },
        fact: {
          ...{ name: 'auktion, clearing price', model: 'cpm', budget: '60000' },
          rate: { floor: '40', median: '52.55', bid: '65', clearing: true },
        },
        // More than its budget pays for: what is shown beyond it costs nothing.
        traffic: { impressions: 13_500 },
      },
      {
        package: { product_id: 'auktion', pricing_option_id: 'bid', bid_price: 47.11, budget: 90_000 },
        fact: {
          ...{ name: 'auktion, first price', model: 'cpm', budget: '90000' },
          rate: { floor: '30', median: '0', bid: '47.11', clearing: false },
        },
        traffic: { impressions: 9_800 },
      },
    ])
    await this.#deduct(this.#auction.order, 500, 1_250)
    await this.#close('2026-03')
    await reach('2026-04-20T10:00:00.000Z')
    await this.#credit(sohn.party, '2026-03', 'amount', 'a day without picture', '1250.75')
    await this.#pay(sohn.party, '2026-03')
    await this.#close('2026-04')
    await reach('2026-05-12T10:00:00.000Z')
    // Late figures of a closed month: more on some days, less on others. They are on the invoice of May.
    const spring = facts.orders.find(({ order }) => order === this.#volta)?.lines[0]?.line ?? ''
    await recount(spring, { first: '2026-04-10', last: '2026-04-14' }, 1.31)
    await recount(spring, { first: '2026-04-20', last: '2026-04-28' }, 0.62)
    // It was another one's money.
    const wrong = await this.#pay(this.#direct('volta'), '2026-04')
    await reach('2026-05-15T10:00:00.000Z')
    await this.#takeBack(wrong, 'it was for another invoice')
    await this.#pay(sohn.party, '2026-04')
    await this.#close('2026-05')
  }

  /** An invoice that is credited as a whole and billed anew, a make-good as a credit, a cancellation with a fee. */
  async summer(): Promise<void> {
    const { reach, buy, act, task, note, ends } = this.#publisher
    const { bryggan, sohn } = this.#parties()
    await reach('2026-06-08T10:00:00.000Z')
    await this.#pay(bryggan.party, '2026-05')
    await this.#credit(bryggan.party, '2026-05', 'all', 'another discount was agreed')
    await this.#deduct(this.#auction.order, 750, 1_250)
    // What fell short of the front page is given back, as the buyer accepts.
    const [line = ''] = this.#front.lines
    const offered = await act(offerCredit, { order: this.#front.order, line, reason: 'too few were shown' })
    await reach('2026-06-11T10:00:00.000Z')
    const ext = { make_good: { make_good_id: offered.make_good_id, decision: 'accept' } }
    await task('update_media_buy', { account: sohn.account, media_buy_id: this.#front.order, ext })
    note({ act: 'make_good', order: this.#front.order, line })
    await reach('2026-06-20T10:00:00.000Z')
    const cancellation = { notice_days: 14, percent_of_rest: '25' }
    const { order } = await buy(bryggan.account, { starts_at: startOf('2026-07-01'), ends_at: startOf('2026-10-01') }, [
      {
        package: { product_id: 'sommar', pricing_option_id: 'cpm', budget: 180_000 },
        fact: { name: 'sommar', model: 'cpm', rate: '95.5', budget: '180000', cancellation },
        traffic: { impressions: 19_000 },
      },
    ])
    await this.#close('2026-06')
    await reach('2026-07-20T09:30:00.000Z')
    ends(order)
    await task('update_media_buy', { account: bryggan.account, media_buy_id: order, canceled: true })
    note({ act: 'cancel', order })
    await this.#close('2026-07')
    await reach('2026-08-14T10:00:00.000Z')
    await this.#pay(bryggan.party, '2026-07')
  }

  /** Clicks with invalid traffic, and an order of the publisher's own people over the autumn change of the clocks that another party pays from November on. */
  async autumn(): Promise<void> {
    const { reach, buy, enter, recount } = this.#publisher
    const { bryggan } = this.#parties()
    await reach('2026-08-25T10:00:00.000Z')
    const clicks = await buy(bryggan.account, { starts_at: startOf('2026-09-01'), ends_at: startOf('2027-01-01') }, [
      {
        package: { product_id: 'klick', pricing_option_id: 'cpc', budget: 150_000 },
        fact: { name: 'klick', model: 'cpc', rate: '6.35', budget: '150000' },
        traffic: { impressions: 21_000, clicks: 4 },
      },
    ])
    await this.#close('2026-08')
    await reach('2026-09-15T10:00:00.000Z')
    const flights = {
      long: { starts_at: startOf('2026-10-01'), ends_at: startOf('2026-12-16') },
      days: { starts_at: startOf('2026-10-15'), ends_at: startOf('2026-11-15') },
    }
    const party = this.#direct('kaffe')
    await enter({ order_id: 'kaffe', advertiser: PARTIES.kaffe.name, party }, [
      {
        line: { product_id: 'sajten', cpm: 72.53, impressions: 1_200_000 },
        fact: { name: 'artiklar', model: 'cpm', rate: '72.53', budget: '87036', goal: 1_200_000, ...flights.long },
        traffic: { impressions: 14_000 },
      },
      {
        line: { product_id: 'sajten', price_model: 'per_day', rate: 4_321.09, impressions: 900_000 },
        fact: { name: 'dagar', model: 'per_day', rate: '4321.09', goal: 900_000, ...flights.days },
        traffic: { impressions: 31_000 },
      },
    ])
    await this.#terms('kaffe', 'kaffe')
    await this.#deduct('kaffe', 333, 0)
    await this.#close('2026-09')
    await reach('2026-10-20T10:00:00.000Z')
    await recount(clicks.lines[0] ?? '', { first: '2026-09-08', last: '2026-09-17' }, 0.41)
    await this.#credit(bryggan.party, '2026-09', 'corrections', 'invalid traffic')
    await this.#charge('kaffe', '1500', 'late files')
    await this.#close('2026-10')
    await reach('2026-11-20T10:00:00.000Z')
    await this.#pay(party, '2026-10')
    await this.#terms('kaffe', 'kaffe', 'byra')
    // What is corrected of October stays with who was invoiced for it.
    await recount('direct:kaffe/artiklar', { first: '2026-10-22', last: '2026-10-27' }, 0.77)
    await this.#close('2026-11')
    await reach('2026-12-18T10:00:00.000Z')
    await this.#pay(this.#payer('byra'), '2026-11', 0.4)
    await this.#close('2026-12')
    await reach('2027-01-20T10:00:00.000Z')
  }

  /** All that was sold, counted, done and written. */
  async read(): Promise<YearFacts> {
    const { act, facts, today } = this.#publisher
    const listed = await allPages(async (cursor) => act(listInvoices, { limit: 200, ...(cursor !== undefined && { cursor }) }))
    const { open } = await act(listInvoices, { limit: 1 })
    const invoices: InvoiceFact[] = []
    for (const { invoice_id: invoice } of listed) {
      const { reads: _reads, reports: _reports, account_details: _details, ...page } = await act(showInvoice, { invoice })
      invoices.push(page)
    }
    invoices.sort((a, b) => (a.invoice_id < b.invoice_id ? -1 : 1))
    return { publisher: PUBLISHER_FACTS, currency: CURRENCY, today: today(), ...facts, invoices, open }
  }

  #parties() {
    if (!this.#accounts) throw new Error('the year begins in winter')
    return this.#accounts
  }

  async #declare(who: 'bryggan' | 'sohn') {
    const { declare, facts } = this.#publisher
    const account = await declare(`${who}.example`, PARTIES[who], ADDRESSES[PARTIES[who].country] ?? {})
    return { account, party: facts.parties.at(-1)?.party ?? '' }
  }

  /** The billing party of an order that was not bought over the protocol. */
  #direct(who: 'kaffe' | 'volta'): string {
    return billingPartyOf(PARTIES[who].name, NO_TERMS)
  }

  /** A party as an order has it as its payer. */
  #payer(who: keyof typeof PARTIES): string {
    return this.#publisher.facts.parties.findLast(({ name }) => name === PARTIES[who].name)?.party ?? ''
  }

  /** Who the advertiser of an order is, and the agency that pays where there is one. */
  async #terms(order: string, advertiser: 'kaffe' | 'volta', agency?: 'byra'): Promise<void> {
    const { act, note, facts } = this.#publisher
    const members = (role: string, { name, country, vat_id }: Omit<PartyFact, 'party'>) =>
      Object.entries({ name, country, vat_id, ...ADDRESSES[country] }).map(([member, value]) => [`${role}_${member}`, value])
    const { billing_party: party } = await act(setOrderTerms, {
      order,
      ...Object.fromEntries(members('advertiser', PARTIES[advertiser])),
      ...(agency && { ...Object.fromEntries(members('agency', PARTIES[agency])), billed_to: 'agency' }),
    })
    facts.parties.push({ ...PARTIES[agency ?? advertiser], party })
    note({ act: 'bill_to', order, party })
  }

  async #deduct(order: string, discount: number, commission: number): Promise<void> {
    const { act, note } = this.#publisher
    await act(setOrderTerms, { order, discount_basis_points: discount, commission_basis_points: commission })
    note({ act: 'terms', order, discount: String(discount / 100), commission: String(commission / 100) })
  }

  async #charge(order: string, amount: string, reason: string): Promise<void> {
    const { act, note } = this.#publisher
    await act(addCharge, { order, amount, reason })
    note({ act: 'charge', order, amount })
  }

  /** Previews a month in the morning of the third day after it, and closes what the preview showed. */
  async #close(month: string): Promise<void> {
    const { reach, act, note } = this.#publisher
    await reach(`${nextMonth(month)}-03T08:00:00.000Z`)
    const { digest, findings } = await act(previewMonth, { month })
    const { invoices } = await act(closeMonth, { month, digest })
    note({ act: 'close', month })
    await this.#payInvoices(monthBefore(month))
    this.#say(`${month}: ${invoices.length} invoices, ${findings.length} findings of the preview`)
  }

  /** Pays what is left of the invoices of a month, but for those that stay open. */
  async #payInvoices(month: string): Promise<void> {
    const { items } = await this.#publisher.act(listInvoices, { month })
    for (const { invoice_id: id, account, open } of items) if (open > 0 && !UNPAID.has(id)) await this.#pay(account, month)
  }

  async #invoiceOf(account: string, month: string) {
    const { items } = await this.#publisher.act(listInvoices, { month, account })
    const found = items.find(({ refers_to: of }) => of === null)
    if (!found) throw new Error(`${account} has no invoice of ${month}`)
    return found
  }

  async #credit(party: string, month: string, what: 'all' | 'corrections', reason: string): Promise<void>
  async #credit(party: string, month: string, what: 'amount', reason: string, amount: string): Promise<void>
  async #credit(
    party: string,
    month: string,
    what: 'all' | 'corrections' | 'amount',
    reason: string,
    amount = '',
  ): Promise<void> {
    const { act, note } = this.#publisher
    const { invoice_id: invoice } = await this.#invoiceOf(party, month)
    await act(creditInvoice, { invoice, what, reason, ...(what === 'amount' && { amount, position: 1 }) })
    note(what === 'amount' ? { act: 'credit', invoice, what, amount } : { act: 'credit', invoice, what })
  }

  /** Pays a share of what is open of the invoice of a month; gives the payment. */
  async #pay(party: string, month: string, share = 1): Promise<{ readonly invoice: string; readonly payment: string }> {
    const { act, note, today } = this.#publisher
    const { invoice_id: invoice, open } = await this.#invoiceOf(party, month)
    const amount = (open * share).toFixed(2)
    const day = today().slice(0, 10)
    const { payment_id: payment } = await act(recordPayment, { invoice, amount, date: day })
    note({ act: 'pay', invoice, amount, day, payment })
    return { invoice, payment }
  }

  async #takeBack({ invoice, payment }: { readonly invoice: string; readonly payment: string }, reason: string): Promise<void> {
    const { act, note } = this.#publisher
    await act(takeBackPayment, { invoice, payment, reason })
    note({ act: 'take_back', payment })
  }
}
