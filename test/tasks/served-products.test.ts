import { expect, it } from 'vitest'
import { servedFormats, unservedFormat } from '../../src/tasks/served-products.ts'

const SERVED = {
  list: () => [{ name: 'video', description: '', simulated: false, capabilities: { formats: ['video_hosted'] } }],
} as const
const FORMAT = { agentUrl: 'https://formats.example/mcp', id: 'banner' }
const DECLARES = { declare: () => ({ format_kind: 'image' }) } as never
const sandboxBuyer = (adServers: object, conformance = false) =>
  ({ tenant: { tenantId: 'demo' }, principal: { sandbox: true, conformance }, services: { adServers } }) as unknown as Parameters<
    typeof servedFormats
  >[0]

it('sandbox buyers see what the ad server of production serves; the official suite sees all, unless its orders go there', () => {
  const image = {
    format_id: { agent_url: FORMAT.agentUrl, id: FORMAT.id },
    type: 'display',
    canonical: { kind: 'image' },
  } as never
  const asked = { productId: 'news', formatId: FORMAT } as never
  const suite = sandboxBuyer(SERVED, true)
  expect(servedFormats(suite, [image])).toHaveLength(1)
  expect(unservedFormat(suite, DECLARES, asked)).toBeUndefined()
  const same = sandboxBuyer({ ...SERVED, sandboxOrders: 'same' }, true)
  for (const buyer of [same, sandboxBuyer(SERVED)])
    expect(unservedFormat(buyer, DECLARES, asked)).toBe(
      'the ad server of the package does not serve image; it serves video_hosted',
    )
})
