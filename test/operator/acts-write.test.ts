import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { ACTS } from '../../src/operator/acts.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { insertInvoice } from '../../src/store/billing/invoices.ts'
import { beginMirror, finishMirror } from '../../src/store/directory/directory-mirrors.ts'
import { enqueue } from '../../src/store/webhook/outbox.ts'
import { insertEndpoint, type WebhookEndpoint } from '../../src/store/webhook/webhook-endpoints.ts'
import { signedIn } from '../support/console-client.ts'
import { contradicted } from '../support/contradicted-report.ts'
import { banner } from '../support/creative-agent.ts'
import { escalated } from '../support/decisions.ts'
import { sampleInvoice } from '../support/invoice-samples.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { NOT_PLAYED } from '../support/memberless-acts.ts'
import { type ObservedStore, observedStore } from '../support/observed-store.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let observed: ObservedStore
let now = new Date('2026-03-01T12:00:00.000Z')
/** Ids of what the acts work on. */
const ids: Record<string, string> = {}

beforeAll(async () => {
  const products = [productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })]
  agent = await startMediaBuyAgent(products, { clock: () => now, flags: { 'directory.feed': true } })
  observed = observedStore(agent.server.store)
  operator = { ...operatorOn(observed.store, agent.config), clock: () => now }
  ids.order = String((await agent.create()).data.media_buy_id)
  const packages = [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }]
  ids.approval = String((await agent.create({ packages })).data.task_id)
  await agent.run('sync_creatives', { creatives: [banner(agent.url, 'c-1'), banner(agent.url, 'c-2')] })
  for (const name of ['ann', 'ben']) await signedIn(agent, name, 'viewer', agent.tenant)
  await escalated(agent, 'chk_1')
  const reported = { tenantId: agent.tenant, principalId: 'buyer', accountId: 'acc_reported' }
  ids.issue = await contradicted(agent.server.store, reported, now)
  const owner = { tenantId: agent.tenant, principalId: 'buyer' }
  await agent.server.store.transaction(async (tx) => {
    await insertEndpoint(tx, { ...ENDPOINT, ...owner, mediaBuyId: ids.order }, now)
    const event = { taskType: 'create_media_buy', taskId: 'task_1', status: 'completed', at: now } as const
    ids.webhook = await enqueue(tx, { ...ENDPOINT, ...owner, mediaBuyId: ids.order }, event, now)
    await tx.updateTable('webhook_outbox').set({ state: 'dead' }).where('delivery_id', '=', ids.webhook).execute()
    await insertInvoice(tx, agent.tenant, { invoice: INVOICE, lines: [], document: sampleInvoice() })
    await beginMirror(tx, MIRROR, 'one')
    await tx.insertInto('seller_checks').values(CHECK).execute()
    await finishMirror(tx, MIRROR, 'one', { imported_at: now.toISOString(), sync_cursor: null, row_count: 0 })
  })
})
afterAll(() => agent?.stop())

const MIRROR = 'https://directory.example'
const ENDPOINT: Omit<WebhookEndpoint, 'tenantId' | 'principalId' | 'mediaBuyId'> = {
  ...{ endpointId: 'whe_1', kind: 'push', taskId: 'task_1', taskType: 'create_media_buy' },
  ...{ url: 'https://hooks.example/in', query: undefined, loopback: false },
  ...{ scheme: undefined, credentials: undefined, token: undefined, settings: {} },
}
const INVOICE = {
  ...{ invoiceId: '2026-02-0001', month: '2026-02', accountId: 'a', currency: 'EUR', totalMicros: 5_000_000, account: {} },
  ...{ createdAt: '2026-03-01T00:00:00.000Z', payableMicros: 5_000_000 },
}
const CHECK = {
  ...{ period: '2026-02-23', tenant_id: null, started_at: '2026-02-23T00:00:00.000Z', ended_at: '2026-02-23T00:01:00.000Z' },
  ...{ held: '[]', broken: '[]', report: '{"sellers":[]}', signature: 'e30..', public_key: '{}', page: '<!doctype html>' },
}
const SITE = { domain: 'daily.example', agent_url: 'https://agent.example/mcp' }
const creative = (id: string) => ({ buyer: 'buyer', account: ids.account, creative: id })
const DIRECT_ORDER = {
  ...{ order_id: 'spring', name: 'Spring sale', advertiser: 'Brand', currency: 'USD' },
  lines: [
    {
      ...{ line_id: 'line-1', product_id: 'news', priority: 'standard', cpm: 4 },
      ...{ starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-03-09T00:00:00Z' },
      creatives: [
        {
          ...{ creative_id: 'c1', image: { url: 'https://cdn.brand.example/a.png' }, width: 300, height: 250 },
          click_url: 'https://brand.example/',
        },
      ],
    },
  ],
}
const SYNC = { sync_url: 'https://match.example/sync', sync_key: 'a sync key' }
const FORMAT = { item_type: 'individual', asset_id: 'image', asset_type: 'image', required: true }

type Members = Readonly<Record<string, unknown>>
type Answer = Readonly<Record<string, unknown>>

async function run(name: string, members: Members): Promise<Answer> {
  const act = ACTS.find((each) => each.name === name)
  if (!act) throw new Error(`there is no act ${name}`)
  return { ...(await performAs(operator, agent.tenant, act, members)) }
}

/** An act with what it is sent, and the id of its answer under which later acts know it. */
type Step = readonly [act: string, members?: () => Members, answered?: string]

/** Acts that make, end or do something, in an order in which each finds what it is about. */
const CHANGING: readonly Step[] = [
  ['orders.note', () => ({ order: ids.order, note: 'call the agency' })],
  ['billing.add-charge', () => ({ order: ids.order, amount: '5', reason: 'a test' }), 'charge_id'],
  ['billing.take-back-charge', () => ({ charge: ids.charge_id, reason: 'waived' })],
  ['billing.add-charge', () => ({ order: ids.order, amount: '7', reason: 'a test' })],
  ['accounts.payment', () => ({ account: ids.account, amount: '20', currency: 'USD' }), 'payment_id'],
  ['accounts.take-back-payment', () => ({ account: ids.account, payment: ids.payment_id, reason: 'another account' })],
  ['accounts.grant', () => ({ account: ids.account, buyer: 'buyer', tasks: ['get_products'] })],
  ['accounts.revoke', () => ({ account: ids.account, buyer: 'buyer' })],
  ['creatives.preview-link', () => ({ ...creative('c-1'), page: 'https://daily.example/', place: 'top' })],
  ['creatives.purge', () => ({ ...creative('c-2'), hard: true })],
  ['delivery.rebuild'],
  ['buyers.add', () => ({ buyer: 'other', agent_url: SITE.agent_url })],
  ['buyers.add-signing-keys', () => ({ buyer: 'other', jwks_uri: 'https://agent.example/jwks' })],
  ['buyers.remove-signing-keys', () => ({ buyer: 'other' })],
  ['keys.create', () => ({ buyer: 'other' })],
  ['keys.revoke-signing', () => ({ kid: 'key-1' })],
  ['admin-keys.create', () => ({ name: 'one', role: 'viewer' })],
  ['admin-keys.create-for', () => ({ publisher: agent.tenant, name: 'two', role: 'viewer' })],
  ['users.add', () => ({ username: 'robin', buyer: 'buyer' })],
  ['certificates.pin', () => ({ buyer: 'buyer', name: 'dns:agent.example' })],
  ['certificates.unpin', () => ({ name: 'dns:agent.example' })],
  [
    'jwt-issuers.add',
    () => ({ issuer: 'https://issuer.example', audience: 'https://a.example', jwks_uri: 'https://issuer.example/jwks' }),
  ],
  ['jwt-issuers.remove', () => ({ issuer: 'https://issuer.example' })],
  ['oauth.rotate-key'],
  ['people.invite', () => ({ role: 'viewer' })],
  ['people.uninvite', () => ({ invitation: ids.invitation })],
  ['people.invite-everywhere', () => ({ role: 'viewer' })],
  ['notifications.set', () => ({ username: 'ben', channel: 'webhook', address: 'https://93.184.215.14/x', kinds: ['waiting'] })],
  ['notifications.test', () => ({ username: 'ben', channel: 'webhook' })],
  ['notifications.remove', () => ({ username: 'ben', channel: 'webhook' })],
  ['people.remove', () => ({ username: 'ben' })],
  ['changes.subscribe', () => ({ url: 'https://93.184.215.14/changes' }), 'subscriber_id'],
  ['changes.test', () => ({ subscriber: ids.subscriber_id })],
  ['changes.unsubscribe', () => ({ subscriber: ids.subscriber_id })],
  ['privacy.erase', () => ({ identifier_hash: 'ab'.repeat(32) })],
  ['sessions.erase', () => ({ before: now.toISOString() })],
  [
    'trusted-match.add-provider',
    () => ({ provider: 'matcher', endpoint: 'https://match.example', context_match: true, ...SYNC }),
  ],
  ['trusted-match.rotate-key'],
  ['trusted-match.remove-provider', () => ({ provider: 'matcher' })],
  ['trusted-match.add-provider', () => ({ provider: 'another', endpoint: 'https://match.example', context_match: true })],
  ['directory.add', () => ({ domains: [SITE.domain] })],
  ['directory.join'],
  ['directory.subscribe', () => ({ url: 'https://93.184.215.14/feed' }), 'subscriber_id'],
  ['directory.unsubscribe', () => ({ subscriber: ids.subscriber_id })],
  ['directory.remove-mirror', () => ({ source: MIRROR })],
  [
    'formats.import',
    () => ({
      document: {
        version: 1,
        formats: [
          { id: 'wide', type: 'display', name: 'Wide', assets: [{ ...FORMAT, requirements: { width: 970, height: 250 } }] },
        ],
      },
    }),
  ],
  ['formats.remove', () => ({ format: 'wide' })],
  ['placements.save', () => ({ placement: 'rail', name: 'Rail', sizes: ['300x250'] })],
  ['placements.remove', () => ({ placement: 'rail' })],
  ['placements.save', () => ({ placement: 'top', name: 'Top', sizes: ['300x250'] })],
  ['reports.save', () => ({ report: 'gone', by: ['day'] })],
  ['reports.forget', () => ({ report: 'gone' })],
  ['reports.save', () => ({ report: 'week', by: ['product'], last_days: 7 })],
  ['notifications.set', () => ({ username: 'ann', channel: 'mail', address: 'ann@daily.example' })],
  ['reports.schedule', () => ({ report: 'week', every: 'weekly', to: ['ann'] })],
  ['reports.unschedule', () => ({ report: 'week' })],
  ['reports.settle', () => ({ issue: ids.issue, settle_as: 'acknowledged' })],
  ['direct-orders.put', () => ({ document: DIRECT_ORDER })],
  [
    'adservers.add',
    () => ({
      name: 'sheets',
      type: 'manual',
      products: ['takeover'],
      options: { products: { takeover: { units: ['Home page'] } } },
    }),
  ],
  [
    'adservers.add',
    () => ({ name: 'gam', network: '123456', products: [], options: {}, credentials: { a: 'first secret' }, check: false }),
  ],
  ['adservers.remove-credentials', () => ({ name: 'gam' })],
  ['adservers.remove', () => ({ name: 'gam' })],
  ['adservers.sync', () => ({ ad_server: 'sheets' })],
  ['adservers.report'],
  ['governance.decide', () => ({ check: 'chk_1', resolution: 'approved' })],
  ['webhooks.redeliver', () => ({ webhook: ids.webhook })],
  ['brands.import', () => ({ document: JSON.parse(readFileSync(new URL('../../demo/brands.json', import.meta.url), 'utf8')) })],
  ['identity.init'],
  ['identity.rotate'],
  ['tenants.add', () => ({ publisher: 'two', domain: 'two.example' })],
  ['tenants.remove', () => ({ publisher: 'two' })],
  ['billing.close', () => ({ month: '2026-03' }), 'invoices'],
  ['billing.record-payment', () => ({ invoice: INVOICE.invoiceId, amount: '1' }), 'payment_id'],
  ['billing.take-back-payment', () => ({ invoice: INVOICE.invoiceId, payment: ids.payment_id, reason: 'another invoice' })],
  ['billing.credit', () => ({ invoice: INVOICE.invoiceId, what: 'amount', amount: '1', position: 1, reason: 'a test' })],
  ['accounts.payment', () => ({ account: ids.account, amount: '500000', currency: 'USD' })],
  ['billing.record-refund', () => ({ account: ids.account, amount: '1' }), 'refund_id'],
  ['billing.take-back-refund', () => ({ refund: ids.refund_id, reason: 'not paid' })],
]

/** A member of the first item that an act lists. */
async function firstOf(name: string, member: string): Promise<string> {
  const { items } = await run(name, {})
  return String((Array.isArray(items) ? items : [])[0]?.[member])
}

/** Acts that store nothing but the entry of the log, whatever they work on: a link, a message. */
const ONLY_LOGGED = ['creatives.preview-link', 'changes.test', 'notifications.test']
/** Acts that find nothing to do or to take away here. */
const NOTHING_HERE = ['privacy.erase', 'adservers.report']
/** Acts that need another system, and the file in which they are played with one. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'approvals.decide-several': 'operator/decide-several',
  'orders.change-several': 'operator/change-several',
  'products.change-several': 'operator/change-several',
  'adopted-orders.adopt': 'operator/adopted-orders',
  'adopted-orders.preview': 'operator/adopted-orders',
  'adopted-orders.show': 'operator/adopted-orders',
  'adservers.existing': 'extended/gam/setup',
  'adservers.suggest': 'extended/gam/setup',
  'adservers.save-drafts': 'extended/gam/onboarding',
  'adservers.forecast': 'extended/gam/forecast',
  'adservers.test': 'extended/gam/setup',
  'adservers.import': 'operator/manual-ad-server',
  'make-goods.offer': 'operator/make-goods',
  'make-goods.credit': 'operator/make-goods',
  'governance.show': 'cli/governance',
  'governance.verify': 'cli/governance',
  'governance.revoke': 'cli/governance',
  'registry.add': 'e2e/registry-commands',
  'registry.remove': 'e2e/registry-commands',
  'oauth.revoke': 'features/oauth/command',
  'oauth.end-grant': 'features/oauth/command',
  'oauth.remove-client': 'features/oauth/command',
}

/** Acts whose entry names nothing that changed, and why there is nothing to name. */
const NOTHING_TO_SAY: Readonly<Record<string, string>> = {
  'orders.note': 'notes stand on the order, where people wrote them',
  'delivery.rebuild': 'sums are added up anew from what is counted',
  'notifications.test': 'a message is sent',
  'changes.test': 'a message is sent',
  'webhooks.redeliver': 'a message is sent again',
  'adservers.sync': 'orders are compared at once, which they are anyway',
}

/** The newest entries of every log: of the publisher, of the deployment, and of the publisher that is added and removed. */
async function newestEntries() {
  await agent.server.audit.settled()
  const logs = await Promise.all([agent.tenant, '', 'two'].map((log) => listAuditEntries(operator, log, { limit: 1 })))
  return logs.flat()
}

describe('acts that make something, end something or do something once write it, and the audit log says what', () => {
  it.each(CHANGING.map((step) => [step[0], step] as const))('%s', async (name, [, members = () => ({}), answered = '']) => {
    ids.account ??= await firstOf('accounts.list', 'account_id')
    if (name === 'people.uninvite') ids.invitation = await firstOf('people.invitations', 'invitation_id')
    if (name === 'billing.close') now = new Date('2026-04-02T12:00:00.000Z')
    const before = (await newestEntries()).map((entry) => JSON.stringify(entry))
    observed.written.clear()
    const answer = await run(name, members())
    if (answered !== '') ids[answered] = String(answer[answered])
    const made = (await newestEntries()).filter((entry) => !before.includes(JSON.stringify(entry)))
    const unsaid = made.filter(({ changes = {} }) => Object.keys(changes).length === 0)
    expect([made.length, unsaid.length]).toEqual([
      name === 'adservers.report' ? 0 : 1,
      Object.hasOwn(NOTHING_TO_SAY, name) ? 1 : 0,
    ])
    expect(JSON.stringify(made)).not.toMatch(/first secret|sync key|token|ann@daily/)
    const tables = [...observed.written].filter((table) => table !== 'audit_entries')
    expect(tables.length > 0).toBe(!ONLY_LOGGED.includes(name) && !NOTHING_HERE.includes(name))
    if (ONLY_LOGGED.includes(name)) expect([...observed.written]).toEqual(['audit_entries'])
  })

  it('every one is played here or elsewhere; those that change members of something are played for the audit log', () => {
    const known = [...CHANGING.map(([name]) => name), ...Object.keys(ELSEWHERE)]
    expect(
      Object.values(NOT_PLAYED)
        .flat()
        .filter((name) => !known.includes(name)),
    ).toEqual([])
    const file = (path: string) => fileURLToPath(new URL(`../${path}.test.ts`, import.meta.url))
    expect(Object.values(ELSEWHERE).filter((path) => !existsSync(file(path)))).toEqual([])
  })
})

const READS: Readonly<Record<string, () => Members>> = {
  'orders.preview': () => ({ order: ids.order, action: 'pause' }),
  'approvals.show': () => ({ approval: ids.approval }),
  'approvals.try-policy': () => ({ task: 'create_media_buy', when: 'always' }),
  'creatives.show': () => creative('c-1'),
  'creatives.preview': () => creative('c-1'),
  'creatives.examine': () => creative('c-1'),
  'creatives.show-rules': () => ({ buyer: 'buyer' }),
  'accounts.payments': () => ({ account: ids.account }),
  'accounts.show': () => ({ account: ids.account }),
  'billing.preview': () => ({ month: '2026-04' }),
  'billing.preview-lines': () => ({ month: '2026-04' }),
  'billing.reconciliation': () => ({ account: ids.account, month: '2026-03' }),
  'billing.reconciliation-file': () => ({ account: ids.account, month: '2026-03', format: 'csv' }),
  'billing.show': () => ({ invoice: INVOICE.invoiceId }),
  'billing.file': () => ({ invoice: INVOICE.invoiceId, format: 'csv' }),
  'webhooks.show': () => ({ webhook: ids.webhook }),
  'trusted-match.check-provider': () => ({ provider: 'another' }),
  'adservers.inventory': () => ({ name: 'sheets' }),
  'adservers.order-sheet': () => ({ ad_server: 'sheets' }),
  'adagents.validate': () => ({ document: { authorized_agents: [] } }),
  'directory.status': () => ({ domain: SITE.domain }),
  'directory.crawl': () => ({ domain: SITE.domain }),
  'directory.explain': () => ({ ...SITE, offline: true }),
  'directory.verify': () => SITE,
  'direct-orders.preview': () => ({ document: DIRECT_ORDER }),
  'checks.show': () => ({ period: '2026-02-23' }),
  'reports.open': () => ({ report: 'week' }),
  'direct-orders.show': () => ({ order: 'spring' }),
  'orders.copy': () => ({ order: 'spring' }),
}

/** What reading writes by design. */
const READING_WRITES: Readonly<Record<string, readonly string[]>> = {
  // A crawl stores what publishers say; a domain that is new to it is put on the list, which the log has as `directory.add`; this one is there.
  'directory.crawl': ['directory_exclusions', 'directory_publishers', 'directory_documents', 'directory_attempts'],
}

describe('acts that change nothing write nothing', () => {
  it.each(ACTS.filter(({ name, changes }) => !changes && !Object.hasOwn(ELSEWHERE, name)))('$name', async ({ name, fields }) => {
    now = new Date(name.startsWith('billing.preview') ? '2026-05-02T12:00:00.000Z' : '2026-03-01T13:00:00.000Z')
    observed.written.clear()
    const known = Object.entries({ order: ids.order, product: 'news', placement: 'top' })
    const needed = Object.fromEntries(known.filter(([field]) => fields[field]?.required))
    await run(name, READS[name]?.() ?? needed)
    expect([...observed.written]).toEqual(READING_WRITES[name] ?? [])
  })
})
