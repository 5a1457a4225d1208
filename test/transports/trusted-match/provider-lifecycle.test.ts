import { generateKeyPairSync } from 'node:crypto'
import type { Http2ServerResponse } from 'node:http2'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RouterSource, RouterState } from '../../../src/compose/trusted-match/router-source.ts'
import type { ProviderRegistration } from '../../../src/domain/trusted-match/provider-registration.ts'
import { createMatchSigner } from '../../../src/security/signing/trusted-match-signature.ts'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, registered, startTestRouter, type TestRouter } from '../../support/match-router.ts'

const pem = String(generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }))
const signer = createMatchSigner('today', pem)

let provider: MatchProvider
let router: TestRouter | undefined
beforeEach(async () => {
  provider = await startMatchProvider(offers('p'))
})
afterEach(async () => {
  await router?.stop()
  await provider.stop()
})

it.each(['inactive', 'draining'] as const)('a provider that is %s is asked nothing, on either path', async (status) => {
  const other = await startMatchProvider(offers('q'))
  try {
    router = await startTestRouter([registered('one', provider, { status }), registered('two', other)])
    expect((await router.post('/context', contextRequest())).value.offers).toEqual([{ package_id: 'q' }])
    expect((await router.post('/identity', identityRequest())).value.eligible_package_ids).toEqual(['q'])
    expect([provider.received.length, other.received.length]).toEqual([0, 2])
  } finally {
    await other.stop()
  }
})

it('what a provider was asked before it began to drain is completed, and nothing more is asked', async () => {
  const held: Http2ServerResponse[] = []
  provider.behave = (_received, response) => {
    held.push(response)
    return undefined
  }
  const source = changingSource([registered('one', provider)])
  router = await startTestRouter([], {}, { source })
  const asked = router.post('/context', contextRequest())
  await expect.poll(() => held.length, { timeout: 60_000 }).toBe(1)
  source.change([registered('one', provider, { status: 'draining' })])
  await router.refresh()
  const [received] = provider.received
  if (!received || !held[0]) throw new Error('the provider was asked')
  held[0].end(JSON.stringify(offers('p')(received, held[0])))
  expect((await asked).value.offers).toEqual([{ package_id: 'p' }])
  expect((await router.post('/context', contextRequest())).value.offers).toEqual([])
  expect(provider.received).toHaveLength(1)
})

/** Registrations that a test changes while the router runs. */
function changingSource(registrations: readonly ProviderRegistration[]): RouterSource & {
  change(next: readonly ProviderRegistration[]): void
} {
  const state: { now: RouterState } = { now: { registrations, refused: [], signer, retired: [], version: '1' } }
  return {
    load: async () => state.now,
    close: async () => {},
    change(next) {
      state.now = { ...state.now, registrations: next, version: `${state.now.version}+` }
    },
  }
}
