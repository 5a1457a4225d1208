import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BREAKER_THRESHOLD } from '../../../src/domain/webhook/retry.ts'
import { redeliver } from '../../../src/store/webhook/outbox.ts'
import { leaseDue } from '../../../src/store/webhook/outbox-leases.ts'
import { settle } from '../../../src/store/webhook/outbox-results.ts'
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { type Outbound, startOutbound, TENANT } from './outbound.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe('dispatcher', () => {
  let outbound: Outbound
  let receiver: WebhookReceiver

  beforeEach(async () => {
    outbound = await startOutbound()
    receiver = await startReceiver()
  })
  afterEach(async () => {
    await outbound.close()
    await receiver.close()
  })

  /** Lets everything that is due now be tried. */
  const look = async (dispatcher = dispatchers()) => {
    dispatcher.wake()
    await dispatcher.idle()
  }
  const dispatchers = () => outbound.dispatcher()
  const lease = async (limit = 10) => {
    const room = { room: () => 8, full: [], roomOfBuyer: () => 24, fullBuyers: [] }
    return (await leaseDue(outbound.store, { now: outbound.now(), leaseMs: 30_000, ...room, limit, from: '' })).leased
  }

  it('repeats the same bytes and key until the receiver takes them, and not after', async () => {
    receiver.answer((_webhook, response, count) => response.writeHead(count < 3 ? 503 : 200).end())
    const id = await outbound.put(await outbound.endpoint(`${receiver.origin}/a`))
    const dispatcher = outbound.dispatcher()
    for (let attempt = 0; attempt < 6; attempt++) {
      await look(dispatcher)
      outbound.pass(MINUTE)
    }
    const came = receiver.at('/a')
    expect(came).toHaveLength(4)
    expect(new Set(came.map(({ bytes }) => bytes.toString('hex'))).size).toBe(1)
    expect(new Set(came.map(({ headers }) => headers['signature-input'])).size).toBe(4)
    expect(await outbound.delivery(id)).toMatchObject({ state: 'delivered', attempts: 4, lastStatus: 200 })
  })

  it('waits longer after each failure, and as long as it is asked to', async () => {
    const id = await outbound.put(await outbound.endpoint(`${receiver.origin}/a`))
    const dispatcher = outbound.dispatcher()
    const pauses: number[] = []
    for (const header of [undefined, undefined, undefined, '120']) {
      receiver.answer((_webhook, response) => response.writeHead(429, header ? { 'Retry-After': header } : {}).end())
      await look(dispatcher)
      const next = Date.parse((await outbound.delivery(id))?.nextAttemptAt ?? '')
      pauses.push(next - outbound.now().getTime())
      outbound.pass(next - outbound.now().getTime())
    }
    expect(pauses).toEqual([500, 1000, 2000, 120_000])
  })

  it('keeps the order of a task while other tasks overtake it', async () => {
    receiver.answer(({ body }, response, count) => response.writeHead(body.message === 'first' && count < 2 ? 500 : 200).end())
    const slow = await outbound.endpoint(`${receiver.origin}/slow`)
    const quick = await outbound.endpoint(`${receiver.origin}/quick`)
    for (const message of ['first', 'second', 'third']) await outbound.put(slow, message)
    await outbound.put(quick, 'other')
    const dispatcher = outbound.dispatcher()
    await look(dispatcher)
    expect(receiver.at('/quick')).toHaveLength(1)
    expect(receiver.at('/slow').map(({ body }) => body.message)).toEqual(['first'])
    for (let attempt = 0; attempt < 3; attempt++) {
      outbound.pass(MINUTE)
      await look(dispatcher)
    }
    expect(receiver.at('/slow').map(({ body }) => body.message)).toEqual(['first', 'first', 'first', 'second', 'third'])
  })

  it('takes a refusal for an answer, moves on, and sends it again when the operator says so', async () => {
    receiver.answer(({ body }, response) => response.writeHead(body.message === 'bad' ? 400 : 200).end())
    const endpoint = await outbound.endpoint(`${receiver.origin}/a`)
    const bad = await outbound.put(endpoint, 'bad')
    await outbound.put(endpoint, 'good')
    const givenUp: unknown[] = []
    const dispatcher = outbound.dispatcher({ onGivenUp: (...what) => givenUp.push(what) })
    await look(dispatcher)
    expect(givenUp).toEqual([['refused', 1]])
    expect(await outbound.delivery(bad)).toMatchObject({ state: 'dead', attempts: 1, lastStatus: 400 })
    expect(receiver.at('/a').map(({ body }) => body.message)).toEqual(['bad', 'good'])

    receiver.answer((_webhook, response) => response.writeHead(204).end())
    expect(await outbound.store.transaction((tx) => redeliver(tx, TENANT, bad))).toBe(true)
    expect(await outbound.store.transaction((tx) => redeliver(tx, 'other', bad))).toBe(false)
    await look(dispatcher)
    expect(await outbound.delivery(bad)).toMatchObject({ state: 'delivered' })
    expect(receiver.at('/a')[2]?.bytes).toEqual(receiver.at('/a')[0]?.bytes)
  })

  it.each([302, 307, 401, 404, 409, 410])('does not repeat what was answered with %i', async (status) => {
    receiver.answer((_webhook, response) => response.writeHead(status, { Location: `${receiver.origin}/elsewhere` }).end())
    const id = await outbound.put(await outbound.endpoint(`${receiver.origin}/a`))
    await look()
    expect(await outbound.delivery(id)).toMatchObject({ state: 'dead', lastStatus: status })
    expect(receiver.received).toHaveLength(1)
  })

  it('delivers everything, in order, to a receiver that was down for a day', async () => {
    let down = true
    receiver.answer((_webhook, response) => (down ? response.destroy() : response.writeHead(200).end()))
    const endpoint = await outbound.endpoint(`${receiver.origin}/a`)
    const dispatcher = outbound.dispatcher()
    for (let hour = 0; hour < 24; hour++) {
      await outbound.put(endpoint, `hour ${hour}`)
      for (let quarter = 0; quarter < 4; quarter++) {
        await look(dispatcher)
        outbound.pass(15 * MINUTE)
      }
    }
    const tries = receiver.received.length
    expect(tries).toBeGreaterThan(24)
    expect(tries).toBeLessThan(200)
    down = false
    // Within a quarter of an hour and its jitter somebody looks whether the receiver is back.
    outbound.pass(15 * MINUTE)
    await look(dispatcher)
    outbound.pass(15 * MINUTE)
    await look(dispatcher)
    expect(await outbound.states()).toEqual({ delivered: 24 })
    const taken = receiver.received.slice(tries).map(({ body }) => body.message)
    expect(taken).toEqual(Array.from({ length: 24 }, (_, hour) => `hour ${hour}`))
  })

  it('gives up after the horizon, not before, and goes on with the next', async () => {
    receiver.answer(({ body }, response) => response.writeHead(body.message === 'first' ? 500 : 200).end())
    const endpoint = await outbound.endpoint(`${receiver.origin}/a`)
    const first = await outbound.put(endpoint, 'first')
    await outbound.put(endpoint, 'second')
    const givenUp: unknown[] = []
    const dispatcher = outbound.dispatcher({ horizonMs: 24 * HOUR, onGivenUp: (...what) => givenUp.push(what) })
    for (let hour = 0; hour < 23; hour++) {
      await look(dispatcher)
      outbound.pass(HOUR)
    }
    expect(await outbound.delivery(first)).toMatchObject({ state: 'pending' })
    for (let hour = 0; hour < 3; hour++) {
      await look(dispatcher)
      outbound.pass(HOUR)
    }
    expect(await outbound.states()).toEqual({ dead: 1, delivered: 1 })
    expect(outbound.log.some((line) => line.includes('webhook given up'))).toBe(true)
    expect(givenUp).toEqual([['horizon', 1]])
  })

  it('stops knocking at an endpoint that fails, tries it with one webhook, and opens it to all when that one arrives', async () => {
    let down = true
    receiver.answer((_webhook, response) => response.writeHead(down ? 500 : 200).end())
    const dispatcher = outbound.dispatcher()
    for (let i = 0; i < 20; i++) await outbound.put(await outbound.endpoint(`${receiver.origin}/${i}`))
    await look(dispatcher)
    const before = receiver.received.length
    expect(before).toBeLessThanOrEqual(BREAKER_THRESHOLD + 8)
    outbound.pass(10)
    await look(dispatcher)
    expect(receiver.received.length).toBe(before)
    outbound.pass(10 * MINUTE)
    await look(dispatcher)
    expect(receiver.received.length).toBe(before + 1)
    down = false
    outbound.pass(20 * MINUTE)
    await look(dispatcher)
    expect(await outbound.states()).toEqual({ delivered: 20 })
  })

  it('does not let a hanging endpoint hold up the others', async () => {
    const hanging: ServerResponse[] = []
    let isHanging = true
    receiver.answer((_webhook, response) => {
      if (isHanging) hanging.push(response)
      else response.writeHead(200).end()
    })
    for (let i = 0; i < 12; i++) await outbound.put(await outbound.endpoint(`${receiver.origin}/hanging`))
    const other = await startReceiver()
    try {
      await outbound.put(await outbound.endpoint(`${other.origin}/b`))
      const dispatcher = outbound.dispatcher({
        post: { times: { readMs: 60_000, totalMs: 60_000 } },
        limits: { concurrency: 10, perEndpoint: 4, pollMs: 10 },
      })
      dispatcher.wake()
      await other.expect('/b', 1)
      // None of these has been given up: the other one has not waited for them.
      expect(hanging.filter(({ destroyed }) => destroyed)).toEqual([])
      expect(hanging.length).toBeLessThanOrEqual(4)
    } finally {
      isHanging = false
      for (const response of hanging) response.writeHead(200).end()
      await other.close()
    }
  })

  it('leaves room for other buyers, however many endpoints of one hang and however many webhooks of it are due', async () => {
    const hanging: ServerResponse[] = []
    const silent = await Promise.all(Array.from({ length: 4 }, () => startReceiver()))
    for (const each of silent) each.answer((_webhook, response) => void hanging.push(response))
    for (const each of silent) for (let i = 0; i < 60; i++) await outbound.put(await outbound.endpoint(`${each.origin}/hanging`))
    try {
      outbound.pass(1_000)
      const other = await outbound.endpoint(`${receiver.origin}/b`, { principalId: 'other' })
      for (let i = 0; i < 5; i++) await outbound.put(other, `${i}`, `${i}`)
      const dispatcher = outbound.dispatcher({
        post: { times: { readMs: 60_000, totalMs: 60_000 } },
        limits: { concurrency: 8, perEndpoint: 4, perBuyer: 6, pollMs: 10 },
      })
      dispatcher.wake()
      await receiver.expect('/b', 5)
      expect(hanging.length).toBeLessThanOrEqual(6)
    } finally {
      for (const each of silent) each.answer((_webhook, response) => void response.writeHead(200).end())
      for (const response of hanging) response.writeHead(200).end()
      await outbound.close()
      for (const each of silent) await each.close()
    }
  })

  it('counts an answer that comes too late as none', async () => {
    const late: ServerResponse[] = []
    receiver.answer((_webhook, response, count) => {
      if (count === 0) late.push(response)
      else response.writeHead(200).end()
    })
    const id = await outbound.put(await outbound.endpoint(`${receiver.origin}/a`))
    await look(outbound.dispatcher({ post: { times: { readMs: 300 } } }))
    for (const response of late) response.writeHead(200).end()
    expect(await outbound.delivery(id)).toMatchObject({ state: 'pending', lastError: expect.stringContaining('timeout') })
    outbound.pass(MINUTE)
    await look()
    expect(await outbound.delivery(id)).toMatchObject({ state: 'delivered', attempts: 2 })
  })

  it('shares one outbox between processes: each webhook goes out once', async () => {
    const endpoint = await outbound.endpoint(`${receiver.origin}/a`)
    for (let i = 0; i < 60; i++) await outbound.put(endpoint, `${i}`, `task ${i % 20}`)
    const both = [outbound.dispatcher(), outbound.dispatcher()]
    for (const dispatcher of both) dispatcher.wake()
    for (const dispatcher of both) await dispatcher.idle()
    await look(both[0])
    expect(await outbound.states()).toEqual({ delivered: 60 })
    const messages = receiver.at('/a').map(({ body }) => Number(body.message))
    expect(new Set(messages).size).toBe(60)
    expect(messages).toHaveLength(60)
    for (let task = 0; task < 20; task++) {
      const own = messages.filter((message) => message % 20 === task)
      expect(own).toEqual([...own].sort((a, b) => a - b))
    }
  })

  it('takes over from a process that died, and a late result of that process does not count', async () => {
    const id = await outbound.put(await outbound.endpoint(`${receiver.origin}/a`))
    const [dead] = await lease()
    expect(dead).toBeDefined()
    await look()
    expect(receiver.received).toHaveLength(0)
    outbound.pass(30_001)
    await look()
    expect(receiver.at('/a')).toHaveLength(1)
    if (!dead) throw new Error('nothing was leased')
    const options = { now: outbound.now(), horizonMs: HOUR, chance: 0.5 }
    expect(await outbound.store.transaction((tx) => settle(tx, dead, { status: 500 }, options))).toBeUndefined()
    expect(await outbound.delivery(id)).toMatchObject({ state: 'delivered' })
  })

  it('gives back at shutdown what it could not finish', async () => {
    receiver.answer(() => undefined)
    const id = await outbound.put(await outbound.endpoint(`${receiver.origin}/a`))
    const dispatcher = outbound.dispatcher({ limits: { graceMs: 20 } })
    dispatcher.wake()
    await receiver.expect('/a', 1)
    await dispatcher.stop()
    expect(await outbound.delivery(id)).toMatchObject({ state: 'pending', attempts: 0 })
    expect(await lease()).toHaveLength(1)
  })
})
