import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summarizeMediaBuys } from '../../../src/tasks/media-buy/summaries.ts'
import { banner } from '../../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { contracts, LINES } from '../../support/release-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { contracts })
}, 120_000)
afterAll(() => agent?.stop())

describe.each(LINES)('what an order waits for, under AdCP %s', (line) => {
  const shown = async (id: string) => {
    const { data } = await agent.buyer.call('get_media_buys', { adcp_version: line, media_buy_ids: [id] })
    const waits: { for: string; message: string; package_ids?: string[] }[] = data.media_buys[0].ext?.waits_for ?? []
    return { waits, kinds: waits.map((wait) => wait.for), text: summarizeMediaBuys(data) }
  }

  test('is said from its first creative to its flight, and nothing once it runs', async () => {
    agent.setClock('2026-03-01T12:00:00Z')
    const made = await agent.create()
    const { media_buy_id: id, packages } = made.data
    const first = await shown(id)
    expect(first.kinds).toEqual(['creatives', 'start'])
    expect(first.waits[0]?.package_ids).toEqual([packages[0].package_id])
    expect(first.text).toContain(`${id} waits: ${packages[0].package_id}: no creative is assigned`)
    expect(first.text).toContain('its flight begins 2026-03-02T00:00:00.000Z')
    const creative_id = `banner-${line}`
    const assigned = await agent.run('update_media_buy', {
      media_buy_id: id,
      paused: true,
      packages: [{ package_id: packages[0].package_id, creatives: [banner(agent.url, creative_id)] }],
    })
    expect(assigned.isError, JSON.stringify(assigned.data)).toBeFalsy()
    expect((await shown(id)).kinds).toEqual(['resume', 'start'])
    agent.setClock('2026-03-03T12:00:00Z')
    expect((await shown(id)).kinds).toEqual(['resume'])
    await agent.run('update_media_buy', { media_buy_id: id, paused: false })
    const running = await shown(id)
    expect(running.kinds).toEqual([])
    expect(running.text).not.toContain('waits:')
  })
})
