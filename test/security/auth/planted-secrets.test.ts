import { createHash, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { hashPassword } from '../../../src/security/auth/password.ts'
import { saveBrands } from '../../../src/store/brand/brands.ts'
import { addBasicUser } from '../../../src/store/identity/basic-users.ts'
import { listSigningKeys } from '../../../src/store/identity/signing-keys.ts'
import { callText, post } from '../../support/credentials.ts'
import { demoBrands } from '../../support/demo-products.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'

const logged: string[] = []
const answered: string[] = []
const planted = new Map<string, string>()
let agent: MediaBuyAgent
let receiver: WebhookReceiver

/** A new secret, remembered under where it is sent. */
function plant(where: string, make: (random: string) => string = (random) => random): string {
  const secret = make(randomBytes(24).toString('base64url'))
  planted.set(where, secret)
  return secret
}

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

async function send(headers: readonly string[], body: string, path = '/mcp'): Promise<number> {
  const response = await fetch(agent.url.replace('/mcp', path), {
    method: 'POST',
    headers: [['content-type', 'application/json'], ...pairs(headers)],
    body,
  })
  answered.push(JSON.stringify([...response.headers]), await response.text())
  return response.status
}

const pairs = (flat: readonly string[]): [string, string][] =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ''] as [string, string]] : []))

const asBuyer = (task: string, args: object, key = agent.key) => send(['authorization', `Bearer ${key}`], callText(task, args))

const create = (more: object) => ({
  idempotency_key: randomUUID(),
  account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
  brand: { domain: 'brand.example' },
  start_time: '2026-03-02T00:00:00Z',
  end_time: '2026-03-12T00:00:00Z',
  packages: [{ product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }],
  ...more,
})

/** Pairs of headers in which a caller may put a secret. */
async function sendInHeaders(): Promise<void> {
  const jwt = await new SignJWT({ sub: 'somebody' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('https://login.example')
    .setExpirationTime('1h')
    .sign(randomBytes(32))
  const wrong = plant('a wrong password')
  const lists: [expected: number, headers: string[]][] = [
    [401, ['authorization', `Bearer ${plant('an unknown key', (random) => `sk_${'0'.repeat(12)}_${random}`)}`]],
    [401, ['authorization', `Bearer ${plant('a token of nobody')}`]],
    [401, ['authorization', `Bearer ${plant('a token of a list', (random) => `plt_${random}`)}`]],
    [401, ['authorization', `Bearer ${plant('a JWT', () => jwt)}`]],
    [401, ['authorization', `bearer  ${plant('a malformed token')} x`]],
    [401, ['authorization', `Digest ${plant('another scheme')}`]],
    [401, ['authorization', basic(`ann:${wrong}`)]],
    [401, ['authorization', basic(`bob:${plant('a password of nobody')}`)]],
    [401, ['authorization', `Basic ${plant('a malformed pair')}!`]],
    [401, ['x-adcp-auth', plant('the old header')]],
    [401, ['x-api-key', plant('a header of other servers')]],
    [401, ['cookie', `session=${plant('a cookie')}`]],
    [401, ['signature', `sig1=:${plant('a signature')}:`]],
    [401, ['signature-input', `sig1=();keyid="${plant('a keyid')}"`, 'signature', 'sig1=:AAAA:']],
  ]
  for (const [expected, headers] of lists) expect(await send(headers, callText('list_creatives')), headers[0]).toBe(expected)
  const twice = plant('a header sent twice')
  const answer = await post(agent.url, callText('list_creatives'), [
    'content-type',
    'application/json',
    'authorization',
    `Bearer ${twice}`,
    'authorization',
    `Bearer ${agent.key}`,
  ])
  answered.push(JSON.stringify(answer))
}

/** Credentials that are good: used, and kept in no readable form. */
async function useGoodOnes(): Promise<void> {
  const password = plant('a good password')
  const passwordHash = await hashPassword(password, { N: 1024, r: 8, p: 1 })
  await agent.server.store.transaction((tx) =>
    addBasicUser(tx, { tenantId: 'acme', principalId: 'buyer', username: 'ann', passwordHash }, new Date()),
  )
  planted.set('a good key', agent.key)
  expect(await send(['authorization', basic(`ann:${password}`)], callText('list_creatives'))).toBe(200)
  expect(await asBuyer('list_creatives', {})).toBe(200)
  planted.set('the pair as it is sent', Buffer.from(`ann:${password}`).toString('base64'))
}

async function sendInArguments(): Promise<void> {
  const key = generateKeyPairSync('ed25519').privateKey
  const pem = key.export({ format: 'pem', type: 'pkcs8' }).toString()
  const inPem = pem.split('\n')[1] ?? ''
  planted.set('a private key as PEM', inPem)
  const d = String(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }).d)
  planted.set('a private key as JWK', d)
  const calls: [task: string, args: object][] = [
    ['get_products', { buying_mode: 'brief', brief: 'x', api_key: plant('an argument') }],
    ['get_products', { buying_mode: 'brief', brief: 'x', context: { access_token: plant('the context') } }],
    ['list_creatives', { ext: { deep: [{ clientSecret: plant('the extensions') }] } }],
    ['create_media_buy', create({ packages: [{ authorization: `Bearer ${plant('a package')}` }] })],
    [
      'create_media_buy',
      create({ ext: { push_notification_config: { authentication: { credentials: plant('a wrong place') } } } }),
    ],
    ['get_media_buys', { media_buy_ids: [{ password: plant('a wrong type') }] }],
    ['sync_accounts', { idempotency_key: randomUUID(), accounts: [{ private_key: pem }] }],
    ['sync_accounts', { idempotency_key: randomUUID(), jwk: { kty: 'OKP', d } }],
    ['no_such_task', { bearer: plant('an unknown task') }],
    ['get_adcp_capabilities', { refresh_token: plant('a public task') }],
    ['get_products', { buying_mode: 'brief', brief: `see https://ann:${plant('a password in a URL')}@ads.example/` }],
    ['sync_accounts', { idempotency_key: randomUUID(), context: { note: agent.key } }],
    ['get_products', { buying_mode: 'brief', brief: `our key is ${agent.key}`, context: { note: agent.key } }],
    ['get_products', { buying_mode: 'brief', ['\u{1D42D}oken']: plant('a name in other letters') }],
    ['get_products', { buying_mode: 'brief', ['s\u0435cret']: plant('a name in letters of two scripts') }],
    ['comply_test_controller', { scenario: 'seed_account', params: { secret: plant('a hidden task') } }],
  ]
  for (const [task, args] of calls) await asBuyer(task, args)
  const bearer = ['authorization', `Bearer ${agent.key}`]
  const meta = { name: 'list_creatives', arguments: {}, _meta: { api_key: plant('the metadata') } }
  await send(bearer, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: meta }))
  await send(bearer, `{"jsonrpc":"2.0","api_key":"${plant('broken JSON')}"`)
  await send(bearer, `{"jsonrpc":"2.0","id":1,"password":"1","password":"${plant('a repeated key')}"}`)
  await send(
    bearer,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { client_secret: plant('initialize') } }),
  )
  await send(bearer, callText('list_creatives'), `/mcp?access_token=${plant('the query')}`)
  await send([], callText('list_creatives'), `/${plant('the path')}`)
  await send([], callText('list_creatives'), `/previews/${plant('a path with a place for it')}`)
}

/** Secrets that are asked for: kept sealed until they are used. */
async function registerWebhooks(): Promise<void> {
  const key = await agent.addBuyer({ principal: 'tester', sandbox: true })
  const declared = {
    idempotency_key: randomUUID(),
    accounts: [{ brand: { domain: 'brand.example' }, operator: 'agency.example', billing: 'operator' }],
  }
  expect((await agent.client(key).call('sync_accounts', declared)).isError).toBe(false)
  const push = (authentication: object, token: string) =>
    create({ push_notification_config: { url: `${receiver.origin}/hook`, token, authentication } })
  const [bearer, hmac] = [plant('webhook credentials, Bearer'), plant('webhook credentials, HMAC')]
  expect(
    await asBuyer('create_media_buy', push({ schemes: ['Bearer'], credentials: bearer }, plant('a webhook token')), key),
  ).toBe(200)
  expect(
    await asBuyer('create_media_buy', push({ schemes: ['HMAC-SHA256'], credentials: hmac }, plant('another token')), key),
  ).toBe(200)
  await receiver.expect('/hook', 2)
}

/** What other tasks are given in trust: credentials for others, and identifiers of people. */
async function entrustOthers(): Promise<void> {
  const key = await agent.addBuyer({ principal: 'trusting', sandbox: true })
  await agent.server.store.transaction((tx) => saveBrands(tx, 'acme', demoBrands(), new Date()))
  const account = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
  const digest = (where: string) => plant(where, (random) => createHash('sha256').update(random).digest('hex'))
  const client = agent.client(key)
  const ask = async (task: string, args: object) => {
    const { raw, isError } = await client.call(task, { idempotency_key: randomUUID(), ...args })
    answered.push(JSON.stringify(raw))
    expect(isError, `${task} ${JSON.stringify(raw)}`).toBe(false)
    expect(JSON.stringify(raw)).not.toContain('VALIDATION_ERROR')
  }
  const authentication = (where: string, scheme = 'Bearer') => ({ schemes: [scheme], credentials: plant(where) })
  const governor = { url: 'https://governance.example/mcp', authentication: authentication("a governance agent's credentials") }
  await ask('sync_accounts', { accounts: [{ ...account, billing: 'operator' }] })
  await ask('sync_event_sources', { account, event_sources: [{ event_source_id: 'shop' }] })
  await ask('sync_audiences', {
    account,
    audiences: [
      {
        audience_id: 'people',
        add: [
          {
            external_id: plant("a person's id with the buyer"),
            hashed_email: digest('a hashed address'),
            hashed_phone: digest('a hashed phone number'),
            uids: [{ type: 'uid2', value: plant('a universal id') }],
          },
        ],
      },
    ],
  })
  const user_match = {
    hashed_email: digest('a hashed address, in an event'),
    uids: [{ type: 'rampid', value: plant('a universal id, in an event') }],
    click_id: plant('the id of a click'),
    client_ip: '203.0.113.77',
    client_user_agent: plant('what a browser calls itself'),
  }
  const event = {
    event_id: plant('the id of an event'),
    event_type: 'purchase',
    event_time: '2026-02-28T10:00:00Z',
    user_match,
  }
  await ask('log_event', { event_source_id: 'shop', events: [event] })
  await ask('acquire_rights', {
    rights_id: 'acme_trail_fox',
    pricing_option_id: 'fox_quarter',
    buyer: account.brand,
    campaign: { description: 'Spring', uses: ['likeness'] },
    revocation_webhook: {
      url: 'https://93.184.215.14/revoked',
      token: plant('the token of a revocation'),
      authentication: authentication('credentials for revocations', 'HMAC-SHA256'),
    },
  })
  await ask('si_initiate_session', {
    intent: 'a tent',
    identity: {
      consent_granted: true,
      consent_timestamp: '2026-02-28T10:00:00Z',
      consent_scope: ['email'],
      privacy_policy_acknowledged: { brand_policy_url: 'https://brand.example/privacy', brand_policy_version: '1' },
      user: { email: plant('an address that was told with consent', (random) => `${random.toLowerCase()}@mail.example`) },
    },
  })
  await ask('sync_governance', { accounts: [{ account, governance_agents: [governor] }] })
}

/** Secrets of ours that an answer gives, once and at each repetition: kept sealed between them. */
async function askForListTokens(): Promise<void> {
  const client = agent.client(agent.key)
  for (const kind of ['property', 'collection']) {
    const request = { idempotency_key: randomUUID(), name: 'Mine', ...(kind === 'property' && PROPERTIES) }
    const first = await client.call(`create_${kind}_list`, request)
    const again = await client.call(`create_${kind}_list`, request)
    expect(again.data).toEqual({ ...first.data, replayed: true })
    planted.set(`the fetch token of a ${kind} list`, first.data.auth_token)
  }
}
const PROPERTIES = {
  base_properties: [{ selection_type: 'identifiers', identifiers: [{ type: 'domain', value: 'news.example' }] }],
}

beforeAll(async () => {
  receiver = await startReceiver()
  agent = await startMediaBuyAgent([productDocument('news')], {
    sandbox: true,
    onLog: (line) => logged.push(line),
    webhooks: { limits: { pollMs: 20 } },
  })
  await useGoodOnes()
  await sendInHeaders()
  await sendInArguments()
  await registerWebhooks()
  await entrustOthers()
  await askForListTokens()
  for (const path of ['/metrics', '/readyz']) answered.push(await (await fetch(agent.url.replace('/mcp', path))).text())
  const box = await operatorOn(agent.server.store, agent.config).services.signingKeyBox()
  for (const row of await listSigningKeys(agent.server.store.read)) {
    planted.set(`our own private key for ${row.purpose}`, JSON.parse(box.open(row.private_jwk, `signing_keys/${row.kid}`)).d)
  }
  planted.set("the deployment's secret", readFileSync(join(agent.config.data, 'deployment.secret'), 'utf8').trim())
})
afterAll(async () => {
  await agent.stop()
  await receiver.close()
})

/** The names of the secrets that a text holds, as they are or in another common spelling. */
function heldBy(text: string): string[] {
  const spellings = (secret: string) => [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('hex'),
    encodeURIComponent(secret),
  ]
  return [...planted]
    .filter(([, secret]) => spellings(secret).some((spelling) => text.includes(spelling)))
    .map(([where]) => where)
}

describe('planted secrets', () => {
  it('there are at least thirty, all distinct and long', () => {
    expect(new Set(planted.values()).size).toBe(planted.size)
    expect(planted.size).toBeGreaterThanOrEqual(30)
    for (const secret of planted.values()) expect(secret.length).toBeGreaterThanOrEqual(32)
  })

  it('would be found', () => {
    const [[where, secret]] = [...planted] as [[string, string]]
    expect(heldBy(`… ${secret} …`)).toEqual([where])
    expect(heldBy(`… ${Buffer.from(secret).toString('base64')} …`)).toContain(where)
  })

  it('are in no line of the log, not even at its most talkative', () => {
    expect(logged.length).toBeGreaterThan(30)
    expect(heldBy(logged.join('\n'))).toEqual([])
  })

  it('are in no answer and no error', () => {
    expect(answered.length).toBeGreaterThan(planted.size)
    expect(heldBy(answered.join('\n'))).toEqual([])
  })

  it('are in no byte of the database', () => {
    const files = readdirSync(agent.config.data).filter((name) => name.startsWith('sales-agent.sqlite'))
    expect(files).toContain('sales-agent.sqlite-wal')
    const bytes = files.map((name) => readFileSync(join(agent.config.data, name), 'latin1')).join('\n')
    expect(bytes).toContain('webhook-signing')
    expect(heldBy(bytes)).toEqual([])
  })
})
