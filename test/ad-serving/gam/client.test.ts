import { decodeJwt, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { createGamClient } from '../../../src/ad-serving/gam/client.ts'
import { FetchFailure } from '../../../src/platform/net/fetch-policy.ts'
import type { CallRequest, OutboundCall } from '../../../src/platform/net/outbound-call.ts'
import { createAccessTokens, readServiceAccountKey } from '../../../src/security/auth/service-account.ts'
import { rsaKeyPair } from '../../support/shared-inputs.ts'

const { publicKey, privateKey } = rsaKeyPair()
const FILE = {
  type: 'service_account',
  client_email: 'agent@project.iam.gserviceaccount.com',
  private_key_id: 'key-1',
  private_key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  token_uri: 'https://oauth2.googleapis.com/token',
}
const NOW = new Date('2026-06-01T00:00:00Z')

type Reply = { readonly status?: number; readonly body?: string; readonly retryAfter?: number } | FetchFailure

/** A network that gives the replies one after the other, and tokens in between. */
function network(replies: readonly Reply[]) {
  const calls: { readonly url: string; readonly request: CallRequest }[] = []
  const rest = [...replies]
  let tokens = 0
  const pauses: number[] = []
  const answer = ({ status = 200, body = '{}', retryAfter }: Exclude<Reply, FetchFailure>) => ({
    status,
    body: Buffer.from(body),
    contentType: 'application/json',
    retryAfterSeconds: retryAfter,
  })
  const call: OutboundCall = async (url, request) => {
    if (url === FILE.token_uri) {
      tokens += 1
      calls.push({ url, request })
      return answer({ body: JSON.stringify({ access_token: `token-${tokens}`, expires_in: 3600 }) })
    }
    calls.push({ url, request })
    const reply = rest.shift()
    if (!reply) throw new Error('one call too many')
    if (reply instanceof FetchFailure) throw reply
    return answer(reply)
  }
  const clock = () => NOW
  const accessTokens = createAccessTokens({ key: async () => readServiceAccountKey(FILE), scope: 'scope', call, clock })
  const pause = async (ms: number) => {
    pauses.push(ms)
  }
  const slowed: number[] = []
  const pace = { turn: async () => undefined, slower: () => void slowed.push(ofApi().length) }
  const endpoint = 'https://api.example'
  const client = createGamClient({ call, tokens: accessTokens, networkCode: '1', endpoint, pause, pace })
  const ofApi = () => calls.filter(({ url }) => url !== FILE.token_uri)
  return { client, calls, ofApi, pauses, slowed, tokenCalls: () => calls.length - ofApi().length }
}

const error = (code: number, status: string) => JSON.stringify({ error: { code, message: 'No.', status } })
const create = (client: ReturnType<typeof network>['client']) => client.post('networks/1/orders:batchCreate', {}, 'creation')

describe('a client of the REST API', () => {
  test('asks for one token with a signed assertion and sends it', async () => {
    const { client, calls, ofApi } = network([{}, {}])
    await Promise.all([client.get('networks/1'), client.get('networks/1')])
    expect(calls.length).toBe(3)
    const form = new URLSearchParams(String(calls[0]?.request.body))
    const assertion = form.get('assertion') ?? ''
    const { payload } = await jwtVerify(assertion, publicKey, { currentDate: NOW, audience: FILE.token_uri })
    expect(payload).toMatchObject({ iss: FILE.client_email, scope: 'scope' })
    expect(Number(decodeJwt(assertion).exp) - Number(payload.iat)).toBeLessThanOrEqual(3600)
    expect(ofApi().map(({ request }) => request.headers?.authorization)).toEqual(['Bearer token-1', 'Bearer token-1'])
  })

  test('replaces a token that is refused, once', async () => {
    const { client, tokenCalls } = network([{ status: 401, body: error(401, 'UNAUTHENTICATED') }, {}])
    await client.get('networks/1')
    expect(tokenCalls()).toBe(2)
    const refused = network(Array.from({ length: 3 }, () => ({ status: 401, body: error(401, 'UNAUTHENTICATED') })))
    await expect(refused.client.get('networks/1')).rejects.toMatchObject({ code: 'CONFIGURATION_ERROR' })
  })

  test('reads and repeatable changes are repeated after 5xx, silence and truncated answers', async () => {
    const silence = new FetchFailure('timeout', 'silent')
    const { client, ofApi } = network([{ status: 500, body: '' }, silence, { body: '{"a":1}' }])
    expect(await client.post('networks/1/orders:batchUpdate', {}, 'repeatable')).toEqual({ a: 1 })
    expect(ofApi().length).toBe(3)
    const truncated = network([{ body: '{"a":' }, { body: '{"a":2}' }])
    expect(await truncated.client.get('networks/1')).toEqual({ a: 2 })
  })

  test('waits as long as it is told, within bounds', async () => {
    const { client, pauses, slowed } = network([
      { status: 429, body: '', retryAfter: 2 },
      { status: 429, body: '', retryAfter: 900 },
      {},
    ])
    await client.get('networks/1')
    expect(pauses).toEqual([2000, 5000])
    expect(slowed).toEqual([1, 2])
  })

  test('a creation is repeated only when it certainly had no effect', async () => {
    const quota = network([{ status: 429, body: '' }, new FetchFailure('connect', 'refused'), {}])
    await create(quota.client)
    expect(quota.ofApi().length).toBe(3)
    for (const reply of [{ status: 500, body: '' }, new FetchFailure('timeout', 'silent'), { body: '{"orders":' }]) {
      const unknown = network([reply, {}])
      await expect(create(unknown.client)).rejects.toMatchObject({ name: 'GamOutage', effect: 'unknown' })
      expect(unknown.ofApi().length).toBe(1)
    }
  })

  test('a change at the same moment and a quota among the errors are repeated, a refusal beside them is not', async () => {
    const answer = (status: string, ...codes: readonly string[]) => {
      const details = codes.map((errorCode) => ({ errorCode }))
      return { status: 409, body: JSON.stringify({ error: { code: 409, message: 'Not now.', status, details } }) }
    }
    const again = network([answer('ABORTED'), answer('INVALID_ARGUMENT', 'CONCURRENT_MODIFICATION', 'EXCEEDED_QUOTA'), {}])
    await create(again.client)
    expect(again.ofApi().length).toBe(3)
    // The calls are too fast for the quota alone.
    expect(again.slowed).toEqual([2])
    const refused = network([answer('INVALID_ARGUMENT', 'CONCURRENT_MODIFICATION', 'REQUIRED'), {}])
    await expect(create(refused.client)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(refused.ofApi().length).toBe(1)
  })

  test('a refusal says what Google says, and is not repeated', async () => {
    const details = [{ errorCode: 'START_DATE_TIME_IS_IN_PAST', fieldPath: 'lineItem.startTime', message: 'in the past' }]
    const body = JSON.stringify({ error: { code: 400, message: 'Invalid.', status: 'INVALID_ARGUMENT', details } })
    const { client, ofApi } = network([{ status: 400, body }])
    await expect(create(client)).rejects.toThrow(/INVALID_ARGUMENT.*START_DATE_TIME_IS_IN_PAST lineItem\.startTime in the past/)
    expect(ofApi().length).toBe(1)
  })

  test('a list is read to its end, and a list without end is refused', async () => {
    const { client, ofApi } = network([
      { body: '{"orders":[{"name":"a"}],"nextPageToken":"n"}' },
      { body: '{"orders":[{"name":"b"}]}' },
    ])
    expect(await client.list('networks/1/orders', 'orders', { filter: 'archived = false' })).toEqual([
      { name: 'a' },
      { name: 'b' },
    ])
    expect(ofApi()[1]?.url).toContain('filter=archived+%3D+false&pageToken=n')
    const endless = network(Array.from({ length: 201 }, () => ({ body: '{"nextPageToken":"n"}' })))
    await expect(endless.client.list('networks/1/orders', 'orders')).rejects.toThrow('more than 200 pages')
  })
})

test.each([
  ['no JSON', 'text', /not JSON/],
  ['another kind of key', { type: 'authorized_user' }, /not of a service account/],
  ['a key without its private part', { ...FILE, private_key: undefined }, /no "private_key"/],
])('a key file with %s is refused', (_what, file, message) => {
  expect(() => readServiceAccountKey(file)).toThrow(message)
})
