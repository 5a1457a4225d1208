import { randomUUID } from 'node:crypto'
import { monthBefore } from '../../src/domain/billing/billing-lines.ts'
import { INVOICE_FORMS } from '../../src/operator/billing/invoice-file.ts'
import { storePath } from '../../src/store/open.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import type { ConsoleClient } from '../../test/support/console-client.ts'
import { sellMonths } from '../billing/seed.ts'
import type { MeasuredAgent } from './agent.ts'
import { ACCOUNT, type HostileInput } from './hostile.ts'
import { type Ask, callOf, send } from './stall.ts'

/** Lines of the largest invoices: one account that bought thousands of packages. */
const LINES = 5_000
const ADDRESS = { street: '1 Main Street', postal_code: '10115', city: 'Berlin', country: 'DE' }
const SELLER = { legal_name: 'Demo Media', vat_id: 'DE123456789', ...ADDRESS }
const BUYER = { legal_name: 'Acme Outdoor', vat_id: 'DE987654321', address: ADDRESS }

/**
 * One account that bought thousands of packages: closing a month of it, its preview, and every form in which the invoice is read. Needs the one order of the publisher; `rounds`: how often a month can be closed. Throws
 * when one of them is refused.
 */
export async function largeInvoices(
  { port, adminKey, tenant, data, key }: MeasuredAgent,
  person: ConsoleClient,
  rounds: number,
): Promise<readonly HostileInput[]> {
  const admin = (path: string, document?: object): Ask => ({
    path: `/admin/v1/billing/${path}`,
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    ...(document && { method: 'POST', body: JSON.stringify(document) }),
  })
  const done = async (ask: Ask): Promise<string> => {
    const { status, body } = await send(port, ask)
    if (status >= 400) throw new Error(`${ask.path}: ${body.slice(0, 1_000)}`)
    return body
  }
  const close = (month: string | undefined) => admin(`months/${month}/close`, {})
  await done({ ...admin('details', SELLER), method: 'PATCH' })
  const accounts = [{ ...ACCOUNT, billing: 'operator', billing_entity: BUYER }]
  await done(callOf(key, 'sync_accounts', { idempotency_key: randomUUID(), accounts }))
  // Each order delivers in two months: the first has half of the lines, and the last is previewed.
  const months = monthsBefore(new Date(), rounds + 3)
  const store = await openSqlite(storePath(data))
  await sellMonths(store, tenant, { orders: (LINES / 2) * months.length, accounts: 1, months })
  await store.close()
  const [first, second, ...others] = months
  await done(close(first))
  await done(close(second))
  const { items } = JSON.parse(await done(admin(`invoices?month=${second}`)))
  const [{ invoice_id: id, account }] = items
  const page = (path: string): Ask => ({
    path: `/console/t/${tenant}/billing${path}`,
    headers: { cookie: person.cookie ?? '' },
  })
  const credit = (what: object) => admin(`invoices/${id}/credit`, { reason: 'agreed', ...what })
  const next = `months/${others[0]}`
  const questions: Readonly<Record<string, Ask>> = {
    preview: admin(`${next}/preview`),
    'first lines of the preview': admin(`${next}/preview/lines?limit=500`),
    'page of the preview': page(`/close?month=${others[0]}`),
    'page of its lines': page(`/close/lines?month=${others[0]}`),
    'page of invoices': page(''),
    answer: admin(`invoices/${id}`),
    page: page(`/${id}`),
    ...Object.fromEntries(INVOICE_FORMS.map((form) => [form, admin(`invoices/${id}/file?format=${form}`)])),
    'page as pdf': page(`/${id}/pdf`),
    'against reports': admin(`reconciliation/${account}/${second}`),
    'page against reports': page(`/reconciliation/${account}/${second}`),
    'credit of an amount': credit({ what: 'amount', amount: '0.01', position: 1 }),
  }
  for (const ask of Object.values(questions)) await done(ask)
  return [
    ...Object.entries(questions).map(([title, ask]) => ({ title: `invoice of 5,000 lines: ${title}`, ask: () => ask })),
    { title: 'invoice of 5,000 lines: close of its month', ask: (round) => close(others[round]) },
  ]
}

function monthsBefore(now: Date, count: number): readonly string[] {
  const months = [monthBefore(now.toISOString().slice(0, 7))]
  while (months.length < count) months.unshift(monthBefore(months[0] ?? ''))
  return months
}
