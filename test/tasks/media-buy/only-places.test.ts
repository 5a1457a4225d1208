import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const both = { countries: ['SE', 'NO'] }
  agent = await startMediaBuyAgent(
    [
      productDocument('nordic', { channels: ['display'] }, { coverage: both }),
      productDocument('norway', { channels: ['display'] }, { coverage: { countries: ['NO'] } }),
    ],
    { contracts: loadContracts() },
  )
})
afterAll(() => agent?.stop())

const PINS = [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]
const HOW = /delivery in NO alone.*targeting_overlay\.geo_countries \["NO"\].*nordic may run elsewhere too/
const get = async (request: object) => (await agent.buyer.call('get_products', request)).data

test('a wish to run in one country alone is not called applied of what runs elsewhere too', async () => {
  for (const pinned of PINS) {
    const { refinement_applied: applied } = await get({
      ...pinned,
      buying_mode: 'refine',
      refine: ['nordic', 'norway'].map((id) => ({ scope: 'product', product_id: id, action: 'include', ask: 'only Norway' })),
    })
    expect(applied[0].status, JSON.stringify(applied)).not.toBe('applied')
    expect(applied[0].notes).toMatch(HOW)
    expect(applied[1], JSON.stringify(applied)).toMatchObject({ status: 'applied' })
  }
})

test('a brief that wants one country alone hears that products and proposals are not limited to it', async () => {
  for (const pinned of PINS) {
    const brief = 'EUR 1,000, sports fans in Norway only, display'
    const { ext } = await get({ ...pinned, buying_mode: 'brief', brief })
    expect(ext.notes.join(' '), JSON.stringify(pinned)).toMatch(HOW)
    const wider = await get({ ...pinned, buying_mode: 'brief', brief: 'EUR 1,000, sports fans in Norway, display' })
    const told = wider.ext.notes.filter((note: string) => note.startsWith('Places choose products'))
    expect(told).toEqual([expect.stringMatching(/NO alone: targeting_overlay\.geo_countries \["NO"\] of each package/)])
    expect(wider.ext.notes.join(' ')).not.toContain('Not part of products')
  }
})
