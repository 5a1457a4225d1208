import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, type RootOperationNode } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listPendingAccounts } from '../../src/store/account/tenant-accounts.ts'
import { driftOf } from '../../src/store/ad-serving/ad-server-drift.ts'
import { readSums, sumsInParts } from '../../src/store/ad-serving/read-sums.ts'
import { countOpenDecisions } from '../../src/store/approval/count-open-decisions.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { readBacklog } from '../../src/store/backlog.ts'
import { listClaims } from '../../src/store/billing/claims.ts'
import { listCreditNotes } from '../../src/store/billing/credit-notes.ts'
import { billedServices } from '../../src/store/billing/invoice-services.ts'
import { listInvoicesOfMonth } from '../../src/store/billing/invoices.ts'
import { unbilledPackages } from '../../src/store/billing/unbilled-packages.ts'
import { findCreative, listCreativesInStatus } from '../../src/store/creative/creatives.ts'
import type { Db, Store } from '../../src/store/database.ts'
import { listEmbeddedCreatives } from '../../src/store/embedded/creatives.ts'
import { listEmbeddedLines } from '../../src/store/embedded/orders.ts'
import { embeddedReportMarks } from '../../src/store/embedded/reports.ts'
import { sumConversions } from '../../src/store/event/conversion-sums.ts'
import { listTenantOrders, scanTenantOrders } from '../../src/store/media-buy/order-list.ts'
import { listOwnProducts } from '../../src/store/product/product-list.ts'
import { listGrantsWithChanges } from '../../src/store/rights/rights-grants.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { listTasks } from '../../src/store/task/list-tasks.ts'
import { listDeliveries, listDeliveriesOfOrder, sweepOutbox } from '../../src/store/webhook/outbox.ts'
import { leaseDue } from '../../src/store/webhook/outbox-leases.ts'
import { firstPending } from '../../src/store/webhook/outbox-order.ts'
import { findOverdrawn, giveUpOldest, giveUpStale } from '../../src/store/webhook/outbox-results.ts'

const folder = mkdtempSync(join(tmpdir(), 'plans-'))
const order = { tenantId: 'acme', mediaBuyId: 'mb_1', adServer: 'embedded' }
let store: Store

beforeAll(async () => {
  store = await openSqlite(join(folder, 'a.db'))
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** How SQLite finds the rows of each statement that a read executes. */
async function plansOf(read: (db: Db) => Promise<unknown>): Promise<string[]> {
  const nodes: RootOperationNode[] = []
  const recording = store.read.withPlugin({
    transformQuery: ({ node }) => {
      nodes.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await read(recording)
  const plans = nodes.map(async (node) => {
    const { sql, parameters } = store.read.getExecutor().compileQuery(node, { queryId: 'plan' })
    const { rows } = await store.read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    )
    return rows.map(({ detail }) => detail)
  })
  return (await Promise.all(plans)).flat()
}

describe('a list of one state reads the rows of that state alone, in their order', () => {
  const page = { sort: 'created_at', descending: true, after: undefined, limit: 51 } as const
  const now = new Date('2026-03-01T12:00:00Z')
  const lists: readonly [name: string, read: (db: Db) => Promise<unknown>, index: string][] = [
    [
      'creatives',
      (db) => listCreativesInStatus(db, 'acme', 'approved', { limit: 51 }),
      'creatives_in_status (tenant_id=? AND status=?)',
    ],
    [
      'webhooks',
      (db) => listDeliveries(db, 'acme', { state: 'dead', limit: 51 }),
      'webhook_outbox_in_state (tenant_id=? AND state=?)',
    ],
    [
      'acts of one kind',
      (db) => listAudit(db, 'acme', { task: 'orders.pause', limit: 51 }),
      'audit_log_task (tenant_id=? AND task=?)',
    ],
    [
      'refusals',
      (db) => listAudit(db, 'acme', { outcome: 'CONFLICT', limit: 51 }),
      'audit_log_outcome (tenant_id=? AND outcome=?)',
    ],
    ['accounts', (db) => listPendingAccounts(db, 'acme', 51), 'accounts_pending (tenant_id=?)'],
    ['grants', (db) => listGrantsWithChanges(db, 'acme', 51), 'rights_grants_pending (tenant_id=?)'],
    [
      'canceled orders',
      (db) => listTenantOrders(db, 'acme', { statuses: ['canceled'], now }, page),
      'media_buys_decided (tenant_id=? AND decision=?)',
    ],
  ]
  it.each(lists)('%s', async (_name, read, index) => {
    const [plan, ...others] = await plansOf(read)
    expect(plan).toContain(index)
    expect(others.filter((each) => each.includes('SCAN') || each === 'USE TEMP B-TREE FOR ORDER BY')).toEqual([])
  })

  it.each([
    ['of all states', {}, 'webhook_outbox_listed (tenant_id=?)'],
    [
      'behind a cursor',
      { after: { createdAt: '2026', deliveryId: 'whd_1' } },
      'webhook_outbox_listed (tenant_id=? AND (created_at,delivery_id)<(?,?))',
    ],
    ['in a state', { state: 'dead' }, 'webhook_outbox_in_state (tenant_id=? AND state=?)'],
  ] as const)('webhooks %s, those of one moment too', async (_name, filter, terms) => {
    const plans = await plansOf((db) => listDeliveries(db, 'acme', { ...filter, limit: 51 }))
    expect(plans[0]).toContain(terms)
    expect(plans.filter((plan) => plan.includes('B-TREE'))).toEqual([])
  })

  it('webhooks of an order', async () => {
    const [endpoints, deliveries] = await plansOf((db) => listDeliveriesOfOrder(db, 'acme', 'mb_1', 20))
    expect(endpoints).toContain('(tenant_id=? AND media_buy_id=?)')
    expect(deliveries).toContain('COVERING INDEX webhook_outbox_of_endpoint (endpoint_id=?)')
  })

  it.each(['created_at', 'budget_micros'] as const)('running orders by %s', async (sort) => {
    const plans = await plansOf((db) => listTenantOrders(db, 'acme', { statuses: ['active'], now }, { ...page, sort }))
    expect(plans.filter((plan) => plan.includes('created_at'))).toEqual([])
    expect(plans.join()).toContain('(tenant_id=? AND ends_at>?)')
  })

  it('open decisions are counted in indexes', async () => {
    const plans = (await plansOf((db) => countOpenDecisions(db, 'acme'))).filter((plan) => plan.includes('SEARCH'))
    expect(plans).toHaveLength(6)
    expect(plans.filter((plan) => !plan.includes('tenant_id=?'))).toEqual([])
    expect(plans.filter((plan) => /status=|state=|accounts_pending|rights_grants_pending/.test(plan))).toHaveLength(6)
  })
})

describe('webhooks that wait', () => {
  const found = {
    now: new Date('2026-03-01T12:00:00Z'),
    leaseMs: 1,
    room: () => 8,
    full: [],
    roomOfBuyer: () => 24,
    fullBuyers: [],
  }
  const due = (db: Db) => leaseDue({ ...store, read: db }, { ...found, limit: 8, from: '' })

  it('are looked for endpoint by endpoint in the index of those that may be sent', async () => {
    const searches = (await plansOf(due)).filter((plan) => plan.includes(' o '))
    expect(searches).toEqual([
      expect.stringContaining('SEARCH o USING COVERING INDEX webhook_outbox_heads (endpoint_key>?)'),
      expect.stringContaining('SEARCH o USING COVERING INDEX webhook_outbox_heads (endpoint_key>?)'),
      expect.stringContaining('SEARCH o USING COVERING INDEX webhook_outbox_heads (endpoint_key=?)'),
    ])
  })

  it.each([
    ['the first of an ordering key', (db: Db) => firstPending(db, 'k'), 'webhook_outbox_lane (ordering_key=?)'],
    [
      'the next buyer with any',
      (db: Db) => findOverdrawn(db),
      'SEARCH webhook_outbox USING COVERING INDEX webhook_outbox_waiting ((tenant_id,principal_id)>(?,?))',
    ],
    [
      'the oldest of a buyer',
      (db: Db) => giveUpOldest(db, { tenantId: 'acme', principalId: 'buyer' }, 9, found.now),
      'webhook_outbox_waiting (tenant_id=? AND principal_id=?)',
    ],
    ['stale ones', (db: Db) => giveUpStale(db, found.now, 1), 'webhook_outbox_stale (endpoint_key=? AND created_at<?)'],
    [
      'those that came to an end',
      (db: Db) => sweepOutbox(db, 'dead', found.now, 9),
      'webhook_outbox_settled (state=? AND settled_at<?)',
    ],
  ])('%s', async (_name, read, index) => {
    const plans = await plansOf(read)
    expect(plans.join('\n')).toContain(index)
    expect(plans.filter((plan) => plan.includes('TEMP B-TREE') || /SCAN (webhook_outbox|o)$/.test(plan))).toEqual([])
  })

  it('are counted in indexes', async () => {
    const plans = (await plansOf((db) => readBacklog(db, found.now))).filter((plan) => /outbox|\bo\b/.test(plan))
    expect(plans.length).toBeGreaterThanOrEqual(3)
    expect(plans.filter((plan) => !plan.includes('COVERING INDEX'))).toEqual([])
  })
})

describe('a search in the list of orders', () => {
  it.each(['created_at', 'ends_at', 'budget_micros'] as const)('looks through one stretch of the index by %s', async (sort) => {
    const page = { sort, descending: true, after: { value: '2026', mediaBuyId: 'mb_1' }, limit: 51 }
    const filter = { words: ['nothing'], statuses: ['completed' as const], product: 'news', now: new Date() }
    const plans = await plansOf((db) => scanTenantOrders(db, 'acme', filter, page))
    const scans = plans.filter((plan) => plan.includes('media_buys'))
    const index = `COVERING INDEX media_buys_list_${sort} (tenant_id=? AND (${sort},media_buy_id)<(?,?))`
    const searches = scans.filter((plan) => plan.startsWith('SEARCH media_buys'))
    expect(searches.length).toBeGreaterThan(0)
    expect(searches.filter((plan) => !plan.includes(index))).toEqual([])
    expect(plans.filter((plan) => plan.includes('B-TREE'))).toEqual([])
  })
})

describe('a list of tasks', () => {
  it.each([
    ['of all', {}],
    ['filtered', { statuses: ['failed' as const], hasWebhook: true, updatedAfter: '2026', accountId: 'a' }],
    ['searched', { contains: 'mb_1' }],
  ])('%s reads no document but of those it shows', async (_name, query) => {
    const owner = { tenantId: 'acme', principalId: 'buyer' }
    const sort = { field: 'updated_at', direction: 'desc' } as const
    const plans = await plansOf((db) => listTasks(db, owner, query, sort, { after: undefined, limit: 50 }))
    const [end, part, ...others] = plans.filter((plan) => plan.includes('SEARCH'))
    expect(end).toContain('SEARCH tasks USING COVERING INDEX')
    expect(part).toContain('SEARCH tasks USING COVERING INDEX tasks_listed (tenant_id=? AND principal_id=?')
    expect(others.filter((plan) => plan.includes('SEARCH tasks ') && !plan.includes('task_id=?'))).toEqual([])
    expect(plans.filter((plan) => plan.includes('B-TREE'))).toEqual([])
  })
})

describe('a search in the list of products', () => {
  it('looks through one stretch of the index after another', async () => {
    const page = { words: ['nothing'], after: { position: 7, productId: 'news' }, limit: 51 }
    const plans = await plansOf((db) => listOwnProducts(db, 'acme', page))
    const searches = plans.filter((plan) => plan.startsWith('SEARCH products'))
    expect(searches.length).toBeGreaterThan(0)
    expect(searches.filter((plan) => !plan.includes('products_in_order (tenant_id=? AND owner=? AND position>?)'))).toEqual([])
    expect(plans.filter((plan) => plan.includes('B-TREE'))).toEqual([])
  })
})

it('reports read the ledger in the order of its days', async () => {
  const query = { by: ['package', 'day'], first: '2026-03-01', last: '2026-03-31' } as const
  const plans = await plansOf(async (db) => {
    for await (const _part of sumsInParts(db, 'acme', query));
    await readSums(db, 'acme', query, {
      from: { day: '2026-03-01', packageId: 'p' },
      until: { day: '2026-03-09', packageId: 'q' },
    })
  })
  const ledger = plans.filter((plan) => /(delivery_days|\bd) USING/.test(plan))
  expect(ledger.length).toBeGreaterThanOrEqual(5)
  expect(ledger.filter((plan) => !plan.includes('delivery_days_by_day (tenant_id=?'))).toEqual([])
})

describe('what closes a month reads that month alone', () => {
  it('what differs from what was billed', async () => {
    const plans = await plansOf((db) => unbilledPackages(db, 'acme', '2026-03'))
    const searches = plans.filter((plan) => /delivery_days|invoice_lines/.test(plan))
    const [places, sums, ...billed] = [...new Set(searches)]
    expect(places).toContain('COVERING INDEX delivery_days_by_day (tenant_id=? AND day=? AND package_id>?)')
    expect(sums).toContain('delivery_days_by_day (tenant_id=? AND day=? AND package_id>?)')
    expect(billed).toEqual([
      expect.stringContaining('invoice_lines_of_months (tenant_id=? AND service_month=? AND package_id>?)'),
    ])
  })
  it('what was billed of packages', async () => {
    const [plan] = await plansOf((db) => billedServices(db, 'acme', '2026-03', ['p1', 'p2']))
    expect(plan).toContain('invoice_lines_of_months (tenant_id=? AND service_month=? AND package_id=?)')
  })
  it.each([
    ['the invoices of an account', (db: Db) => listClaims(db, 'acme', 'a1'), 'tenant_id=? AND account_id=?'],
    ['the invoices of a month', (db: Db) => listInvoicesOfMonth(db, 'acme', '2026-03'), 'tenant_id=? AND month=?'],
    ['the credit notes of an invoice', (db: Db) => listCreditNotes(db, 'acme', '1'), 'tenant_id=? AND refers_to=?'],
  ] as const)('%s', async (_name, read, terms) => {
    const [plan] = await plansOf(read)
    expect(plan).toContain(`(${terms})`)
  })
})

describe('a lookup by id reads the rows of that id alone', () => {
  const lookups: readonly [name: string, read: (db: Db) => Promise<unknown>, terms: string][] = [
    ['lines of an order', (db) => listEmbeddedLines(db, 'acme', 'o1'), 'tenant_id=? AND order_id=?'],
    ['creatives of an order', (db) => listEmbeddedCreatives(db, 'acme', 'o1'), 'tenant_id=? AND order_id=?'],
    [
      'a creative',
      (db) => findCreative(db, { tenantId: 'acme', principalId: 'buyer', accountId: undefined }, 'c1'),
      'tenant_id=? AND principal_id=? AND creative_id=?',
    ],
    ['drift of an order', (db) => driftOf(db, order, 'open'), 'tenant_id=? AND media_buy_id=? AND ad_server=? AND state=?'],
  ]
  it.each(lookups)('%s', async (_name, read, terms) => {
    expect(await plansOf(read)).toEqual([expect.stringContaining(`(${terms})`)])
  })

  it('conversions of a media buy, part by part', async () => {
    const [place, sums] = await plansOf((db) => sumConversions(db, 'acme', 'mb_1'))
    expect(place).toContain('COVERING INDEX conversions_of_media_buy (tenant_id=? AND media_buy_id=?)')
    expect(sums).toContain('conversions_of_media_buy (tenant_id=? AND media_buy_id=?)')
  })

  it('marks of what orders delivered', async () => {
    const marks = (anchors: readonly string[] | undefined) => (db: Db) =>
      embeddedReportMarks(db, 'acme', { anchors, endedBefore: new Date('2026-03-01T00:00:00Z') })
    const [first, ...others] = await plansOf(marks(['mb_1', 'mb_2']))
    expect(first).toContain('(tenant_id=? AND anchor=?)')
    expect(others.slice(0, 2)).toEqual([expect.stringContaining('USING'), expect.stringContaining('USING')])
    for (const step of await plansOf(marks(undefined))) expect(step).not.toMatch(/^SCAN/)
  })
})
