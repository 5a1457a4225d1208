import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { summarizeControlled, summarizeUpdated } from '../../../src/tasks/media-buy/summaries.ts'
import { account, compactBuyer, FLIGHT, PRODUCT } from '../../support/compact-buyer.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

describe.skipIf(!LINES.includes('3.2'))('a media buy is controlled at its revision', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startReleaseAgent()
  }, 120_000)
  afterAll(() => agent?.stop())
  const { answer, ask, refused, listed, bought } = compactBuyer(() => agent)

  test('a purchase answers with the terms and their digest, and both families read, change and report the buy', async () => {
    const { media_buy_id: id, revision, accepted_proposal: accepted, ...rest } = await bought({}, { name: 'Spring' })
    const { commercial_terms: terms, terms_digest } = accepted
    expect(terms_digest).toBe(`sha256:${hash('sha256', canonicalize(terms) ?? '', 'base64url')}`)
    expect(terms).toMatchObject({
      total_budget: { amount: 20_000, currency: 'USD' },
      purchases: [{ product_id: PRODUCT, budget: 20_000 }],
    })
    const [{ package_id }] = rest.purchase_bindings
    expect(rest).toMatchObject({
      status: 'completed',
      name: 'Spring',
      purchase_bindings: [{ purchase_index: 0, product_id: PRODUCT }],
      available_actions: expect.arrayContaining([{ task: 'control_media_buy', action: 'pause', mode: 'self_serve' }]),
    })

    const read = async (line: string) => (await answer(line, 'get_media_buys', { media_buy_ids: [id] })).media_buys[0]
    expect(await read('3.2')).toMatchObject({
      accepted_proposal_id: accepted.proposal_id,
      accepted_proposal_terms_digest: terms_digest,
      accepted_proposal: accepted,
      available_actions: rest.available_actions,
    })
    expect(await read('3.0')).not.toHaveProperty('accepted_proposal')

    const updated = await answer('3.0', 'update_media_buy', { media_buy_id: id, revision, paused: true })
    expect(updated.revision).toBe(revision + 1)
    expect(await refused('3.2', 'control_media_buy', { media_buy_id: id, revision, paused: false })).toMatchObject({
      code: 'CONFLICT',
      field: 'revision',
      details: { revision: revision + 1 },
    })
    const controlled = await ask('control_media_buy', {
      media_buy_id: id,
      revision: revision + 1,
      packages: [{ package_id, budget: 15_000, targeting_overlay: { geo_countries: ['US'] } }],
      paused: false,
    })
    expect(controlled).toMatchObject({ status: 'completed', revision: revision + 2, affected_package_ids: [package_id] })
    const said = ['Resumed.', `Package ${package_id}: budget 15000 USD, was 20000; targeting is {"geo_countries":["US"]}.`]
    expect(controlled.ext.notes).toEqual(said)
    for (const sentence of said) expect(summarizeUpdated(controlled)).toContain(sentence)
    const patched = await ask('control_media_buy', {
      media_buy_id: id,
      revision: revision + 2,
      packages: [{ package_id, targeting_overlay: { device_type: ['mobile'] } }],
    })
    const [pkg] = (await read('3.2')).packages
    expect(pkg).toMatchObject({ budget: 15_000, targeting_overlay: { geo_countries: ['US'], device_type: ['mobile'] } })
    expect((await read('3.2')).accepted_proposal).toEqual(accepted)
    const delivery = await answer('3.0', 'get_media_buy_delivery', { media_buy_ids: [id] })
    expect(delivery.media_buy_deliveries[0].media_buy_id).toBe(id)
    const canceled = await ask('control_media_buy', { media_buy_id: id, revision: patched.revision, canceled: true })
    expect(canceled).toMatchObject({ media_buy_status: 'canceled', available_actions: [] })
  })

  test('a pause is answered with the task of its own family that ends it', async () => {
    const { media_buy_id: id, revision } = await bought()
    const paused = await ask('control_media_buy', { media_buy_id: id, revision, paused: true })
    expect(summarizeControlled(paused)).toContain('until control_media_buy sends paused false')
    const { media_buys } = await answer('3.2', 'get_media_buys', { media_buy_ids: [id] })
    expect(media_buys[0].ext.waits_for).toContainEqual({
      for: 'resume',
      message: 'it is paused: control_media_buy with paused false resumes it',
    })
  })

  test('a call that names many unknown packages has the nearest looked for while it has work left', async () => {
    const pkg = { product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }
    const order = { brand: account.brand, packages: Array(200).fill(pkg), ...FLIGHT }
    const { media_buy_id, revision } = await answer('3.0', 'create_media_buy', order)
    const packages = Array.from({ length: 200 }, (_, index) => ({
      package_id: `${media_buy_id.slice(0, -1)}${index}`,
      paused: true,
    }))
    const { data } = await agent.ask('3.2', 'control_media_buy', { account, media_buy_id, revision, packages })
    const messages = data.errors.map(({ message }: { message: string }) => message)
    expect(messages).toHaveLength(200)
    expect(messages[0]).toContain('did you mean')
    expect(messages.at(-1)).toMatch(
      /is no package of this media buy; get_media_buys with media_buy_ids \["mb_[^"]+"\] lists them$/,
    )
  })

  test('pausing an order is all that is said of it', async () => {
    const { media_buy_id: id, revision } = await bought({}, { name: 'Autumn' })
    const paused = await ask('control_media_buy', { media_buy_id: id, revision, paused: true })
    expect(paused.ext.notes).toEqual(['Paused.'])
    const ahead = { ...paused, ext: { ...paused.ext, paused: true } }
    expect(summarizeControlled(ahead).match(/Paused/g)).toHaveLength(1)
  })

  test('a buy of create_media_buy is controlled too', async () => {
    const { products } = await listed()
    const created = await answer('3.0', 'create_media_buy', {
      brand: account.brand,
      packages: [{ product_id: PRODUCT, pricing_option_id: products[0].pricing_options[0].pricing_option_id, budget: 9000 }],
      ...FLIGHT,
    })
    const controlled = await ask('control_media_buy', {
      media_buy_id: created.media_buy_id,
      revision: created.revision,
      paused: true,
    })
    expect(controlled).toMatchObject({ status: 'completed', media_buy_id: created.media_buy_id, revision: created.revision + 1 })
  })
})
