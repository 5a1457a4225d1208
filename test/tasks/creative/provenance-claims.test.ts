import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeWeb, startFakeWeb } from '../../support/fake-web/fake-web.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

const VERIFIER = 'https://verifier.example/mcp'
let web: FakeWeb
let agent: MediaBuyAgent
let finding: object | undefined
const asked: { name: string; arguments: { feature_ids: string[]; creative_manifest: { assets: object } } }[] = []

beforeAll(async () => {
  web = await startFakeWeb()
  web.put(VERIFIER, async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    const { id, method, params } = JSON.parse(text)
    if (method === 'tools/call') asked.push(params)
    const structuredContent = { results: finding ? [{ feature_id: 'ai_generated', ...finding }] : [] }
    const result = method === 'initialize' ? { protocolVersion: '2025-03-26', capabilities: {} } : { structuredContent }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  const creative_policy = {
    co_branding: 'none',
    landing_page: 'any',
    templates_available: false,
    provenance_required: true,
    accepted_verifiers: [{ agent_url: VERIFIER, feature_id: 'ai_generated' }],
  } as const
  agent = await startMediaBuyAgent([productDocument('news', { creative_policy })], { safeFetch: web.fetch() })
}, 120_000)
afterAll(async () => {
  await agent?.stop()
  await web?.close()
})

const sync = async (creative_id: string, claimed: string, verifier = VERIFIER) => {
  const provenance = {
    digital_source_type: claimed,
    embedded_provenance: [{ method: 'provenance_markers', provider: 'P', verify_agent: { agent_url: verifier } }],
  }
  const image = { asset_type: 'image', url: 'https://cdn.example/i.png', width: 300, height: 250 }
  const click_url = { asset_type: 'url', url: 'https://brand.example/' }
  const creatives = [
    {
      creative_id,
      name: creative_id,
      format_id: { agent_url: agent.url, id: 'display_300x250' },
      assets: { image, click_url },
      provenance,
    },
  ]
  const { data } = await agent.run('sync_creatives', { creatives })
  return data.creatives?.[0] ?? data
}

test('a claim that its verifier refutes is refused with what was found, and nothing else of the answer', async () => {
  finding = { value: true, confidence: 0.95, detail_url: 'https://verifier.example/private' }
  expect(await sync('refuted', 'digital_capture')).toMatchObject({
    action: 'failed',
    errors: [
      {
        code: 'PROVENANCE_CLAIM_CONTRADICTED',
        field: 'creatives[0].provenance.digital_source_type',
        details: {
          agent_url: VERIFIER,
          feature_id: 'ai_generated',
          claimed_value: 'digital_capture',
          observed_value: true,
          confidence: 0.95,
        },
      },
    ],
  })
  expect(asked.at(-1)).toMatchObject({ name: 'get_creative_features', arguments: { feature_ids: ['ai_generated'] } })
  expect(asked.at(-1)?.arguments.creative_manifest.assets).toHaveProperty('image')
})

test.each([
  ['one that it confirms', 'digital_capture', { value: false, confidence: 0.99 }, 'approved'],
  ['what is not certain', 'digital_capture', { value: true, confidence: 0.5 }, 'approved'],
  ['what says that it was generated', 'trained_algorithmic_media', { value: true, confidence: 0.99 }, 'approved'],
  ['what nobody verified, for a person to look at', 'digital_capture', undefined, 'pending_review'],
])('takes %s', async (id, claimed, found, status) => {
  finding = found
  const row = await sync(id.replaceAll(' ', '_').replaceAll(',', ''), claimed)
  expect(row).toMatchObject({ action: 'created' })
  const { data } = await agent.buyer.call('list_creatives', {
    account: { brand: { domain: 'brand.example' }, operator: 'agency.example' },
    filters: { creative_ids: [row.creative_id] },
  })
  expect(data.creatives[0].status).toBe(status)
})

test('asks no agent that the product does not list', async () => {
  const before = asked.length
  expect(await sync('elsewhere', 'digital_capture', 'https://other.example/mcp')).toMatchObject({
    errors: [{ code: 'PROVENANCE_VERIFIER_NOT_ACCEPTED' }],
  })
  expect(asked).toHaveLength(before)
})
