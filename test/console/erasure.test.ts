import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let ada: ConsoleClient

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  ada = await signedIn(agent, 'ada', 'administrator')
})
afterAll(() => agent.stop())

it.each(['', '   ', 'a'.repeat(2_001)])(
  'an identifier that is empty or too long is refused, not erased (%#)',
  async (identifier) => {
    for (const step of ['', '/confirm']) {
      const { status, text } = await ada.post(`/console/t/${agent.tenant}/settings/erasure${step}`, { identifier })
      expect([status, text]).toEqual([400, expect.stringContaining('identifier_hash')])
    }
  },
)
