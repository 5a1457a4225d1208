import { expect, it, vi } from 'vitest'
import { contextRequest, identityRequest, SELLER } from '../../support/match-router.ts'
import { sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'

const PATIENCE = { timeout: 60_000, interval: 200 }

it('a provider asks that answers are not repeated while its packages change, and resumes (specification, "Caching")', async () => {
  const provider = await startReferenceProvider({ sellers: [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }] })
  const synced = (package_id: string) => ({ package_id, media_buy_id: 'mb', seller_agent: { agent_url: SELLER } })
  const context = async () => (await provider.ask('/context', contextRequest())).value
  const identity = async () =>
    (await provider.ask('/identity', identityRequest({ request_id: `id-${performance.now()}`, country: undefined }))).value
  try {
    const before = { context: await context(), identity: await identity() }
    expect([before.context.cache_ttl, before.identity.serve_window_sec]).toEqual([60, 60])
    await provider.sync('sync-key', [synced('new')])
    // The first answers that know the new package are the ones that must not be repeated.
    await vi.waitFor(async () => expect((await context()).cache_ttl).toBe(0), PATIENCE)
    await vi.waitFor(async () => expect((await identity()).serve_window_sec).toBe(1), PATIENCE)
    await vi.waitFor(async () => {
      const answers = { context: await context(), identity: await identity() }
      expect(answers.context).toMatchObject({ cache_ttl: 60, offers: [{ package_id: 'new' }] })
      expect(answers.identity).toMatchObject({ serve_window_sec: 60, eligible_package_ids: ['new'] })
    }, PATIENCE)
  } finally {
    await provider.stop()
  }
}, 120_000)
