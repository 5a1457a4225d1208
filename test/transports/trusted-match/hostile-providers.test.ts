import type { Http2ServerResponse } from 'node:http2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MatchBehaviour, type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, registered, startTestRouter, type TestRouter } from '../../support/match-router.ts'

const DRIP_MS = 20

/** Answers byte by byte, and stops when it is given up. */
function drip(response: Http2ServerResponse, text: string): undefined {
  const bytes = [...text]
  const timer = setInterval(() => {
    const byte = bytes.shift()
    if (byte === undefined || response.destroyed) clearInterval(timer)
    else response.write(byte)
  }, DRIP_MS)
  return undefined
}

const answering =
  (textOf: (plain: object) => string): MatchBehaviour =>
  (received, response) => {
    response.end(textOf(offers('lie')(received, response) ?? {}))
    return undefined
  }

const BEHAVIOURS: Readonly<Record<string, MatchBehaviour>> = {
  'answers ten megabytes': answering((plain) => JSON.stringify({ ...plain, padding: 'x'.repeat(10_000_000) })),
  'answers ten megabytes of white space after its answer': answering((plain) => JSON.stringify(plain) + ' '.repeat(10_000_000)),
  'answers a byte at a time': (received, response) => drip(response, JSON.stringify(offers('lie')(received, response))),
  'never answers': () => undefined,
  'answers a member twice': answering((plain) => JSON.stringify(plain).replace('{', '{"request_id":"id-1",')),
  'answers a member twice, once as an escape': answering((plain) =>
    JSON.stringify(plain).replace('{', '{"\\u0073tatus":"completed",'),
  ),
  'answers half of a surrogate pair': answering((plain) => JSON.stringify(plain).replace('"lie"', '"lie\\udc00"')),
  'answers bytes that are no UTF-8': (received, response) => {
    response.end(
      Buffer.concat([
        Buffer.from(JSON.stringify(offers('lie')(received, response)).replace('lie"]', 'lie')),
        Buffer.from([0xff, 0x22, 0x5d, 0x7d]),
      ]),
    )
    return undefined
  },
  'redirects, which is not followed': ({ path }, response) => {
    response.statusCode = 307
    response.setHeader('location', `${path}?again`)
    response.end()
    return undefined
  },
  'answers for another request': answering((plain) => JSON.stringify({ ...plain, request_id: 'another' })),
  'says who it is itself, in buckets of the router': answering((plain) =>
    JSON.stringify({
      ...plain,
      signals_by_provider: { good: { targeting_kvs: [{ key: 'k', value: 'v' }] } },
      tmpx_providers: { good: { chunks: [] } },
    }),
  ),
  'compresses its answer': (received, response) => {
    response.setHeader('content-encoding', 'gzip')
    response.end(Buffer.from(`\u001f\u008b${JSON.stringify(offers('lie')(received, response))}`, 'latin1'))
    return undefined
  },
}

describe('a router leaves out a provider, and that one alone, which', () => {
  let hostile: MatchProvider
  let good: MatchProvider
  let router: TestRouter
  beforeAll(async () => {
    hostile = await startMatchProvider(offers())
    good = await startMatchProvider(offers('good'))
    router = await startTestRouter([registered('hostile', hostile), registered('good', good)], { deadlineMs: 1_500 })
  })
  afterAll(async () => {
    await router?.stop()
    await hostile?.stop()
    await good?.stop()
  })

  it.each(Object.entries(BEHAVIOURS))('%s', async (_name, behave) => {
    hostile.behave = behave
    const before = hostile.received.length
    const context = await router.post('/context', contextRequest({ request_id: 'id-1' }))
    const identity = await router.post('/identity', identityRequest({ request_id: 'id-1' }))
    expect(context.value.offers).toEqual([{ package_id: 'good' }])
    expect(identity.value.eligible_package_ids).toEqual(['good'])
    expect(hostile.received.length - before).toBe(2)
  })
})
