import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startOwnChecks } from '../../src/compose/own-checks.ts'
import { findBrokenPromises } from '../../src/operator/notifications/find-broken-promises.ts'
import { periodOf } from '../../src/operator/seller-checks/check-self.ts'
import { showOwnCheck } from '../../src/operator/seller-checks/show-own-check.ts'
import { createLog } from '../../src/platform/log.ts'
import { claimCheck, listChecks } from '../../src/store/seller-check/seller-checks.ts'
import { startFaultySeller } from '../support/faulty-seller.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { acting, operatorBeside } from '../support/operator.ts'
import { startAgent } from '../support/start-agent.ts'

let agent: MediaBuyAgent
let now = new Date('2026-03-04T12:00:00Z')

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now, flags: { 'selfCheck.publish': true } })
})
afterAll(() => agent.stop())

/** Lets the job look once, with this address and key. */
async function look(url = agent.url): Promise<void> {
  const { server, config, key } = agent
  const selfCheck = { ...config.selfCheck, every: 'week', key, brief: 'news' } as const
  const parts = { store: server.store, keys: server.keys, clock: () => now, log: createLog('silent') }
  const job = startOwnChecks({ ...parts, config: { ...config, selfCheck }, agentUrl: url, everyMs: 10_000 })
  job?.wake()
  await job?.idle()
  await job?.stop()
}

const read = (path: string) => fetch(new URL(path, agent.url))

it('weeks begin on Monday, UTC', () => {
  const at = new Date('2026-03-01T23:59:59Z')
  expect([periodOf(at, 'day'), periodOf(at, 'week'), periodOf(new Date('2026-03-02T00:00:00Z'), 'week')]).toEqual([
    '2026-03-01',
    '2026-02-23',
    '2026-03-02',
  ])
})

it('without selfCheck.every nothing is checked, and nobody finds a report', async () => {
  const { server, config } = agent
  const parts = { store: server.store, keys: server.keys, clock: () => now, log: createLog('silent') }
  expect(startOwnChecks({ ...parts, config, agentUrl: agent.url })).toBeUndefined()
  expect((await read('/checks/latest.json')).status).toBe(404)
})

it('a week is checked once, and the report is signed with a key that the agent publishes', async () => {
  await look()
  await look()
  expect(await listChecks(agent.server.store.read)).toMatchObject([
    { period: '2026-03-02', tenantId: 'acme', broken: [], endedAt: now.toISOString() },
  ])
  const [text, signature, jwks] = await Promise.all(
    ['/checks/latest.json', '/checks/2026-03-02.json.jws', '/.well-known/jwks.json'].map(async (path) =>
      (await read(path)).text(),
    ),
  )
  const [header = '', , signed = ''] = (signature ?? '').split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const jwk = JSON.parse(jwks ?? '').keys.find((each: { kid: string }) => each.kid === kid)
  const input = Buffer.from(`${header}.${Buffer.from(text ?? '').toString('base64url')}`)
  expect(verify(null, input, createPublicKey({ key: jwk, format: 'jwk' }), Buffer.from(signed, 'base64url'))).toBe(true)
  expect(JSON.parse(text ?? '').sellers[0].counts).toMatchObject({ broken: 0 })
  const page = await read('/checks/latest.html')
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(await page.text()).toContain('Promises of AdCP sellers')
  expect(await (await read('/checks')).json()).toMatchObject({ checks: [{ period: '2026-03-02', broken: [] }] })
  expect(text).not.toContain(agent.key)
})

it('people are told of a promise that was held the week before, once it is broken', async () => {
  const context = operatorBeside(agent, () => now)
  expect(await findBrokenPromises(context, 'acme')).toEqual([])
  now = new Date('2026-03-11T12:00:00Z')
  const faulty = await startFaultySeller(agent.url, { answer: (_tool, { context: _lost, ...answer }) => answer })
  try {
    await look(faulty.url)
  } finally {
    await faulty.stop()
  }
  const found = await findBrokenPromises(context, 'acme')
  expect(found).toContainEqual(expect.objectContaining({ kind: 'promise_broken', subject: 'context-returned' }))
  expect(await findBrokenPromises(context, 'other')).toEqual([])
  await expect(showOwnCheck.run(acting(context, 'acme'), { period: '2020-01-01' })).rejects.toThrow('no check of')
})

it('a check whose process was stopped is taken over after half an hour, and not before', async () => {
  const { store } = agent.server
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 20, 12, minute))
  const claim = (minute: number) => claimCheck(store, '2026-03-16', at(minute), 30 * 60_000)
  expect([await claim(0), await claim(29), await claim(30), await claim(31)]).toEqual([true, false, true, false])
})

it('requests of published reports count against the limit of calls without credentials', async () => {
  const limits = { 'limits.anonymous': 2, 'limits.windowSeconds': 600 }
  const flags = { mode: 'production', trustedProxies: ['127.0.0.1'], 'selfCheck.publish': true, ...limits }
  const limited = await startAgent({ flags })
  const asked = async (path: string, address = '198.51.100.1') => {
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': address }
    const response = await fetch(new URL(path, limited.url), { headers })
    const { error }: { error?: { code?: string } } = Object(await response.json())
    return [response.status, response.headers.has('retry-after'), error?.code]
  }
  try {
    expect(await asked('/checks')).toEqual([200, false, undefined])
    expect((await asked('/checks/latest.json')).slice(0, 2)).toEqual([404, false])
    expect(await asked('/checks')).toEqual([429, true, 'RATE_LIMITED'])
    expect(await asked('/checks/latest.html')).toEqual([429, true, 'RATE_LIMITED'])
    expect(await asked('/checks', '198.51.100.2')).toEqual([200, false, undefined])
  } finally {
    await limited.stop()
  }
})
