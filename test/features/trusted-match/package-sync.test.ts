import { describe, expect, it } from 'vitest'
import { createPackageSync, type SyncTarget, syncRefusal } from '../../../src/features/trusted-match/package-sync.ts'

describe('the sync of packages to a provider', () => {
  it('is repeated once an hour, and at once when packages change', async () => {
    const state = { now: Date.parse('2026-03-10T12:00:00Z'), sent: 0, packages: ['a'], counts: [] as number[] }
    let target: SyncTarget = {
      tenantId: 't',
      providerId: 'p',
      address: { url: 'https://p.example/packages', query: undefined },
      sealedKey: undefined,
      synced: '',
      syncedAt: undefined,
      attempts: 0,
      dueAt: '2026-03-10T00:00:00.000Z',
    }
    const sync = createPackageSync({
      targets: async () => [target],
      packagesOf: async () =>
        state.packages.map((package_id) => ({
          package_id,
          media_buy_id: 'mb',
          seller_agent: { agent_url: 'https://s.example' },
        })),
      async send() {
        state.sent += 1
      },
      async done(_target, synced, packages) {
        state.counts.push(packages)
        target = { ...target, synced, syncedAt: new Date(state.now).toISOString() }
      },
      async failed() {
        throw new Error('nothing fails here')
      },
      clock: () => new Date(state.now),
    })
    const sentAfter = async (minutes: number) => {
      state.now += minutes * 60_000
      await sync()
      return state.sent
    }
    expect(await sentAfter(0)).toBe(1)
    expect(await sentAfter(59)).toBe(1)
    expect(await sentAfter(1)).toBe(2)
    state.packages.push('b')
    expect(await sentAfter(1)).toBe(3)
    state.packages.length = 0
    expect(await sentAfter(1)).toBe(4)
    expect(state.counts).toEqual([1, 1, 2, 0])
  })

  it('reads of an answer that a seller is not authorised, whole or cut off', () => {
    const errors = [
      { type: 'error', request_id: 'a', code: 'seller_not_authorized', message: 'adagents.json does not name "it"' },
    ]
    const answer = JSON.stringify({ accepted: 0, errors })
    expect(syncRefusal(answer)).toBe('the provider refused packages with seller_not_authorized: adagents.json does not name "it"')
    expect(syncRefusal(answer.slice(0, answer.indexOf('"message"')))).toBe(
      'the provider refused packages with seller_not_authorized',
    )
    expect(syncRefusal('{"accepted":3,"errors":[]}')).toBeUndefined()
    expect(syncRefusal('')).toBeUndefined()
  })
})
