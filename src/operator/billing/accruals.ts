import { type BilledService, daysOfMonth, nextMonth, serviceKey } from '../../domain/billing/billing-lines.ts'
import { chargedOf } from '../../domain/billing/invoice-document.ts'
import { localMonth, startOfLocalDay } from '../../domain/calendar/local-time.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { groupBy } from '../../domain/group-by.ts'
import { microsToAmount } from '../../domain/money.ts'
import { NO_TERMS } from '../../domain/order/order-terms.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { deliveryZone } from '../../store/ad-serving/delivery-sums.ts'
import { listCharges } from '../../store/billing/charges.ts'
import { closedMonths } from '../../store/billing/invoices.ts'
import { findOrderTerms } from '../../store/order/order-terms.ts'
import { OF_ACCOUNT } from '../accounts/list-accounts.ts'
import { type ActContext, defineAct } from '../act.ts'
import { amountText } from '../amount.ts'
import { csvText } from '../csv-text.ts'
import { DEFAULT_PAGE, month, paged } from '../fields.ts'
import { READERS } from '../roles.ts'
import { about, boolean, list, listOf, named, number, type Of, object, orNull, pageMembers, string } from '../shape.ts'
import { table } from '../text-table.ts'
import { percentsOf } from './billed-orders.ts'
import { billedTerms } from './billed-terms.ts'
import { dueServices } from './due-services.ts'
import { namePayers } from './name-billed.ts'
import { nextToClose } from './prepare-month.ts'

const amounts = {
  delivered: about('what was delivered and is on no invoice, before discount and commission', number),
  net: about('the same after discount and commission, without tax', number),
  charges: about('fees and credits beside it that are on no invoice', number),
  accrued: about('net and charges', number),
}

const accrualShape = named(
  'Accrual',
  about(
    'What a customer was delivered or charged in a month and is not invoiced for.',
    object({
      month: about('of service, YYYY-MM', string),
      is_closed: about('the month is closed: it is a correction, or was credited to be billed anew', boolean),
      account: about('the account, or who pays for orders without one', string),
      account_name: orNull(string),
      currency: about('ISO 4217', string),
      ...amounts,
    }),
  ),
)
export type Accrual = Of<typeof accrualShape>

const sumShape = object({ currency: string, ...amounts })
const answer = object({
  through: about('the last month that is looked at, YYYY-MM', string),
  ...pageMembers(accrualShape),
  totals: about('of all customers and months that are asked for', listOf(sumShape)),
})

/** Throws INVALID_REQUEST for a month to come, SERVICE_UNAVAILABLE when an ad server does not report. */
export const showAccruals = defineAct({
  name: 'billing.accruals',
  route: 'GET /billing/accruals',
  id: 'showAccruals',
  roles: READERS,
  summary:
    'What was delivered or charged and is on no invoice yet, by month of service, customer and currency: what closing these months would invoice now.',
  fields: {
    through: month('the last month, YYYY-MM; default: the one that runs'),
    account: OF_ACCOUNT,
    ...paged('customers and months'),
  },
  answer,
  command: { text: accrualLines, csv: ({ items }) => accrualCsv(items), allPages: true },
  async run(context, { through: asked, account, cursor, limit = DEFAULT_PAGE }) {
    const { store, tenantId } = context
    const zone = await deliveryZone(store.read, tenantId)
    const thisMonth = localMonth(context.clock(), zone)
    const through = asked ?? thisMonth
    if (through > thisMonth)
      throw new AdcpError('INVALID_REQUEST', `through must be a month up to the one that runs, ${thisMonth}`, {
        field: 'through',
      })
    const closed = (await closedMonths(store.read, tenantId)).map((each) => each.month)
    const owed = await owedParts(context, { closed, first: closed[0] ?? nextToClose([], thisMonth).month, last: through, zone })
    const own = account === undefined ? owed : owed.filter(({ accountId }) => accountId === account)
    const rows = [...groupBy(own, keyOf)].sort(([a], [b]) => (a < b ? -1 : 1))
    const bound = ['accruals', tenantId, through, account]
    const after = decodeCursor(bound, cursor, 'cursor') ?? ''
    const rest = rows.filter(([key]) => key > after)
    const shown = rest.slice(0, limit)
    const last = rest.length > limit ? shown.at(-1)?.[0] : undefined
    const names = await namePayers(
      context,
      tenantId,
      shown.flatMap(([, [first]]) => first?.accountId ?? []),
    )
    const items = shown.flatMap(([, parts]): Accrual[] => {
      const [first] = parts
      if (!first) return []
      const { serviceMonth, accountId, currency } = first
      const who = { account: accountId, account_name: names.get(accountId) ?? null, currency }
      return [{ month: serviceMonth, is_closed: closed.includes(serviceMonth), ...who, ...sumsOf(parts) }]
    })
    return {
      through,
      ...list(items, last === undefined ? null : encodeCursor(bound, last)),
      totals: [...groupBy(own, ({ currency }) => currency)]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([currency, parts]) => ({ currency, ...sumsOf(parts) })),
    }
  },
})

/** A service or a charge that is on no invoice, in micros. */
interface OwedPart {
  readonly accountId: string
  readonly currency: string
  readonly serviceMonth: string
  readonly delivered: number
  readonly net: number
  readonly charges: number
}

function keyOf({ serviceMonth, accountId, currency }: OwedPart): string {
  return [serviceMonth, accountId, currency].join(' ')
}

function sumsOf(parts: readonly OwedPart[]) {
  const sum = (of: (part: OwedPart) => number) => microsToAmount(parts.reduce((all, part) => all + of(part), 0))
  return {
    ...{ delivered: sum(({ delivered }) => delivered), net: sum(({ net }) => net), charges: sum(({ charges }) => charges) },
    accrued: sum(({ net, charges }) => net + charges),
  }
}

/** What closing the months would put on invoices, at the terms at which it would. */
async function owedParts(
  context: ActContext,
  {
    closed,
    first,
    last,
    zone,
  }: { readonly closed: readonly string[]; readonly first: string; readonly last: string; readonly zone: string },
): Promise<readonly OwedPart[]> {
  const { store, tenantId } = context
  const services = await dueServices(context, tenantId, { first, last })
  const corrected = services.filter(({ serviceMonth }) => closed.includes(serviceMonth))
  const billedAt = await billedTerms(store.read, tenantId, corrected)
  const terms = await findOrderTerms(store.read, tenantId, [...new Set(services.map(({ mediaBuyId }) => mediaBuyId))])
  const netOf = (service: BilledService) =>
    chargedOf(service.amountMicros, billedAt.get(serviceKey(service)) ?? percentsOf(terms.get(service.mediaBuyId) ?? NO_TERMS))
  const startOf = (each: string) => startOfLocalDay(daysOfMonth(each).first, zone).toISOString()
  const open = await listCharges(store.read, tenantId, { state: 'open', from: startOf(first), before: startOf(nextMonth(last)) })
  return [
    ...services.map((service) => {
      const { accountId, currency, serviceMonth, amountMicros: delivered } = service
      return { accountId, currency, serviceMonth, delivered, net: netOf(service), charges: 0 }
    }),
    ...open.flatMap(({ accountId, currency, incurredAt, micros }) =>
      accountId === ''
        ? []
        : { accountId, currency, serviceMonth: localMonth(new Date(incurredAt), zone), delivered: 0, net: 0, charges: micros },
    ),
  ]
}

/** Accruals as CSV, a row a month, customer and currency. */
export function accrualCsv(items: readonly Accrual[]): string {
  return csvText(
    ['month', 'is_closed', 'account', 'name', 'currency', 'delivered', 'net', 'charges', 'accrued'],
    items.map(({ month: of, is_closed, account, account_name, currency, delivered, net, charges, accrued }) => [
      ...[of, String(is_closed), account, account_name ?? '', currency],
      ...[delivered, net, charges, accrued],
    ]),
  )
}

/** Of the whole answer: the type of an act is inferred from it too. */
function accrualLines({ through, items, totals }: Of<typeof answer>): readonly string[] {
  const cells = ({ delivered, net, charges, accrued, currency }: Of<typeof sumShape>) =>
    [delivered, net, charges, accrued].map((amount) => amountText(amount, currency))
  const rows = [
    ...items.map((item) => [item.month, item.account_name ?? item.account, item.currency, ...cells(item)]),
    ...totals.map((sum) => ['all', '', sum.currency, ...cells(sum)]),
  ]
  const headings = ['MONTH', 'CUSTOMER', 'CURRENCY', 'BEFORE DISCOUNT', 'NET', 'CHARGES', 'ACCRUED']
  return [`delivered or charged through ${through} and on no invoice, without tax`, '', ...table(headings, rows)]
}
