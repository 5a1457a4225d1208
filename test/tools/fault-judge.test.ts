import { describe, expect, it } from 'vitest'
import { type Evidence, judge } from '../../tools/faults/judge.ts'
import type { Arrival } from '../../tools/faults/moods.ts'
import { seeded } from '../../tools/faults/random.ts'

const arrival = (key: string, operation: string, status: string, mood: Arrival['mood'] = 'takes', more = ''): Arrival => {
  const body = { idempotency_key: key, operation_id: operation, result: { status } }
  const bytes = Buffer.from(JSON.stringify(body) + more)
  return { mood, webhook: { url: 'http://127.0.0.1/x', path: '/x', headers: {}, rawHeaders: [], bytes, body } }
}

const good: Evidence = {
  rounds: 1,
  seed: 1,
  kills: { server: 1, seller: 1, callsCutOff: 0, startMs: 0 },
  wanted: [
    { key: 'at-once', waits: false, cancels: true, answer: { mediaBuyId: 'mb-1' } },
    { key: 'by-hand', waits: true, cancels: false, answer: { taskId: 'task-1' } },
  ],
  mediaBuys: [
    { media_buy_id: 'mb-1', status: 'canceled' },
    { media_buy_id: 'mb-2', status: 'pending_creatives' },
  ],
  tasks: new Map([['task-1', { status: 'completed', result: { media_buy_id: 'mb-2' } }]]),
  arrivals: [
    arrival('k1', 'at-once', 'pending_creatives', 'fails'),
    arrival('k1', 'at-once', 'pending_creatives'),
    arrival('k2', 'by-hand', 'pending_creatives'),
    arrival('k3', 'at-once', 'canceled'),
  ],
  keySet: { keys: [] },
  undelivered: 0,
}
/** Signatures are judged elsewhere; these arrivals have none. */
const problemsOf = async (evidence: Partial<Evidence>) =>
  (await judge({ ...good, ...evidence })).problems.filter((problem) => !/signature|header|malformed|required/i.test(problem))

describe('the judge of the fault rounds', () => {
  it('finds nothing where all is well, and every missing signature', async () => {
    expect(await problemsOf({})).toEqual([])
    const { webhooks } = await judge(good)
    expect(webhooks).toMatchObject({ arrivals: 4, events: 3, repeated: 1, signaturesValid: 0, moods: { takes: 3, fails: 1 } })
  })

  it.each<[string, Partial<Evidence>, RegExp]>([
    ['a lost order', { mediaBuys: good.mediaBuys.slice(0, 1) }, /by-hand: its media buy is not stored/],
    [
      'an order bought twice',
      { mediaBuys: [...good.mediaBuys, { media_buy_id: 'mb-3', status: 'active' }] },
      /mb-3: bought by nobody/,
    ],
    ['a task that never ends', { tasks: new Map([['task-1', { status: 'submitted' }]]) }, /by-hand: its task is submitted/],
    ['a lost event', { arrivals: good.arrivals.slice(0, 3) }, /at-once: was told pending_creatives$/],
    ['an event told twice', { arrivals: [...good.arrivals, arrival('k4', 'by-hand', 'pending_creatives')] }, /by-hand: was told/],
    ['the wrong order', { arrivals: good.arrivals.toReversed() }, /at-once: was told canceled, then/],
    [
      'other bytes under the same key',
      { arrivals: [...good.arrivals, arrival('k2', 'by-hand', 'pending_creatives', 'takes', ' ')] },
      /k2: came with different bytes/,
    ],
    [
      'a webhook that was never taken',
      {
        arrivals: [...good.arrivals.slice(0, 3), arrival('k3', 'at-once', 'canceled', 'late')].map((one) => ({
          ...one,
          mood: one.webhook.body.idempotency_key === 'k2' ? 'fails' : one.mood,
        })),
      },
      /k2: never taken/,
    ],
    ['webhooks that still wait', { undelivered: 2 }, /2 webhooks/],
  ])('finds %s', async (_name, evidence, expected) => {
    expect(await problemsOf(evidence)).toEqual(expect.arrayContaining([expect.stringMatching(expected)]))
  })

  it('draws the same numbers for the same seed', () => {
    const [a, b, c] = [seeded(1), seeded(1), seeded(2)]
    const first = [a(), a(), a()]
    expect([b(), b(), b()]).toEqual(first)
    expect(c()).not.toBe(first[0])
    expect(first.every((n) => n >= 0 && n < 1)).toBe(true)
  })
})
