import { AGES, type AgedBook, agedBooks, mostOpenFirst } from '../../domain/billing/ageing.ts'
import { countryOf, type InvoiceParty, partyOfEntity } from '../../domain/billing/invoice-party.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { groupBy } from '../../domain/group-by.ts'
import { microsToAmount } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { settlementFacts } from '../../store/billing/invoice-payments.ts'
import { lastBilledAccount } from '../../store/billing/invoices.ts'
import type { Db } from '../../store/database.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { csvText } from '../csv-text.ts'
import { DEFAULT_PAGE, day, flag, paged } from '../fields.ts'
import { publisherDay } from '../publisher-day.ts'
import { READERS } from '../roles.ts'
import { about, integer, list, listOf, named, number, type Of, object, orNull, pageMembers, string } from '../shape.ts'
import { table } from '../text-table.ts'
import { namePayers } from './name-billed.ts'

const ages = {
  not_due: about('due on that day or later', number),
  days_1_30: about('was due 1 to 30 days before', number),
  days_31_60: number,
  days_61_90: number,
  over_90: number,
  open: about('all of them, with tax', number),
  credit: about('paid or credited beyond what invoices ask for: it settles the next ones', number),
  balance: about('what is open less the credit, which is what is receivable', number),
}

const agedShape = named(
  'AgedItems',
  about(
    'What a customer has open in a currency, by how long ago it was due.',
    object({
      account: about('the account, or who pays for orders without one', string),
      account_name: orNull(string),
      vat_id: about('as the last invoice has it', orNull(string)),
      country: about('the same, ISO 3166-1', orNull(string)),
      currency: about('ISO 4217', string),
      invoices: about('of which something is open', integer),
      ...ages,
    }),
  ),
)
export type AgedItems = Of<typeof agedShape>

const totalsShape = object({ currency: string, invoices: integer, ...ages })
const answer = object({
  on: about('YYYY-MM-DD', string),
  ...pageMembers(agedShape),
  totals: about('of all customers that are asked for', listOf(totalsShape)),
})

/** Throws INVALID_REQUEST for a day to come. */
export const showAgeing = defineAct({
  name: 'billing.ageing',
  route: 'GET /billing/ageing',
  id: 'showAgeing',
  roles: READERS,
  summary: 'Open items by customer and currency, by how many days ago they were due, on a day; who has most open first.',
  fields: {
    on: day('the day, YYYY-MM-DD, of the publisher and not to come; default: today'),
    account: OF_ACCOUNT,
    all: flag('every customer that was invoiced or paid, also those with nothing open and no credit'),
    ...paged('customers'),
  },
  answer,
  command: { text: ageingLines, csv: ({ items }) => ageingCsv(items), allPages: true },
  async run(context, { on, account: accountId, all = false, cursor, limit = DEFAULT_PAGE }) {
    const { store, tenantId } = context
    const today = await dayUpTo(store.read, context, on)
    const books = agedBooks(await settlementFacts(store.read, tenantId, accountId), today, all)
    const bound = ['ageing', tenantId, today, accountId, all]
    const [currency = '', open = '', ...account] = decodeCursor(bound, cursor, 'cursor')?.split(' ') ?? []
    const after = { currency, openMicros: Number(open), accountId: account.join(' ') }
    const rest = cursor === undefined ? books : books.filter((book) => mostOpenFirst(book, after) > 0)
    const shown = rest.slice(0, limit)
    const last = rest.length > limit ? shown.at(-1) : undefined
    const names = await namePayers(
      context,
      tenantId,
      shown.map((book) => book.accountId),
    )
    const parties = await billedParties(store.read, tenantId, shown)
    const items = shown.map((book): AgedItems => {
      const { accountId: id, currency: of, invoices } = book
      const who = { account: id, account_name: names.get(id) ?? null, ...presentParty(parties.get(id)) }
      return { ...who, currency: of, invoices, ...presentAges([book]) }
    })
    return {
      on: today,
      ...list(items, last ? encodeCursor(bound, `${last.currency} ${last.openMicros} ${last.accountId}`) : null),
      totals: [...groupBy(books, (book) => book.currency)].map(([of, own]) => ({
        currency: of,
        invoices: own.reduce((all, { invoices }) => all + invoices, 0),
        ...presentAges(own),
      })),
    }
  },
})

function presentAges(books: readonly AgedBook[]) {
  const sum = (of: (book: AgedBook) => number) => microsToAmount(books.reduce((all, book) => all + of(book), 0))
  const [not_due, days_1_30, days_31_60, days_61_90, over_90] = AGES.map((age) => sum((book) => book.open[age]))
  return {
    ...{ not_due: not_due ?? 0, days_1_30: days_1_30 ?? 0, days_31_60: days_31_60 ?? 0, days_61_90: days_61_90 ?? 0 },
    ...{ over_90: over_90 ?? 0, open: sum((book) => book.openMicros), credit: sum((book) => book.creditMicros) },
    balance: sum((book) => book.openMicros - book.creditMicros),
  }
}

/** Customers as their last invoices have them, by id. */
async function billedParties(db: Db, tenantId: string, books: readonly AgedBook[]): Promise<ReadonlyMap<string, InvoiceParty>> {
  const found = new Map<string, InvoiceParty>()
  for (const accountId of new Set(books.map((book) => book.accountId))) {
    const party = partyOfEntity((await lastBilledAccount(db, tenantId, accountId))?.billing_entity)
    if (party) found.set(accountId, party)
  }
  return found
}

function presentParty(party: InvoiceParty | undefined): Pick<AgedItems, 'vat_id' | 'country'> {
  return { vat_id: party?.vatId ?? null, country: (party && countryOf(party)) ?? null }
}

async function dayUpTo(db: Db, context: ActContext, on: string | undefined): Promise<string> {
  const today = await publisherDay(db, context)
  if (on === undefined || on <= today) return on ?? today
  throw new AdcpError('INVALID_REQUEST', `on must be a day up to today, ${today}: ${on} is to come`, { field: 'on' })
}

const AGE_TITLES = ['Not due', '1–30 days', '31–60 days', '61–90 days', 'Over 90 days', 'Open', 'Credit', 'Balance'] as const

/** The amounts of a row, in the order of their titles. */
export function agedAmounts(row: Of<typeof totalsShape>): readonly (readonly [title: string, amount: number])[] {
  const { not_due, days_1_30, days_31_60, days_61_90, over_90, open, credit, balance } = row
  const amounts = [not_due, days_1_30, days_31_60, days_61_90, over_90, open, credit, balance]
  return AGE_TITLES.map((title, index) => [title, amounts[index] ?? 0] as const)
}

/** Open items as CSV, a row a customer and currency. */
export function ageingCsv(items: readonly AgedItems[]): string {
  const columns = [
    ...[
      'account',
      'name',
      'vat_id',
      'country',
      'currency',
      'invoices',
      'not_due',
      'days_1_30',
      'days_31_60',
      'days_61_90',
      'over_90',
    ],
    ...['open', 'credit', 'balance'],
  ]
  return csvText(
    columns,
    items.map((item) => [
      item.account,
      item.account_name ?? '',
      item.vat_id ?? '',
      item.country ?? '',
      item.currency,
      item.invoices,
      ...agedAmounts(item).map(([, each]) => each),
    ]),
  )
}

/** Of the whole answer: the type of an act is inferred from it too. */
function ageingLines({ on, items, totals }: Of<typeof answer>): readonly string[] {
  const cells = (row: Of<typeof totalsShape>) => agedAmounts(row).map(([, amount]) => amountText(amount, row.currency))
  const rows = [
    ...items.map((item) => [
      item.account_name ?? item.account,
      item.vat_id ?? '',
      item.currency,
      String(item.invoices),
      ...cells(item),
    ]),
    ...totals.map((sum) => ['all', '', sum.currency, String(sum.invoices), ...cells(sum)]),
  ]
  return [
    `open items on ${on}`,
    '',
    ...table(['CUSTOMER', 'VAT NUMBER', 'CURRENCY', 'INVOICES', ...AGE_TITLES.map((title) => title.toUpperCase())], rows),
  ]
}
