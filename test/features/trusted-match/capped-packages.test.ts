import { expect, test } from 'vitest'
import type { IdentityPackage } from '../../../src/domain/trusted-match/identity/eligible-packages.ts'
import { type CapPolicy, capRule } from '../../../src/domain/trusted-match/identity/frequency-caps.ts'
import { cappedPackagesFinder } from '../../../src/features/trusted-match/identity/capped-packages.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-03-10T12:00:00Z')
const seller = 'https://seller.example/mcp'
const daily = (most: number): CapPolicy => ({ label: 'campaign:1', most, windowMs: DAY, bucketMs: DAY })
const named = (packageId: string, ...capLabels: string[]): IdentityPackage => ({
  packageId,
  mediaBuyId: 'mb',
  sellerAgentUrl: seller,
  user: { capLabels },
})
const candidates = [named('capped', 'campaign:1'), named('free'), named('other', 'campaign:2')]
const seen = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ impressionId: `i${index}`, labels: ['campaign:1'], at: NOW - 60_000 * index }))

/** What is held back from a user who saw the package `count` times today, and from whom a cap of before held back all packages. */
async function capped(policies: readonly CapPolicy[], count: number, before?: CapPolicy) {
  const find = cappedPackagesFinder({
    policies: async () => policies,
    since: async (_keys, from) => seen(count).filter(({ at }) => at >= from),
    heldBack: async () => (before ? candidates.map(({ packageId }) => ({ packageId, rule: capRule(before) })) : []),
  })
  return [...(await find(['key'], { seller, candidates, now: new Date(NOW) }))]
}

test('a cap counts by the rule of the moment: raised, lowered, moved to another label, or taken away', async () => {
  expect(await capped([daily(3)], 3)).toEqual(['capped'])
  expect(await capped([daily(5)], 3, daily(3))).toEqual([])
  expect(await capped([daily(2)], 3, daily(5))).toEqual(['capped'])
  expect(await capped([{ ...daily(3), label: 'campaign:2' }], 3, daily(3))).toEqual([])
  expect(await capped([], 3, daily(3))).toEqual([])
})

test('what the same cap held back before stays so, whatever impressions of these tokens are stored', async () => {
  const endless = { ...daily(3), windowMs: Number.POSITIVE_INFINITY }
  expect(await capped([endless], 0, endless)).toEqual(['capped'])
  expect(await capped([endless], 2)).toEqual([])
})

test('a user without tokens is held back from nothing', async () => {
  const find = cappedPackagesFinder({
    policies: async () => [daily(1)],
    since: async () => seen(3),
    heldBack: async () => [{ packageId: 'capped', rule: capRule(daily(1)) }],
  })
  expect(await find([], { seller, candidates, now: new Date(NOW) })).toEqual(new Set())
})
