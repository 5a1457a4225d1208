import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../../src/compose/operator.ts'
import { registerProvider, removeProvider, showMatchProviders } from '../../../src/operator/trusted-match/match-providers.ts'
import { banner } from '../../support/creative-agent.ts'
import { SELLER } from '../../support/match-router.ts'
import { productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { acting } from '../../support/operator.ts'
import { type ReferenceProvider, sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'

const flight = () => ({ start_time: 'asap', end_time: new Date(Date.now() + 10 * 86_400_000).toISOString() })

describe('the providers that a publisher registers', () => {
  let agent: Awaited<ReturnType<typeof startMediaBuyAgent>>
  let buyerSide: ReferenceProvider
  const operator = () => operatorOn(agent.server.store, agent.config)
  const shown = async (id: string) =>
    (await showMatchProviders(operator(), 'acme')).find(({ registration }) => registration.provider_id === id)

  beforeAll(async () => {
    agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date() })
    buyerSide = await startReferenceProvider({ sellers: [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }] })
  })
  afterAll(async () => {
    await buyerSide?.stop()
    await agent?.stop()
  })

  it('are shown with the reason when one does not authorise the seller, and are synced again', async () => {
    await agent.run('sync_creatives', { creatives: [banner(agent.url, 'ad')] })
    const wanted = { product_id: 'news', pricing_option_id: 'cpm', budget: 1000, creative_assignments: [{ creative_id: 'ad' }] }
    await agent.create({ ...flight(), packages: [wanted] })
    await registerProvider(acting(operator(), 'acme'), {
      providerId: 'buyer_side',
      registration: { endpoint: buyerSide.origin, context_match: true },
      syncUrl: `${buyerSide.origin}/packages`,
      syncKey: 'sync-key',
    })
    const fault = async () => (await shown('buyer_side'))?.fault
    await expect.poll(fault, { timeout: 60_000 }).toMatch(/^the provider refused packages with seller_not_authorized: /)
    expect((await shown('buyer_side'))?.synced_at).toBeNull()
    await removeProvider(acting(operator(), 'acme'), 'buyer_side')
  })

  it('are at most a hundred', async () => {
    const add = (providerId: string) =>
      registerProvider(acting(operator(), 'acme'), {
        providerId,
        registration: { endpoint: `http://127.0.0.1:9/${providerId}`, context_match: true },
      })
    for (let count = 1; count <= 100; count += 1) await add(`p_${count}`)
    await expect(add('p_101')).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/at most 100 providers; remove one first/),
    })
    expect(await showMatchProviders(operator(), 'acme')).toHaveLength(100)
    await removeProvider(acting(operator(), 'acme'), 'p_7')
    await add('p_101')
    expect(await shown('p_101')).toBeDefined()
  })
})
