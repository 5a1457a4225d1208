import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { senderAt } from '../../../src/platform/net/body-room.ts'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { replyToMessage } from '../../../src/transports/trusted-match/reply-to-message.ts'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, registered, SELLER, startTestRouter } from '../../support/match-router.ts'
import { type ReferenceProvider, sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'

const schemas = matchSchemas()
const validError = schemas.validator('trusted-match/error.json')
const PATHS = [
  ['/context', contextRequest()],
  ['/identity', identityRequest({ consent: { gdpr: false } })],
] as const

describe('a provider', () => {
  let provider: ReferenceProvider
  beforeAll(async () => {
    provider = await startReferenceProvider({
      sellers: [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }],
      packages: [{ packageId: 'known', sellerAgentUrl: SELLER, mediaBuyId: 'mb' }],
    })
  })
  afterAll(() => provider?.stop())

  it('unknown_package when a context names packages of which it has none, though it has others of the seller', async () => {
    const plain = PATHS[0][1]
    const none = await provider.ask('/context', { ...plain, request_id: 'none', package_ids: ['unsold'] })
    expect([none.status, validError(none.value)]).toEqual([200, []])
    expect(none.value).toMatchObject({ request_id: 'none', code: 'unknown_package' })
    const one = await provider.ask('/context', { ...plain, request_id: 'one', package_ids: ['unsold', 'known'] })
    expect(one.value).toMatchObject({ request_id: 'one', offers: [{ package_id: 'known' }] })
    const unsynced = { ...plain, seller_agent_url: 'https://unsynced.example/mcp' }
    const other = await provider.ask('/context', { ...unsynced, request_id: 'unsynced', package_ids: ['known'] })
    expect(other.value).toMatchObject({ request_id: 'unsynced', offers: [] })
  })

  it('no error for packages that a request about a user names in vain: it would show which are registered', async () => {
    const plain = PATHS[1][1]
    const ask = async (more: object) => (await provider.ask('/identity', { ...plain, request_id: randomUUID(), ...more })).value
    expect(await ask({ package_ids: ['unsold'] })).toMatchObject({ status: 'completed', eligible_package_ids: [] })
    expect(await ask({ package_ids: ['unsold', 'known'] })).toMatchObject({ eligible_package_ids: ['known'] })
    expect(await ask({ seller_agent_url: 'https://unsynced.example/mcp' })).toMatchObject({ eligible_package_ids: [] })
  })

  it('seller_not_authorized for the package of another seller in a sync', async () => {
    const foreign = { package_id: 'p', media_buy_id: 'mb', seller_agent: { agent_url: 'https://other.example/mcp' } }
    const { value } = await provider.sync('sync-key', [foreign])
    expect(validError(value.errors[0])).toEqual([])
    expect(value.errors).toMatchObject([{ request_id: 'p', code: 'seller_not_authorized' }])
  })

  it('provider_unavailable, and 503 where there is no code, when its store fails', async () => {
    await provider.store.transaction((tx) => sql`alter table match_packages rename to match_packages_away`.execute(tx))
    try {
      await expect.poll(async () => (await provider.call(`${provider.origin}/health`)).status, { timeout: 60_000 }).toBe(503)
      // Each path reads the packages again at its own time.
      for (const [path, plain] of PATHS) {
        const ask = async () => (await provider.ask(path, { ...plain, request_id: randomUUID() })).value
        await expect.poll(async () => (await ask()).code, { timeout: 60_000 }).toBe('provider_unavailable')
        expect(validError(await ask())).toEqual([])
      }
      expect((await provider.sync('sync-key', [])).status).toBe(503)
      expect((await provider.impression({ package_id: 'known', seller: SELLER })).status).toBe(503)
    } finally {
      await provider.store.transaction((tx) => sql`alter table match_packages_away rename to match_packages`.execute(tx))
    }
    await expect.poll(async () => (await provider.call(`${provider.origin}/health`)).status, { timeout: 60_000 }).toBe(200)
  })
})

describe('a router', () => {
  let behind: MatchProvider
  beforeAll(async () => {
    behind = await startMatchProvider(offers('p'))
  })
  afterAll(() => behind?.stop())

  it('rate_limited for a publisher that has used up a second, on that path alone', async () => {
    const publishers = [
      {
        id: 'one',
        sellerAgentUrls: [SELLER],
        properties: [PATHS[0][1].property_rid],
        keys: [{ sha256: sha256('k') }],
        maximumPerSecond: 1,
      },
    ]
    const router = await startTestRouter([registered('one', behind)], { publishers })
    const headers = { authorization: 'Bearer k' }
    try {
      const codes = await Promise.all(
        Array.from({ length: 20 }, async () => (await router.post('/context', contextRequest(), headers)).value.code),
      )
      expect(codes).toContain('rate_limited')
      expect(codes).toContain(undefined)
      const { value } = await router.post('/identity', identityRequest(), headers)
      expect(value.type).toBe('identity_match_response')
    } finally {
      await router.stop()
    }
  })
})

describe('an answer', () => {
  const stopping: (() => void)[] = []
  afterEach(() => {
    for (const stop of stopping.splice(0)) stop()
  })
  const failures: unknown[] = []
  const answeredBy = async (match: () => Promise<object>, answerMs = 10_000) => {
    const server = createServer((request, response) => {
      void replyToMessage(request, response, {
        rules: {
          type: 'context_match_request',
          maxBytes: 10_000,
          validate: schemas.validator('trusted-match/context-match-request.json'),
        },
        sender: senderAt('192.0.2.1'),
        refuse: async () => false,
        fault: () => undefined,
        match,
        answerMs,
        present: schemas.validator('trusted-match/provider-context-match-response.json'),
        onAnswer: () => undefined,
        onFailure: (error) => failures.push(error),
      })
    })
    stopping.push(() => server.close())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const answer = await fetch(url, {
      method: 'POST',
      body: JSON.stringify(contextRequest()),
      signal: AbortSignal.timeout(60_000),
    })
    return { status: answer.status, value: JSON.parse(await answer.text()) }
  }

  it.each([
    ['that takes too long is a timeout', () => new Promise<object>(() => {}), 'timeout', 20],
    ['that breaks its schema is an internal_error', async () => ({ offers: 'all' }), 'internal_error', undefined],
    ['that fails is an internal_error', () => Promise.reject(new Error('a secret')), 'internal_error', undefined],
  ])('%s', async (_name, match, code, answerMs) => {
    const { status, value } = await answeredBy(match, answerMs)
    expect([status, validError(value)]).toEqual([200, []])
    expect(value).toMatchObject({ request_id: 'ctx-1', code })
    expect(JSON.stringify(value)).not.toContain('secret')
  })
})
