import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { MISSING } from '../../src/domain/ad-serving/drift.ts'
import { offerMakeGood } from '../../src/domain/media-buy/decide-make-good.ts'
import { ACTS } from '../../src/operator/acts.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { exportProducts } from '../../src/operator/products/import-products.ts'
import { writeProductFile } from '../../src/operator/products/write-product-file.ts'
import { recordDrift } from '../../src/store/ad-serving/ad-server-drift.ts'
import { saveMediaBuy } from '../../src/store/media-buy/media-buys.ts'
import { findTenantOrders } from '../../src/store/media-buy/order-list.ts'
import { findPersonToSignIn } from '../../src/store/people/people.ts'
import { saveTotp } from '../../src/store/people/person-factors.ts'
import { signedIn } from '../support/console-client.ts'
import { contradicted } from '../support/contradicted-report.ts'
import { banner } from '../support/creative-agent.ts'
import { escalated, granted, submitted } from '../support/decisions.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { NOT_PLAYED } from '../support/memberless-acts.ts'
import { type ObservedStore, observedStore } from '../support/observed-store.ts'
import { listAuditEntries, performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let observed: ObservedStore
const now = new Date('2026-03-01T12:00:00.000Z')

beforeAll(async () => {
  const products = [productDocument('news'), productDocument('takeover', {}, { approval: 'manual' })]
  agent = await startMediaBuyAgent(products, { clock: () => now })
  observed = observedStore(agent.server.store)
  operator = { ...operatorOn(observed.store, agent.config), clock: () => now }
})
afterAll(() => agent?.stop())

type Members = Readonly<Record<string, unknown>>
type Answer = Readonly<Record<string, unknown>>

/** Carries the act of a name out. */
async function run(name: string, members: Members): Promise<Answer> {
  const act = ACTS.find((each) => each.name === name)
  if (!act) throw new Error(`there is no act ${name}`)
  return { ...(await performAs(operator, agent.tenant, act, members)) }
}

/** What an act changes of something that was there: what it is sent, and each member that the log has to name, old and new. */
interface Played {
  readonly members: Members
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>
}

async function order(): Promise<string> {
  return String((await agent.create()).data.media_buy_id)
}
async function held(): Promise<string> {
  const packages = [{ product_id: 'takeover', pricing_option_id: 'cpm', budget: 500 }]
  return String((await agent.create({ packages })).data.task_id)
}
async function accountId(): Promise<string> {
  const { items } = await run('accounts.list', {})
  const [first] = Array.isArray(items) ? items : []
  return String(first?.account_id)
}
async function creative(id: string) {
  await run('creatives.review', { mode: 'manual' })
  await agent.run('sync_creatives', { creatives: [banner(agent.url, id)] })
  return { buyer: 'buyer', account: await accountId(), creative: id }
}
async function drift(change: { readonly subject: string; readonly field: string }): Promise<string> {
  const about = { tenantId: agent.tenant, mediaBuyId: await order(), adServer: 'gam' }
  const [found] = await agent.server.store.transaction((tx) =>
    recordDrift(tx, about, [{ expected: 1, observed: 2, ...change }], now),
  )
  return String(found?.driftId)
}
/** Somebody with an authenticator app. */
async function withApp(username: string, changes: Played['changes']): Promise<Played> {
  await signedIn(agent, username, 'viewer', agent.tenant)
  await agent.server.store.transaction(async (tx) => {
    const person = await findPersonToSignIn(tx, username)
    await saveTotp(tx, { personId: person?.personId ?? '', secret: 'sealed', lastStep: 0 }, now)
  })
  return { members: { username }, changes }
}
function signingKey(kid: string) {
  const { publicKey } = generateKeyPairSync('ed25519')
  return {
    keys: [
      { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'EdDSA', key_ops: ['verify'], adcp_use: 'request-signing' },
    ],
  }
}
const directOrder = (name: string, cpm: number) => ({
  order_id: 'spring',
  name,
  advertiser: 'Brand',
  currency: 'USD',
  lines: [
    {
      line_id: 'line-1',
      product_id: 'news',
      priority: 'standard',
      starts_at: '2026-03-02T00:00:00Z',
      ends_at: '2026-03-09T00:00:00Z',
      cpm,
      creatives: [
        {
          creative_id: 'c1',
          image: { url: 'https://cdn.brand.example/a.png' },
          width: 300,
          height: 250,
          click_url: 'https://brand.example/',
        },
      ],
    },
  ],
})

const at = now.toISOString()
const document = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../../demo/${name}.json`, import.meta.url), 'utf8'))
const FORMAT = {
  id: 'wide',
  type: 'display',
  name: 'Wide',
  assets: [
    {
      item_type: 'individual',
      asset_id: 'image',
      asset_type: 'image',
      required: true,
      requirements: { width: 970, height: 250 },
    },
  ],
}
const played = (members: Members, changes: Played['changes']): Played => ({ members, changes })
async function after(name: string, members: Members): Promise<Answer> {
  return run(name, members)
}
const ISSUER = { issuer: 'https://issuer.example', audience: 'https://agent.example', jwks_uri: 'https://issuer.example/jwks' }
const PROVIDER = {
  provider: 'matcher',
  endpoint: 'https://match.example',
  context_match: true,
  sync_url: 'https://match.example/sync',
  sync_key: 'first key of many',
}

/** What a buyer is told of a creative that waits. */
const REVIEWED = 'the publisher reviews every creative'

const WINTER = [
  ['selling.seasons[winter].season_id', 'winter'],
  ['selling.seasons[winter].from', '2026-12-01'],
  ['selling.seasons[winter].until', '2026-12-31'],
  ['selling.seasons[winter].percent', -12.5],
] as const

/** Every act that changes something that was there before. */
const PLAYED: Readonly<Record<string, () => Promise<Played>>> = {
  'orders.set-terms': async () =>
    played(
      { order: await order(), purchase_order: 'PO-1', advertiser_name: 'Brand', advertiser_email: 'someone@brand.example' },
      { purchase_order: [null, 'PO-1'], advertiser_name: [null, 'Brand'], advertiser_email: [null, 'not shown, changed'] },
    ),
  'orders.pause': async () => played({ order: await order(), reason: 'a test' }, { revision: [1, 2], paused: [false, true] }),
  'orders.resume': async () => {
    const id = await order()
    await after('orders.pause', { order: id, reason: 'a test' })
    return played({ order: id, reason: 'a test' }, { revision: [2, 3], paused: [true, false] })
  },
  'orders.extend': async () => {
    const id = await order()
    const ends = ['2026-03-12T00:00:00.000Z', '2026-03-20T00:00:00.000Z'] as const
    return played(
      { order: id, reason: 'a test', ends_at: ends[1] },
      { revision: [1, 2], ends_at: ends, [`packages.${id}-1.ends_at`]: ends },
    )
  },
  'make-goods.decide': async () => {
    const { store } = agent.server
    const [found] = await findTenantOrders(store.read, agent.tenant, [await order()])
    if (!found) throw new Error('the order is not there')
    const { buy, principalId } = found
    const terms = { makeGoodId: 'mg_1', lineId: buy.packages[0]?.packageId ?? '', remedy: 'credit', micros: 1 } as const
    const made = {
      reason: 'a test',
      offeredAt: at,
      offeredBy: 'ada',
      expiresAt: '2026-04-01T00:00:00.000Z',
      state: 'offered',
    } as const
    const offered = offerMakeGood(buy, { ...terms, ...made }, { actor: 'news', person: 'ada', now })
    await store.transaction((tx) => saveMediaBuy(tx, { tenantId: agent.tenant, principalId }, buy, offered))
    const members = { order: buy.mediaBuyId, make_good: 'mg_1', answer: 'withdraw' }
    return played(members, { 'mg_1.state': ['offered', 'withdrawn'] })
  },
  'make-goods.policy': async () => played({ missing_percent: 5 }, { missing_percent: [1, 5] }),
  'orders.cancel': async () => played({ order: await order(), reason: 'a test' }, { revision: [1, 2], canceled: [false, true] }),
  'approvals.approve': async () =>
    played(
      { approval: await held(), conditions: ['pay first', 'no weekends'] },
      { state: ['waiting', 'approved'], conditions: [null, 'pay first, no weekends'] },
    ),
  'approvals.reject': async () => played({ approval: await held(), reason: 'no' }, { state: ['waiting', 'rejected'] }),
  'approvals.ask': async () => played({ approval: await held(), question: 'which brand?' }, { state: ['waiting', 'asked'] }),
  'approvals.policy': async () => played({ expires_hours: 48 }, { expires_hours: [72, 48] }),
  'creatives.approve': async () =>
    played(await creative('c-1'), { status: ['pending_review', 'approved'], reason: [REVIEWED, null] }),
  'creatives.reject': async () =>
    played({ ...(await creative('c-2')), reason: 'no' }, { status: ['pending_review', 'rejected'], reason: [REVIEWED, 'no'] }),
  'creatives.rule': async () => played({ buyer: 'buyer', rule: 'review' }, { 'every advertiser': ['default', 'review'] }),
  'creatives.remove-rule': async () => played({ buyer: 'buyer' }, { 'every advertiser': ['review', 'default'] }),
  'creatives.review': async () => {
    await after('creatives.review', { mode: 'manual' })
    return played({ mode: 'automatic' }, { creative_review: ['manual', 'automatic'] })
  },
  'accounts.grant': async () => {
    const account = await accountId()
    await after('accounts.grant', { account, buyer: 'buyer', tasks: ['get_products'] })
    return played({ account, buyer: 'buyer', read_only: true }, { read_only: [false, true], tasks: ['get_products', 'all'] })
  },
  'accounts.status': async () => {
    await after('accounts.revoke', { account: await accountId(), buyer: 'buyer' })
    return played({ account: await accountId(), status: 'payment_required' }, { status: ['active', 'payment_required'] })
  },
  'accounts.credit': async () => {
    await after('accounts.status', { account: await accountId(), status: 'active' })
    return played({ account: await accountId(), amount: '900000', currency: 'USD' }, { credit_limit: ['none', '900000 USD'] })
  },
  'billing.set-details': async () => {
    await after('billing.set-details', { legal_name: 'Acme Media AB', country: 'SE', email: 'someone@acme.example' })
    return played(
      { legal_name: 'Acme Group AB', payment_days: 20, email: 'another@acme.example' },
      { legal_name: ['Acme Media AB', 'Acme Group AB'], payment_days: [30, 20], email: ['not shown', 'not shown, changed'] },
    )
  },
  'buyers.status': async () => {
    await after('buyers.add', { buyer: 'other', agent_url: 'https://other.example/agent' })
    return played({ buyer: 'other', status: 'suspended' }, { status: ['active', 'suspended'] })
  },
  'buyers.require-signing': async () => played({ buyer: 'other', required: true }, { signing_required: [false, true] }),
  'buyers.answer-text': async () => played({ buyer: 'other', form: 'json' }, { answer_text: ['summary', 'json'] }),
  'buyers.billing': async () => played({ buyer: 'other', parties: ['agent'] }, { billing: ['all', 'agent'] }),
  'buyers.add-signing-keys': async () => {
    await after('buyers.add-signing-keys', { buyer: 'other', jwks: signingKey('key-1') })
    return played(
      { buyer: 'other', jwks: signingKey('key-2') },
      { jwks: ['key-1', 'key-2'], jwks_keys: ['not shown', 'not shown, changed'] },
    )
  },
  'keys.rotate': async () => {
    const { key_id: key } = await after('keys.create', { buyer: 'buyer' })
    return played(
      { key, overlap: '12h' },
      {
        ...{ expires_at: [null, '2026-03-02T00:00:00.000Z'], 'new_key.scopes': [null, 'adcp:*'] },
        'new_key.id': [null, expect.any(String)],
      },
    )
  },
  'keys.revoke': async () => {
    const { key_id: key } = await after('keys.create', { buyer: 'buyer' })
    return played({ key }, { revoked_at: [null, at] })
  },
  'admin-keys.revoke': async () => {
    const { key_id: key } = await after('admin-keys.create', { name: 'one', role: 'viewer' })
    return played({ key }, { revoked_at: [null, at] })
  },
  'users.allow': async () => {
    await after('users.add', { username: 'robin', buyer: 'buyer' })
    await after('buyers.status', { buyer: 'other', status: 'active' })
    return played({ username: 'robin', buyer: 'other' }, { buyers: ['buyer', 'buyer, other'] })
  },
  'users.disallow': async () => played({ username: 'robin', buyer: 'other' }, { buyers: ['buyer, other', 'buyer'] }),
  'users.revoke': async () => played({ username: 'robin' }, { status: ['active', 'revoked'] }),
  'jwt-issuers.add': async () => {
    await after('jwt-issuers.add', ISSUER)
    return played(
      { ...ISSUER, jwks_uri: 'https://issuer.example/keys', algorithms: ['ES256'], max_age_seconds: 60 },
      {
        jwks_uri: [ISSUER.jwks_uri, 'https://issuer.example/keys'],
        algorithms: ['EdDSA, ES256', 'ES256'],
        max_age_seconds: [3600, 60],
      },
    )
  },
  'jwt-issuers.map': async () => {
    const subject = { issuer: ISSUER.issuer, subject: 'someone' }
    await after('jwt-issuers.map', { ...subject, buyer: 'buyer' })
    return played({ ...subject, buyer: 'other' }, { buyer: ['buyer', 'other'] })
  },
  'people.role': async () => {
    await signedIn(agent, 'ben', 'viewer', agent.tenant)
    return played({ username: 'ben', role: 'finance' }, { role: ['viewer', 'finance'] })
  },
  'people.revoke': async () => {
    await signedIn(agent, 'cleo', 'viewer', agent.tenant)
    return played({ username: 'cleo' }, { status: ['active', 'revoked'] })
  },
  'people.reset-factors': () => withApp('eva', { authenticator_app: [true, false], sessions: [null, 'ended'] }),
  'people.reset-factors-everywhere': () => withApp('fay', { authenticator_app: [true, false], sessions: [null, 'ended'] }),
  'notifications.set': async () => {
    await signedIn(agent, 'dana', 'viewer', agent.tenant)
    const channel = { username: 'dana', channel: 'webhook' }
    await after('notifications.set', { ...channel, address: 'https://93.184.215.14/first-secret', kinds: ['waiting'] })
    return played(
      { ...channel, address: 'https://93.184.215.14/second-secret', timing: 'digest', digest_hour: 9 },
      { timing: ['at_once', 'digest'], digest_hour: [null, 9], address: ['not shown', 'not shown, changed'] },
    )
  },
  'tenants.set': async () =>
    played(
      { publisher: agent.tenant, billing: ['agent'], time_zone: 'Europe/Berlin' },
      { billing: ['operator, agent, advertiser', 'agent'], time_zone: [null, 'Europe/Berlin'] },
    ),
  'settings.set': async () =>
    played(
      { name: 'Acme, changed', billing: ['all'] },
      { name: ['acme', 'Acme, changed'], billing: ['agent', 'operator, agent, advertiser'] },
    ),
  'tenants.set-public': async () => {
    await after('tenants.add', { publisher: 'two', name: 'Two', domain: 'two.example' })
    return played({ publisher: 'two' }, { public: [false, true] })
  },
  'trusted-match.set-provider': async () => {
    await after('trusted-match.add-provider', PROVIDER)
    return played(
      {
        provider: 'matcher',
        status: 'draining',
        timeout_ms: 50,
        sync_url: 'https://match.example/sync2',
        sync_key: 'second key of many',
      },
      {
        status: [null, 'draining'],
        timeout_ms: [null, 50],
        sync_url: ['https://match.example/sync', 'https://match.example/sync2'],
        sync_key: ['not shown', 'not shown, changed'],
      },
    )
  },
  'trusted-match.rotate-sync-key': async () =>
    played({ provider: 'matcher', sync_key: 'third key of many' }, { sync_key: ['not shown', 'not shown, changed'] }),
  'trusted-match.revoke-key': async () => {
    const { kid } = await after('trusted-match.rotate-key', {})
    await after('trusted-match.rotate-key', {})
    return played({ kid }, { revoked_at: [null, at] })
  },
  'directory.remove': async () => {
    await after('directory.add', { domains: ['gone.example'] })
    return played({ domain: 'gone.example' }, { state: ['listed', 'removed'] })
  },
  'directory.block': async () => {
    await after('directory.add', { domains: ['blocked.example'] })
    return played({ domain: 'blocked.example' }, { state: ['listed', 'blocked'] })
  },
  'directory.unblock': async () => played({ domain: 'blocked.example' }, { state: ['blocked', 'not listed'] }),
  'products.import': async () => {
    const csv = writeProductFile(await exportProducts(operator, agent.tenant), 'csv')
    const price = 'pricing_options[cpm].fixed_price'
    return played({ csv: csv.replaceAll(',10,', ',11,') }, { [`news.${price}`]: [10, 11], [`takeover.${price}`]: [10, 11] })
  },
  'products.save': async () =>
    played({ product: 'news', csv: 'product_id,name\nnews,The news\n' }, { name: ['news', 'The news'] }),
  'products.set': async () =>
    played(
      { product: 'news', cells: { description: 'Other words', price: '12' } },
      { description: ['news', 'Other words'], 'pricing_options[cpm].fixed_price': [11, 12] },
    ),
  'products.archive': async () => played({ product: 'takeover' }, { 'selling.status': [null, 'archived'] }),
  'products.restore': async () => played({ product: 'takeover' }, { 'selling.status': ['archived', 'active'] }),
  'products.set-season': async () =>
    played(
      { product: 'news', season: 'winter', from: '2026-12-01', until: '2026-12-31', percent: '-12,5' },
      Object.fromEntries(WINTER.map(([name, value]) => [name, [null, value]])),
    ),
  'products.remove-season': async () =>
    played({ product: 'news', season: 'winter' }, Object.fromEntries(WINTER.map(([name, value]) => [name, [value, null]]))),
  'placements.save': async () => {
    const place = { placement: 'rail', name: 'Rail', sizes: ['300x250'], available_until: '2026-12-31' }
    await after('placements.save', place)
    return played(
      { ...place, name: 'Side rail', daily_capacity: 5_000, targeting: { countries: ['DE', 'AT'] } },
      { name: ['Rail', 'Side rail'], daily_capacity: [null, 5_000], 'targeting.countries': [null, 'DE, AT'] },
    )
  },
  'reports.save': async () => {
    await after('reports.save', { report: 'week', by: ['product'], last_days: 7 })
    return played(
      { report: 'week', by: ['product', 'day'], buyer: 'buyer', replace: true },
      { by: ['product', 'product, day'], last_days: [7, 30], buyer: [null, 'buyer'] },
    )
  },
  'reports.schedule': async () => {
    for (const username of ['ann', 'eve']) {
      await signedIn(agent, username, 'viewer', agent.tenant)
      await run('notifications.set', { username, channel: 'mail', address: `${username}@daily.example` })
    }
    await run('reports.save', { report: 'mailed', by: ['product'], last_days: 7 })
    await after('reports.schedule', { report: 'mailed', every: 'weekly', to: ['ann'] })
    return played(
      { report: 'mailed', every: 'monthly', hour: 9, days: 'period', to: ['ann', 'eve'] },
      {
        every: ['weekly', 'monthly'],
        weekday: ['monday', null],
        month_day: [null, 1],
        hour: [7, 9],
        days: ['saved', 'period'],
        to: ['ann', 'ann, eve'],
      },
    )
  },
  'reports.settle': async () => {
    const owner = { tenantId: agent.tenant, principalId: 'buyer', accountId: 'acc_reported' }
    const issue = await contradicted(agent.server.store, owner, now)
    await after('reports.settle', { issue, settle_as: 'acknowledged' })
    const waived = { issue, settle_as: 'waived', agreed_with: 'their operations' }
    return played(waived, { state: ['acknowledged', 'waived'] })
  },
  'formats.import': async () => {
    await after('formats.import', { document: { version: 1, formats: [FORMAT] } })
    return played(
      { document: { version: 1, formats: [{ ...FORMAT, name: 'Very wide' }] } },
      { 'wide.name': ['Wide', 'Very wide'] },
    )
  },
  'signals.import': async () => {
    const before = document('signals')
    await after('signals.import', { document: before })
    const [first, ...others] = Array.isArray(before.signals) ? before.signals : []
    const id = String(first.signal_agent_segment_id)
    return played(
      { document: { ...before, signals: [{ ...first, name: 'Other' }, ...others] } },
      { [`${id}.name`]: [first.name, 'Other'] },
    )
  },
  'brands.import': async () => {
    const before = document('brands')
    await after('brands.import', { document: before })
    const [first, ...others] = Array.isArray(before.brands) ? before.brands : []
    return played(
      { document: { ...before, brands: [{ ...first, industries: ['travel'] }, ...others] } },
      { [`brand ${first.brand_id}.industries`]: [first.industries?.join(', ') ?? null, 'travel'] },
    )
  },
  'governance.decide': async () =>
    played({ check: await escalated(agent, 'chk_1'), resolution: 'approved' }, { state: ['pending', 'approved'] }),
  'rights.approve': async () => played({ right: await submitted(agent, 'rcs_1') }, { status: ['pending_review', 'approved'] }),
  'rights.reject': async () =>
    played({ right: await submitted(agent, 'rcs_2'), reason: 'no' }, { status: ['pending_review', 'rejected'] }),
  'rights.revoke': async () =>
    played({ right: await granted(agent, 'rgt_1'), reason: 'no' }, { status: ['active', 'revoked'], revoked_at: [null, at] }),
  'direct-orders.put': async () => {
    await after('direct-orders.put', { document: directOrder('Spring sale', 4.5) })
    return played({ document: directOrder('Spring sales', 5) }, { name: ['Spring sale', 'Spring sales'], 'line-1.cpm': [4.5, 5] })
  },
  'direct-orders.state': async () => played({ order: 'spring', state: 'paused' }, { state: ['active', 'paused'] }),
  'adservers.set': async () => {
    await after('adservers.add', {
      name: 'sheets',
      type: 'manual',
      products: ['takeover'],
      options: { products: { takeover: { units: ['Home page'] } } },
    })
    return played(
      { name: 'sheets', drift: 'heal', options: { products: { takeover: { units: ['Front page'] } } } },
      { drift: ['leave', 'heal'], 'options.products.takeover.units': ['Home page', 'Front page'] },
    )
  },
  'adservers.credentials': async () => {
    await after('adservers.add', {
      name: 'gam',
      network: '123456',
      products: [],
      options: {},
      credentials: { a: 'first secret' },
      check: false,
    })
    return played(
      { name: 'gam', credentials: { a: 'second secret' }, check: false },
      { credentials: ['not shown', 'not shown, changed'] },
    )
  },
  'adservers.adopt': async () =>
    played({ drift: await drift({ subject: 'order', field: 'budgetMicros' }) }, { state: ['open', 'adopted'] }),
  'adservers.gone': async () => played({ drift: await drift({ subject: 'order', field: MISSING }) }, { state: ['open', 'gone'] }),
}

it('every act that changes something is played, or it says why it is not', () => {
  const known = [...Object.keys(PLAYED), ...Object.values(NOT_PLAYED).flat()]
  expect(known.toSorted()).toEqual(
    ACTS.filter(({ changes }) => changes)
      .map(({ name }) => name)
      .toSorted(),
  )
})

/** What people say of a change, which stands in the log beside it. */
const saidIn = (members: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    ['reason', 'question'].flatMap((name) => (members[name] === undefined ? [] : [[name, [null, members[name]]]])),
  )

/** What is about the publisher, the deployment, or an account, which the log names in a member of its own. */
const OF_ALL: readonly string[] = [
  ...['settings.set', 'approvals.policy', 'billing.set-details', 'make-goods.policy', 'accounts.credit', 'accounts.status'],
  ...['tenants.set', 'tenants.set-public', 'products.import', 'formats.import', 'signals.import', 'brands.import'],
]

/** Whose repeat is another deed: a key more, sessions that end, a buyer who is asked again, a secret that is sealed anew. */
const MAKES_ANEW: readonly string[] = [
  ...['keys.rotate', 'people.reset-factors', 'people.reset-factors-everywhere', 'approvals.ask'],
  ...['trusted-match.set-provider', 'trusted-match.rotate-sync-key', 'adservers.credentials'],
]
/** What is not there any more, and decisions that are made once: their repeat is refused. */
const REFUSED_AGAIN: Readonly<Record<string, string>> = {
  'users.disallow': 'REFERENCE_NOT_FOUND',
  'directory.remove': 'REFERENCE_NOT_FOUND',
  'directory.unblock': 'REFERENCE_NOT_FOUND',
  'products.remove-season': 'REFERENCE_NOT_FOUND',
  'governance.decide': 'INVALID_STATE',
  'make-goods.decide': 'INVALID_STATE',
  'reports.settle': 'INVALID_STATE',
  'rights.approve': 'INVALID_STATE',
  'rights.reject': 'INVALID_STATE',
  'rights.revoke': 'INVALID_STATE',
  'adservers.adopt': 'INVALID_STATE',
  'adservers.gone': 'INVALID_STATE',
  'orders.cancel': 'NOT_CANCELLABLE',
}

it.each(Object.keys(PLAYED))('%s: the audit log names each member that changed, old and new', async (name) => {
  const play = await PLAYED[name]?.()
  observed.written.clear()
  await run(name, play?.members ?? {})
  expect([name, [...observed.written].filter((table) => table !== 'audit_entries').length > 0]).toEqual([name, true])
  await agent.server.audit.settled()
  const ofTenant =
    name === 'tenants.set-public'
      ? 'two'
      : name.startsWith('directory.') || name === 'people.revoke' || name.endsWith('-everywhere')
        ? ''
        : agent.tenant
  const [entry] = await listAuditEntries(operator, ofTenant, { limit: 1 })
  expect(entry?.changes).toEqual({ ...saidIn(play?.members ?? {}), ...play?.changes })
  expect([name, entry?.subject !== undefined || OF_ALL.includes(name)]).toEqual([name, true])
  expect([name, entry?.subject === undefined || !OF_ALL.includes(name)]).toEqual([name, true])
  const text = JSON.stringify(entry)
  for (const secret of ['secret', 'key of many', 'someone@', 'another@']) expect(text).not.toContain(secret)

  // The same once more: it makes something anew, it is refused, or it changed nothing and is no entry.
  if (MAKES_ANEW.includes(name)) return
  const refusal = await run(name, play?.members ?? {}).then(
    () => undefined,
    (error: { readonly code?: string }) => error.code,
  )
  expect([name, refusal]).toEqual([name, REFUSED_AGAIN[name]])
  await agent.server.audit.settled()
  expect(await listAuditEntries(operator, ofTenant, { limit: 1 })).toEqual([entry])
})

it.each([
  ['keys.create', { buyer: 'other', scopes: 'adcp:products' }, { 'new_key.scopes': [null, 'adcp:products'] }],
  ['admin-keys.create', { name: 'report', role: 'viewer' }, { name: [null, 'report'], role: [null, 'viewer'] }],
  ['buyers.add', { buyer: 'third', sandbox: true }, { name: [null, 'third'], scopes: [null, 'adcp:*'], sandbox: [null, true] }],
  [
    'direct-orders.put',
    { document: { ...directOrder('Autumn', 4.5), order_id: 'autumn' } },
    {
      ...{ name: [null, 'Autumn'], advertiser: [null, 'Brand'], lines: [null, 'line-1'], 'line-1.cpm': [null, 4.5] },
      ...{ 'line-1.product_id': [null, 'news'], 'line-1.creatives': [null, 'c1'] },
      ...{ 'line-1.starts_at': [null, '2026-03-02T00:00:00.000Z'], 'line-1.ends_at': [null, '2026-03-09T00:00:00.000Z'] },
    },
  ],
  [
    'changes.subscribe',
    { url: 'https://93.184.215.14/first-secret?of=secret', types: ['orders.*'] },
    { host: [null, '93.184.215.14'], types: [null, 'orders.*'] },
  ],
] as const)('%s: the audit log says what came', async (name, members, changes) => {
  await run(name, members)
  await agent.server.audit.settled()
  const [entry] = await listAuditEntries(operator, agent.tenant, { limit: 1 })
  expect([entry?.task, entry?.changes]).toMatchObject([name, changes])
  expect(JSON.stringify(entry)).not.toMatch(/ak_|sk_|token|secret/)
})

async function newestChanges() {
  await agent.server.audit.settled()
  return (await listAuditEntries(operator, agent.tenant, { limit: 1 }))[0]?.changes
}

it('a file that is imported is in the log with what comes, changes and goes: entries, their order, and what stands beside them', async () => {
  const provider = (name: string) => ({ domain: 'data.example', name })
  const { signals } = document('signals')
  const [one, two] = (Array.isArray(signals) ? signals : []).filter(({ signal_type: type }) => type === 'owned')
  if (!one || !two) throw new Error('the file has less than two signals of the publisher')
  const [first, second] = [one.signal_agent_segment_id, two.signal_agent_segment_id]
  const imported = async (file: object, more: object = {}) => {
    await run('signals.import', { document: { version: 1, ...file }, ...more })
    return newestChanges()
  }
  await imported({ signals: [one] }, { replace: true })
  expect(await imported({ signals: [two] })).toEqual({ added: [null, `1: ${second}`] })
  expect(await imported({ signals: [one, two] }, { replace: true })).toEqual({
    order: [`${second}, ${first}`, `${first}, ${second}`],
  })
  expect(await imported({ signals: [two] }, { replace: true })).toEqual({ removed: [`1: ${first}`, null] })
  const named = { 'provider data.example.domain': [null, 'data.example'], 'provider data.example.name': [null, 'Data'] }
  expect(await imported({ data_providers: [provider('Data')], signals: [two] })).toEqual(named)

  const { brands, house, rights, offerings } = document('brands')
  await run('brands.import', {
    document: { version: 1, house: { ...Object(house), name: 'Another' }, brands, rights, offerings },
  })
  expect(await newestChanges()).toMatchObject({ 'house.name': [Object(house).name, 'Another'] })
})

it('a file of products is in the log with what comes and goes, and with what it says of the publisher', async () => {
  const file = await exportProducts(operator, agent.tenant)
  const imported = async (more: object, how: object = {}) => {
    await run('products.import', { document: { ...file, ...more }, ...how })
    return newestChanges()
  }
  const before = await newestChanges()
  expect(await imported({})).toEqual(before)
  const [news, ...others] = file.products
  const spring = { ...news, product_id: 'spring' }
  expect(await imported({ products: [spring] })).toEqual({ added: [null, '1: spring'] })
  expect(await imported({}, { replace: true })).toEqual({ removed: ['1: spring', null] })
  const turned = { products: [...others, news] }
  expect(await imported(turned, { replace: true })).toEqual({ order: ['news, takeover', 'takeover, news'] })
  const publisher = { name: 'Acme', domain: 'acme.example' }
  expect(await imported({ publisher })).toEqual({
    'publisher.name': [null, 'Acme'],
    'publisher.domain': [null, 'acme.example'],
  })
})

it('the only price of a product is not taken away: it would be sold by auction from any bid', async () => {
  const refused = run('products.set', { product: 'news', cells: { price: '' } })
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_REQUEST', message: expect.stringContaining('or a floor beside') })
})

it('what was said before is the old value of what is said now', async () => {
  const newest = async () => {
    await agent.server.audit.settled()
    return (await listAuditEntries(operator, agent.tenant, { limit: 1 }))[0]?.changes
  }
  const approval = await held()
  await run('approvals.ask', { approval, question: 'which brand?' })
  expect(await newest()).toEqual({ state: ['waiting', 'asked'], question: [null, 'which brand?'] })
  await run('approvals.ask', { approval, question: 'which market?' })
  expect(await newest()).toEqual({ question: ['which brand?', 'which market?'] })
  const named = await creative('c-9')
  for (const reason of ['too loud', 'too small']) await run('creatives.reject', { ...named, reason })
  expect(await newest()).toEqual({ reason: ['too loud', 'too small'] })
})

it('another signing key under the same id is in the log', async () => {
  for (const jwks of [signingKey('key-3'), signingKey('key-3')]) await run('buyers.add-signing-keys', { buyer: 'other', jwks })
  await agent.server.audit.settled()
  const [entry] = await listAuditEntries(operator, agent.tenant, { limit: 1 })
  expect(entry?.changes).toEqual({ jwks_keys: ['not shown', 'not shown, changed'] })
})

it('what was done a moment ago is in the list, whether a server chains it or not', async () => {
  const { store } = agent.server
  await run('accounts.credit', { account: await accountId(), amount: '123', currency: 'USD' })
  const { items } = await run('audit.list', { limit: 1 })
  expect(items).toMatchObject([{ task: 'accounts.credit', changes: { credit_limit: [expect.anything(), '123 USD'] } }])

  // A store that cannot be written is still read.
  await run('accounts.credit', { account: await accountId(), amount: '124', currency: 'USD' })
  const broken = {
    ...operator,
    store: { ...store, read: store.read, transaction: () => Promise.reject(new Error('the disk is full')) },
  }
  const act = ACTS.find(({ name }) => name === 'audit.list')
  if (!act) throw new Error('there is no list')
  expect(await performAs(broken, agent.tenant, act, { limit: 1 })).toMatchObject({ items: [{}] })
})

it('approving again adds no conditions, rejecting again no other reason, and neither is in the log', async () => {
  const [one, two] = [await held(), await held()]
  await run('approvals.approve', { approval: one, conditions: ['pay first'] })
  await run('approvals.reject', { approval: two, reason: 'too late' })
  const newest = async () => {
    await agent.server.audit.settled()
    return (await listAuditEntries(operator, agent.tenant, { limit: 1 }))[0]
  }
  const before = await newest()
  const again = (name: string, members: Members) => run(`approvals.${name}`, members)
  await again('approve', { approval: one })
  await again('approve', { approval: one, conditions: ['pay first'] })
  await again('reject', { approval: two, reason: 'too late' })
  await expect(again('approve', { approval: one, conditions: ['no weekends'] })).rejects.toMatchObject({
    ...{ code: 'INVALID_STATE', field: 'conditions', message: expect.stringContaining('Approved on this condition: pay first') },
  })
  await expect(again('reject', { approval: two, reason: 'no' })).rejects.toMatchObject({
    ...{ code: 'INVALID_STATE', field: 'reason', message: expect.stringContaining('its buyer was told: too late') },
  })
  expect(await newest()).toEqual(before)
  expect(before).toMatchObject({ task: 'approvals.reject', subject: two })
})
