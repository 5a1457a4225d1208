import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ClaimsOptions, createClaims } from '../../src/store/task/claims.ts'
import { claimKey, EVERY_ACCOUNT } from '../../src/store/task/idempotency.ts'
import { processName } from '../../src/store/task/process-name.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

/** The number of a process of this machine that has ended. */
const ENDED = spawnSync(process.execPath, ['-e', '']).pid
const { machine } = processName()

/** A call whose process stopped between its claim and its effect: the row of an answered call, without the answer. */
async function cutOff(key: string, claim: string, leaseMs: number): Promise<void> {
  await agent.server.store.transaction((tx) =>
    tx
      .updateTable('idempotency')
      .set({ response: null, claim, lease_until: new Date(Date.now() + leaseMs).toISOString() })
      .where('idempotency_key', '=', key)
      .execute(),
  )
}

describe('the first repetition of a call that was cut off', () => {
  const request = (key: string) => ({
    idempotency_key: key,
    accounts: [{ brand: { domain: 'cut-off.example' }, operator: 'cut-off.example', billing: 'operator' }],
  })

  it.each([
    ['by a process that has ended', `${machine} ${ENDED} ${randomUUID()}`, 30_000, true],
    ['by an earlier process of the same number', `${machine} ${process.pid} ${randomUUID()}`, 30_000, true],
    ['by a process of another machine that gives no sign of life any more', `elsewhere 1 ${randomUUID()}`, 4_000, true],
    ['and that another process still runs', `${machine} ${process.ppid} ${randomUUID()}`, 30_000, false],
    ['and that a process of another machine still runs', `elsewhere 1 ${randomUUID()}`, 30_000, false],
  ])('%s', async (_how, claim, leaseMs, isAnswered) => {
    const key = randomUUID()
    expect((await agent.buyer.call('sync_accounts', request(key))).isError).toBe(false)
    await cutOff(key, claim, leaseMs)
    const { data } = await agent.buyer.call('sync_accounts', request(key))
    expect(data.adcp_error?.code ?? 'answered').toBe(isAnswered ? 'answered' : 'IDEMPOTENCY_IN_FLIGHT')
    if (isAnswered) expect(data).not.toHaveProperty('replayed')
    await cutOff(key, claim, -1)
  })
})

describe('a lease', () => {
  const scope = { tenantId: 'acme', principalId: 'buyer', accountId: EVERY_ACCOUNT }
  const claims = (options: Partial<ClaimsOptions> = {}) => {
    const errors: unknown[] = []
    const { store } = agent.server
    return { errors, ...createClaims({ store, clock: () => new Date(), onError: (error) => errors.push(error), ...options }) }
  }
  const leaseOf = async (key: string) =>
    (
      await agent.server.store.read
        .selectFrom('idempotency')
        .select('lease_until')
        .where('idempotency_key', '=', key)
        .executeTakeFirstOrThrow()
    ).lease_until
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)

  it('is renewed while its call runs, and not after', async () => {
    const { begin, keep, end, isOver, errors } = claims()
    const [key, claim] = [randomUUID(), begin()]
    const first = inSeconds(4)
    const times = { now: new Date(), leaseUntil: first, expiresAt: inSeconds(60), forgetAt: inSeconds(90) }
    await agent.server.store.transaction((tx) => claimKey(tx, { ...scope, key }, 'hash', claim, times))
    keep(claim, { ...scope, key }, inSeconds(30))
    expect(isOver(claim)).toBe(false)
    await vi.waitFor(async () => expect((await leaseOf(key)) > first.toISOString()).toBe(true), { timeout: 60_000 })
    end(claim)
    expect(isOver(claim)).toBe(true)
    expect(errors).toEqual([])
  })

  it('is short, and never longer than a call may run', () => {
    const { leaseUntil } = claims()
    const now = new Date('2026-01-01T00:00:00.000Z')
    expect(leaseUntil(now, new Date('2026-01-01T00:00:30.000Z')).toISOString()).toBe('2026-01-01T00:00:04.000Z')
    expect(leaseUntil(now, new Date('2026-01-01T00:00:01.000Z')).toISOString()).toBe('2026-01-01T00:00:01.000Z')
  })

  it('of a claim that another version wrote ends by itself', () => {
    expect(claims().isOver(randomUUID())).toBe(false)
  })
})
