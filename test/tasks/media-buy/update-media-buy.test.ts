import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { summarizeMediaBuys, summarizeUpdated } from '../../../src/tasks/media-buy/summaries.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let id: string
let pkg: string

beforeAll(async () => {
  agent = await startMediaBuyAgent([
    productDocument('news', {}, { targeting: { keywords: true, frequency_cap: true } }),
    productDocument('home', { delivery_type: 'guaranteed' }, { daily_capacity: 1000 }),
  ])
})
afterAll(() => agent.stop())
beforeEach(async () => {
  const { data } = await agent.create()
  id = data.media_buy_id
  pkg = data.packages[0].package_id
})

const update = (change: object) => agent.run('update_media_buy', { media_buy_id: id, ...change })

describe('update_media_buy', () => {
  test('changes packages and shows the affected ones', async () => {
    const { data, isError } = await update({ revision: 1, packages: [{ package_id: pkg, budget: 1500, pacing: 'asap' }] })
    expect(isError, JSON.stringify(data)).toBe(false)
    expect(data).toMatchObject({
      media_buy_id: id,
      revision: 2,
      affected_packages: [{ package_id: pkg, budget: 1500, pacing: 'asap' }],
    })
    const { data: listed } = await agent.buyer.call('get_media_buys', { media_buy_ids: [id], include_history: 5 })
    expect(listed.media_buys[0]).toMatchObject({
      total_budget: 1500,
      revision: 2,
      history: [{ action: 'updated_budget', package_id: pkg }, { action: 'created' }],
    })
  })

  test('compares revisions: the second of two writers is told to read again', async () => {
    const [a, b] = await Promise.all([
      update({ revision: 1, packages: [{ package_id: pkg, budget: 1100 }] }),
      update({ revision: 1, packages: [{ package_id: pkg, budget: 1200 }] }),
    ])
    expect([a, b].filter((reply) => reply.isError).map((reply) => reply.data.adcp_error.code)).toEqual(['CONFLICT'])
    expect((await update({ revision: 1, paused: true })).data.adcp_error).toMatchObject({ code: 'CONFLICT', field: 'revision' })
  })

  test('a pause before the flight is in each answer and its text, though the status stays pending', async () => {
    const { data } = await update({ paused: true })
    expect(data).toMatchObject({ status: 'pending_creatives', ext: { paused: true } })
    expect(summarizeUpdated(data)).toContain('Paused: nothing of it runs')
    for (const args of [{ media_buy_ids: [id] }, { status_filter: ['pending_creatives'] }]) {
      const listed = await agent.buyer.call('get_media_buys', args)
      const row = listed.data.media_buys.find((each: { media_buy_id: string }) => each.media_buy_id === id)
      expect(row.ext, JSON.stringify(args)).toMatchObject({ paused: true })
      expect(summarizeMediaBuys(listed.data)).toContain('it is paused: update_media_buy with paused false resumes it')
      expect(summarizeMediaBuys(listed.data)).toContain(id)
    }
    expect((await update({ paused: false })).data.ext ?? {}).not.toHaveProperty('paused')
    const { data: begun } = await agent.create({ paused: true })
    expect(begun.ext).toMatchObject({ paused: true })
  })

  test('targeting that a new overlay takes away is said by name, and what is sent again is not', async () => {
    const frequency_cap = { max_impressions: 3, per: 'individuals' as const, window: { interval: 1, unit: 'days' } }
    const retarget = (targeting_overlay: object) => update({ packages: [{ package_id: pkg, targeting_overlay }] })
    const capped = await retarget({ frequency_cap, device_type: ['mobile'] })
    expect(capped.isError, JSON.stringify(capped.data)).toBe(false)
    const kept = await retarget({ frequency_cap, device_type: ['desktop'] })
    expect(JSON.stringify(kept.data.ext ?? {})).not.toContain('no longer hold')
    const { data } = await retarget({ device_type: ['mobile'] })
    const [note] = data.ext.notes
    expect(note).toMatch(
      /^packages\[0\]\.targeting_overlay replaced all targeting of the package: frequency_cap \{.*no longer holds/,
    )
    expect(summarizeUpdated(data)).toContain(note)
  })

  test('walks the official state machine', async () => {
    expect((await update({ paused: true })).data).toMatchObject({
      status: 'pending_creatives',
      valid_actions: expect.arrayContaining(['resume']),
    })
    expect((await update({ paused: false })).data.status).toBe('pending_creatives')
    expect((await update({ canceled: true, cancellation_reason: 'done' })).data.status).toBe('canceled')
    expect((await update({ paused: true })).data.adcp_error.code).toBe('INVALID_STATE')
    expect((await update({ paused: false })).data.adcp_error.code).toBe('INVALID_STATE')
    expect((await update({ canceled: true })).data.adcp_error.code).toBe('NOT_CANCELLABLE')
    const { data } = await agent.buyer.call('get_media_buys', { media_buy_ids: [id] })
    expect(data.media_buys[0]).toMatchObject({
      status: 'canceled',
      valid_actions: [],
      cancellation: { canceled_by: 'buyer', reason: 'done' },
    })
  })

  test('adds packages within the inventory that is left', async () => {
    const home = (budget: number) => ({ new_packages: [{ product_id: 'home', pricing_option_id: 'cpm', budget }] })
    const refused = async (change: object) => {
      const { code, field } = (await update(change)).data.adcp_error
      return [code, field]
    }
    expect(await refused(home(101))).toEqual(['PRODUCT_UNAVAILABLE', 'new_packages[0].product_id'])
    const { data } = await update(home(60))
    expect(data.affected_packages[0]).toMatchObject({ product_id: 'home', budget: 60 })
    const grow = { packages: [{ package_id: data.affected_packages[0].package_id, budget: 101 }] }
    expect(await refused(grow)).toEqual(['PRODUCT_UNAVAILABLE', 'packages[0].budget'])
    await update({ canceled: true })
  })

  test('what is not the agent’s, or not of the named account, does not exist', async () => {
    const other = { account: { ...ACCOUNT, brand: { domain: 'second.example' } } }
    await agent.run('sync_accounts', { account: undefined, accounts: [{ ...other.account, billing: 'operator' }] })
    const stranger = await agent.buyerOn(ACCOUNT, { principal: 'stranger', sandbox: true })
    const replies = [
      await update({ media_buy_id: 'mb_none', paused: true }),
      await update({ ...other, paused: true }),
      await agent.run('update_media_buy', { media_buy_id: id, paused: true }, stranger),
    ]
    expect(replies.map((reply) => reply.data.adcp_error.code)).toEqual(Array(3).fill('MEDIA_BUY_NOT_FOUND'))
    const unlike = new Set(replies.map((reply) => reply.data.adcp_error.message.replace(/ the newest: [^;]+;/, '')))
    expect(unlike.size).toBe(1)
    expect(JSON.stringify([replies[1]?.data, replies[2]?.data])).not.toContain(id)
    expect((await update({ packages: [{ package_id: 'nope', paused: true }] })).data.adcp_error).toMatchObject({
      code: 'PACKAGE_NOT_FOUND',
      field: 'packages[0].package_id',
    })
  })
})
