import { expect, it } from 'vitest'
import type { IdentityRequest } from '../../../src/domain/trusted-match/identity/identity-messages.ts'
import { mergeIdentity } from '../../../src/domain/trusted-match/identity/merge-identity.ts'
import { withEnoughTraffic } from '../../../src/features/trusted-match/identity/enough-traffic.ts'

it('asks nobody about users while fewer requests come than are configured', async () => {
  const clock = { now: 0 }
  const asked: number[] = []
  const match = async ({ request_id }: IdentityRequest) => {
    asked.push(clock.now)
    return mergeIdentity(request_id, [])
  }
  const gated = withEnoughTraffic({ perSecond: 2, now: () => clock.now }, match)
  const request = {
    type: 'identity_match_request',
    request_id: 'r',
    seller_agent_url: 'https://s.example',
    identities: [],
  } as const
  // One a second for a minute: below two.
  for (; clock.now < 60_000; clock.now += 1_000) expect((await gated(request)).eligible_package_ids).toEqual([])
  expect(asked).toEqual([])
  // Four a second: after the window has filled, all are asked about.
  const begin = clock.now
  for (; clock.now < begin + 20_000; clock.now += 250) await gated(request)
  expect(asked.length).toBeGreaterThan(50)
  expect(asked[0]).toBeGreaterThan(begin)
})
