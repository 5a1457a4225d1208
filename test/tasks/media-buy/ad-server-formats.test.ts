import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineAdServers } from '../../../src/operator/examine-ad-servers.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { createMemoryAdServer } from '../../support/memory-ad-server.ts'

const { capabilities } = createMemoryAdServer().backend
const FORMATS = ['image', 'html5', 'video_hosted', 'video_vast'] as const
const on = (channel: 'display' | 'olv' | 'podcast' | 'linear_tv', ...format_ids: string[]) => ({
  channels: [channel],
  format_ids,
})

let agent: MediaBuyAgent
beforeAll(async () => {
  const narrow = createMemoryAdServer({ capabilities: { ...capabilities, formats: FORMATS, channels: ['display', 'olv'] } })
  const news = { placement_id: 'top', name: 'Top', format_ids: ['display_300x250', 'social_carousel'] }
  const heard = { placement_id: 'player', name: 'Player', format_ids: ['audio_30s'] }
  const products = [
    productDocument('banner', on('display', 'display_300x250')),
    productDocument('mixed', { ...on('display', 'display_300x250', 'social_carousel', 'audio_30s'), placements: [news, heard] }),
    productDocument('sound', on('display', 'audio_30s', 'daast_30s')),
    productDocument('television', on('linear_tv', 'broadcast_spot_30s')),
    productDocument('both', { ...on('olv', 'video_30s'), channels: ['olv', 'linear_tv'] }),
    productDocument('open', { channels: ['display'], format_ids: [] }),
    productDocument('foreign', { format_ids: [{ agent_url: 'https://formats.example/mcp', id: 'own_audio' }] }),
  ]
  agent = await startMediaBuyAgent(products, {
    backend: { backend: narrow.backend, drift: 'leave' },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
})
afterAll(() => agent?.stop())

interface Listed {
  readonly product_id: string
  readonly channels?: readonly string[]
  readonly format_ids: readonly { id: string }[]
  readonly placements?: readonly { placement_id: string; format_ids: readonly { id: string }[] }[]
}

async function listed(more: object = {}, client = agent.buyer): Promise<readonly Listed[]> {
  const { data } = await client.call('get_products', { buying_mode: 'wholesale', fields: ['channels', 'placements'], ...more })
  return data.products
}

test('products are offered with the channels, formats and placements that their ad server serves, and not without any', async () => {
  const products = await listed()
  expect(products.map(({ product_id, channels, format_ids }) => [product_id, channels, format_ids.map(({ id }) => id)])).toEqual([
    ['banner', ['display'], ['display_300x250']],
    ['mixed', ['display'], ['display_300x250']],
    ['both', ['olv'], ['video_30s']],
    ['open', ['display'], []],
    // What a format of another agent is cannot be known: each creative is judged when it is booked.
    ['foreign', ['display'], ['own_audio']],
  ])
  const mixed = products.find(({ product_id }) => product_id === 'mixed')
  expect(mixed?.placements).toMatchObject([{ placement_id: 'top', format_ids: [{ id: 'display_300x250' }] }])
  const options = await agent.buyer.call('get_products', { buying_mode: 'wholesale', adcp_version: '3.1' })
  const kinds = options.data.products.map((each: { format_options: { format_kind: string }[] }) =>
    (each.format_options ?? []).map(({ format_kind }) => format_kind),
  )
  expect(kinds.flat()).toEqual(['image', 'image', 'video_hosted'])
})

test('briefs and filters find what is offered, and nothing else', async () => {
  const { data } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'linear tv and audio' })
  expect(data.products.map(({ product_id }: Listed) => product_id)).not.toContain('television')
  expect(await listed({ filters: { channels: ['linear_tv'] } })).toEqual([])
  const audio = { agent_url: agent.server.services.wiring.agentUrl, id: 'audio_30s' }
  expect(await listed({ filters: { format_ids: [audio] } })).toEqual([])
})

test('the agent declares what is sold on the channels that are served', async () => {
  const declared = async (client = agent.buyer) => (await client.call('get_adcp_capabilities', {})).data.specialisms
  expect(await declared()).not.toContain('sales-broadcast-tv')
  const tester = await agent.buyerOn(
    { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    { principal: 'declared', sandbox: true },
  )
  expect(await declared(tester)).not.toContain('sales-broadcast-tv')
})

test('formats that no ad server serves are not listed', async () => {
  const { data } = await agent.buyer.call('list_creative_formats', { pagination: { max_results: 100 } })
  const ids: readonly string[] = data.formats.map(({ format_id }: { format_id: { id: string } }) => format_id.id)
  expect(ids).toContain('video_30s')
  expect(ids.filter((id) => /audio|daast|podcast|carousel|native|catalog/.test(id))).toEqual([])
})

test.each([
  ['television', {}, 'packages[0].product_id', 'its ad server serves no channel of it (linear_tv); it serves display, olv'],
  ['sound', {}, 'packages[0].product_id', 'its ad server serves no format of it (audio_30s, daast_30s)'],
])('an order of %s is refused with the reason', async (product_id, more, field, message) => {
  const { data } = await agent.create({ packages: [{ product_id, pricing_option_id: 'cpm', budget: 1000, ...more }] })
  expect(data.adcp_error, JSON.stringify(data)).toMatchObject({
    code: 'PRODUCT_UNAVAILABLE',
    field,
    message: expect.stringContaining(message),
  })
})

test('an order that names a format which is not served is refused by that entry', async () => {
  const { agentUrl } = agent.server.services.wiring
  const format_ids = ['display_300x250', 'audio_30s'].map((id) => ({ agent_url: agentUrl, id }))
  const { data } = await agent.create({
    packages: [{ product_id: 'mixed', pricing_option_id: 'cpm', budget: 1000, format_ids }],
  })
  expect(data.adcp_error, JSON.stringify(data)).toMatchObject({
    code: 'UNSUPPORTED_FEATURE',
    field: 'packages[0].format_ids[1]',
    details: { supported_formats: [{ id: 'display_300x250' }] },
  })
})

const AUDIO = {
  asset_type: 'audio',
  url: 'https://cdn.example/a.mp3',
  duration_ms: 30_000,
  container_format: 'mp3',
  codec: 'mp3',
  sampling_rate_hz: 44_100,
  channels: 'stereo',
  bitrate_kbps: 128,
  loudness_lufs: -16,
  true_peak_dbfs: -2,
}

test.each([
  ['mixed', 'the package does not take creatives of the format audio_30s; it takes: display_300x250'],
  ['open', 'the ad server of the package does not serve audio_hosted; it serves image, html5, video_hosted, video_vast'],
])('a creative of a format that is not served is not assigned to a package of %s', async (product_id, reason) => {
  const { data: bought } = await agent.create({ packages: [{ product_id, pricing_option_id: 'cpm', budget: 1000 }] })
  const [{ package_id }] = bought.packages
  const creative_id = `spot-${product_id}`
  const format_id = { agent_url: agent.server.services.wiring.agentUrl, id: 'audio_30s' }
  const { data } = await agent.run('sync_creatives', {
    creatives: [{ creative_id, name: 'Spot', format_id, assets: { audio: AUDIO } }],
    assignments: [{ creative_id, package_id }],
  })
  const [creative] = data.creatives
  expect(creative.action, JSON.stringify(data)).toBe('created')
  expect(creative.assignment_errors).toEqual({ [package_id]: reason })
})

test('the doctor says which products are not offered, and why', async () => {
  const { store, services } = agent.server
  const operator = {
    store,
    config: agent.config,
    clock: () => new Date(),
    services: { adServers: async () => services.adServers },
  }
  const findings = await examineAdServers(Object.assign(Object.create(null), operator))
  expect(findings).toContainEqual(
    expect.objectContaining({
      outcome: 'warning',
      text: expect.stringContaining(
        '2 of 7 products are not offered to production buyers (sound, television); sound: its ad server serves no format',
      ),
    }),
  )
})

test('a sandbox buyer, whose orders go to the simulator, is offered the same', async () => {
  const sandbox = await agent.buyerOn(
    { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    { principal: 'tester', sandbox: true },
  )
  expect(await listed({}, sandbox)).toEqual(await listed())
})
