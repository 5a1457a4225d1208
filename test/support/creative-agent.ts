import type { Assets } from '../../src/domain/creative/assets.ts'
import { insertCreative } from '../../src/store/creative/creatives.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from './media-buy-agent.ts'
import type { AgentOptions, TestAgent } from './start-agent.ts'

/** An agent that sells `news` (300x250 images) and `spots` (30 s video). */
export function startCreativeAgent(options: AgentOptions = {}): Promise<MediaBuyAgent> {
  return startMediaBuyAgent(
    [
      productDocument('news', { format_ids: ['display_300x250', { agent_url: 'https://other.example/mcp', id: 'takeover' }] }),
      productDocument('spots', { format_ids: ['video_30s'], channels: ['olv'] }),
    ],
    options,
  )
}

/** A well-formed 300x250 image for the agent at `url`. */
export function banner(url: string, id: string, more: object = {}) {
  return {
    creative_id: id,
    name: `Banner ${id}`,
    format_id: { agent_url: url, id: 'display_300x250' },
    assets: {
      image: { asset_type: 'image', url: 'https://cdn.example/banner.png', width: 300, height: 250, format: 'png' },
      click_url: { asset_type: 'url', url: 'https://brand.example/?c={MEDIA_BUY_ID}' },
    },
    ...more,
  }
}

/** Puts a creative that waits for a decision into the library of the agent's buyer, as sync_creatives would; gives the id of the buyer. */
export async function libraryCreative(agent: TestAgent, creativeId: string, format: string, assets: Assets): Promise<string> {
  const { store, clock } = agent.server
  const [owner] = await store.read.selectFrom('principals').select('principal_id').where('tenant_id', '=', agent.tenant).execute()
  const [now, status] = [clock().toISOString(), 'pending_review' as const]
  const content = { name: creativeId, formatId: { agent_url: agent.url, id: format }, assets, tags: [] }
  const creative = { creativeId, accountId: '', content, status, createdAt: now, updatedAt: now, revision: 1 }
  const of = { tenantId: agent.tenant, principalId: owner?.principal_id ?? '' }
  await store.transaction((tx) => insertCreative(tx, of, creative))
  return of.principalId
}
