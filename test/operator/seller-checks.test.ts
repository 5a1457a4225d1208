import { createPublicKey, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { checkSeller } from '../../src/operator/seller-checks/check-seller.ts'
import { reportKey, signReport } from '../../src/operator/seller-checks/sign-report.ts'
import { type PlantedFault, startFaultySeller } from '../support/faulty-seller.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const VIDEO = { channels: ['olv'], format_ids: ['video_standard_15s'] } satisfies Offer

type Offer = Parameters<typeof productDocument>[1]

let agent: MediaBuyAgent

beforeAll(async () => {
  const banners = {
    channels: ['display'],
    delivery_type: 'non_guaranteed',
    pricing_options: [{ pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', floor_price: 8 }],
  } satisfies Offer
  agent = await startMediaBuyAgent(
    [
      productDocument('news', banners),
      productDocument('sport', { ...banners, delivery_type: 'guaranteed' }),
      ...['film', 'series', 'clips', 'trailers', 'shorts'].map((id) => productDocument(id, VIDEO)),
    ],
    { clock: () => NOW },
  )
})
afterAll(() => agent.stop())

function check(url: string, load = false) {
  const options = { brief: 'news, sport and film', load, clock: () => NOW, report: () => {} } as const
  return checkSeller({ url, key: agent.key }, options)
}

async function brokenWith(fault: PlantedFault): Promise<readonly string[]> {
  const faulty = await startFaultySeller(agent.url, fault)
  try {
    const { checks } = await check(faulty.url)
    return checks.filter(({ outcome }) => outcome === 'broken').map(({ id }) => id)
  } finally {
    await faulty.stop()
  }
}

it('a seller that keeps its promises breaks none, and every one was looked at', async () => {
  const { checks, counts } = await check(agent.url, true)
  expect(checks.filter(({ outcome }) => outcome !== 'held').map(({ id, because }) => [id, because])).toEqual([])
  expect(counts).toEqual({ held: checks.length, broken: 0, not_verified: 0 })
  expect(checks.every(({ steps }) => steps.every(({ answer_sha256: hash }) => /^[0-9a-f]{64}$/.test(hash)))).toBe(true)
})

const PLANTED: Readonly<Record<string, PlantedFault>> = {
  'filters-channels': { arguments: without('get_products', 'filters', 'channels') },
  'filters-delivery_type': { arguments: without('get_products', 'filters', 'delivery_type') },
  'pages-of-products': { arguments: without('get_products', 'pagination', 'cursor') },
  'context-returned': {
    answer: (_tool, { context: _lost, ...answer }) => answer,
  },
  'repeated-order': {
    arguments: (tool, given) => (tool === 'create_media_buy' ? { ...given, idempotency_key: crypto.randomUUID() } : given),
  },
  'orders-without-key': { authorization: (tool) => (tool === 'get_media_buys' ? `Bearer ${agent.key}` : undefined) },
  'order-without-key': { authorization: (tool) => (tool === 'create_media_buy' ? `Bearer ${agent.key}` : undefined) },
  'unknown-product': {
    arguments: (tool, given) => (tool === 'create_media_buy' ? { ...given, packages: packagesOf(given, 'news') } : given),
  },
  'unknown-order': {
    answer: (tool, answer, { media_buy_ids: ids }) =>
      tool === 'get_media_buy_delivery' && Array.isArray(ids)
        ? { ...answer, media_buy_deliveries: [{ media_buy_id: ids[0], status: 'completed' }] }
        : answer,
  },
  'order-kept': {
    answer: (tool, answer) =>
      tool === 'get_media_buys' ? JSON.parse(JSON.stringify(answer).replaceAll(/"budget":\d+/g, '"budget":5001')) : answer,
  },
  'declared-idempotency': {
    answer: (tool, answer) => (tool === 'get_adcp_capabilities' ? { ...answer, adcp: { major_versions: [3] } } : answer),
  },
}

/** Of one tool the member of a member is lost on its way. */
function without(tool: string, member: string, inner: string): NonNullable<PlantedFault['arguments']> {
  return (called, given) => {
    const held = given[member]
    if (called !== tool || typeof held !== 'object' || held === null) return given
    return { ...given, [member]: { ...held, [inner]: undefined } }
  }
}

function packagesOf({ packages }: Record<string, unknown>, productId: string) {
  return Array.isArray(packages) ? packages.map((each) => ({ ...each, product_id: productId })) : packages
}

it.each(Object.entries(PLANTED))('a fault planted in %s is found there', async (id, fault) => {
  expect(await brokenWith(fault)).toEqual([id])
})

it('a seller without sandbox accounts is asked for no order', async () => {
  const called: string[] = []
  const faulty = await startFaultySeller(agent.url, {
    arguments: (tool, given) => {
      called.push(tool)
      return given
    },
    answer: (tool, answer) => (tool === 'get_adcp_capabilities' ? { ...answer, account: { sandbox: false } } : answer),
  })
  const { checks } = await check(faulty.url)
  await faulty.stop()
  expect(called).not.toContain('create_media_buy')
  expect(called).not.toContain('sync_accounts')
  expect(checks.find(({ id }) => id === 'repeated-order')).toMatchObject({
    outcome: 'not verified',
    because: expect.stringContaining('sandbox'),
  })
})

it('what a seller says writes no lines and steers no terminal', async () => {
  const forged = '\u001b[2J\u009b31m\u202e\r\nheld          everything is fine'
  const faulty = await startFaultySeller(agent.url, {
    answer: (tool, answer) =>
      tool === 'create_media_buy' ? { media_buy_id: forged } : tool === 'get_products' ? { ...answer, context: forged } : answer,
  })
  const report = await check(faulty.url)
  await faulty.stop()
  const texts = report.checks.flatMap(({ because, steps }) => [because ?? '', ...steps.map(({ said }) => said)])
  expect(texts.some((text) => text.includes('everything is fine'))).toBe(true)
  expect(texts.filter((text) => /[\p{Cc}\u202e]/u.test(text))).toEqual([])
})

it('a seller that does not answer has kept nothing', async () => {
  const { counts } = await check('http://127.0.0.1:9/mcp')
  expect(counts.held).toBe(0)
})

it('a report is signed over its own bytes with the key that is beside it', async () => {
  const { text, signature, publicKey } = await signReport({ sellers: [] }, reportKey(undefined))
  const [header = '', , signed = ''] = signature.split('.')
  const input = Buffer.from(`${header}.${Buffer.from(text).toString('base64url')}`)
  const key = createPublicKey({ key: { ...publicKey }, format: 'jwk' })
  expect(verify(null, input, key, Buffer.from(signed, 'base64url'))).toBe(true)
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'EdDSA', kid: publicKey.kid })
  expect(publicKey).not.toHaveProperty('d')
})
