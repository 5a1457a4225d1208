import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { healthLimit } from '../../../src/compose/trusted-match/health-limit.ts'
import { healthRoute } from '../../../src/transports/trusted-match/health-route.ts'
import { headerOf } from '../../../src/transports/trusted-match/match-exchange.ts'
import { listenForMatches, type MatchListener } from '../../../src/transports/trusted-match/match-listener.ts'
import { startTestRouter } from '../../support/match-router.ts'

describe('GET /health', () => {
  const state = { isReady: true, checks: 0 }
  let listener: MatchListener
  beforeAll(async () => {
    const route = healthRoute({
      async check() {
        state.checks += 1
        if (!state.isReady) throw new Error('the database db-1.internal is gone')
      },
      waitOf: healthLimit((request) => headerOf(request, 'x-from')),
    })
    const options = { host: '127.0.0.1', port: 0, drainMs: 100, onFailure: () => {} }
    listener = await listenForMatches(options, new Map([['/health', route]]))
  })
  afterAll(() => listener?.close())

  const ask = async (from: string) => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/health`, { headers: { 'x-from': from } })
    return { status: answer.status, text: await answer.text(), wait: answer.headers.get('retry-after') }
  }

  it('is limited for each address, without looking anything up for what is beyond', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 12; count += 1) statuses.push((await ask('192.0.2.1')).status)
    expect(statuses).toEqual([...Array(10).fill(200), 429, 429])
    expect(state.checks).toBe(10)
    expect(Number((await ask('192.0.2.1')).wait)).toBeGreaterThan(0)
    expect((await ask('192.0.2.2')).status).toBe(200)
    // Addresses of one network of IPv6 count together.
    for (let count = 0; count < 10; count += 1) expect((await ask(`2001:db8::${count}`)).status).toBe(200)
    expect((await ask('2001:db8::ffff')).status).toBe(429)
  })

  it('says 503 and no reason when requests cannot be answered', async () => {
    state.isReady = false
    expect(await ask('192.0.2.3')).toMatchObject({ status: 503, text: 'Not ready.\n' })
    state.isReady = true
    expect(JSON.parse((await ask('192.0.2.3')).text)).toEqual({ status: 'ok' })
  })
})

it('a router limits it by the other end of the connection, and leaves /healthz to what watches its process', async () => {
  const router = await startTestRouter([])
  try {
    const statusOf = async (path: string) => (await fetch(router.origin + path)).status
    const statuses: Record<string, number[]> = { '/health': [], '/healthz': [] }
    for (const [path, found] of Object.entries(statuses))
      for (let count = 0; count < 11; count += 1) found.push(await statusOf(path))
    expect(statuses['/health']?.at(-1)).toBe(429)
    expect(new Set(statuses['/healthz'])).toEqual(new Set([200]))
  } finally {
    await router.stop()
  }
})
