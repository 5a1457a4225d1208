import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

const LATER = LINES.filter((line) => line !== '3.0')
const product = async (product_id: string, fixture: object = {}) => {
  await agent.control('seed_product', { product_id, fixture: { name: product_id, channels: ['display'], ...fixture } })
  await agent.control('seed_pricing_option', { product_id, pricing_option_id: 'cpm', fixture: { fixed_price: 10 } })
}
const banner = (id: string) => ({
  creative_id: id,
  name: id,
  format_id: { agent_url: agent.url, id: 'display_300x250' },
  assets: { image: { asset_type: 'image', url: 'https://cdn.example/i.png', width: 300, height: 250 } },
})
const buy = async (line: string, product_id: string, more: object = {}) =>
  (
    await agent.ask(line, 'create_media_buy', {
      account: SUITE_ACCOUNT,
      brand: SUITE_ACCOUNT.brand,
      start_time: 'asap',
      end_time: '2026-06-30T00:00:00Z',
      packages: [{ product_id, pricing_option_id: 'cpm', budget: 5000, context: { buyer_ref: 'line-1' }, ...more }],
    })
  ).data
const read = async (line: string, id: string) => {
  const { data } = await agent.ask(line, 'get_media_buys', { account: SUITE_ACCOUNT, media_buy_ids: [id] })
  return data.media_buys[0]
}
const change = async (line: string, id: string, update: object) =>
  (await agent.ask(line, 'update_media_buy', { account: SUITE_ACCOUNT, media_buy_id: id, ...update })).data

describe.each(LATER)('a media buy under AdCP %s', (line) => {
  test('says its sum and what can be changed, and repeats the context of its packages', async () => {
    await product(`plain-${line}`)
    const created = await buy(line, `plain-${line}`)
    expect(created).toMatchObject({ currency: 'USD', total_budget: 5000 })
    expect(created.available_actions).toContainEqual({ action: 'increase_budget', mode: 'self_serve' })
    const shown = await read(line, created.media_buy_id)
    expect(shown).toMatchObject({ health: 'ok', packages: [{ context: { buyer_ref: 'line-1' } }] })
    expect(shown.available_actions).toEqual(created.available_actions)
    const canceled = await change(line, created.media_buy_id, { canceled: true })
    expect(canceled).toMatchObject({ available_actions: [], total_budget: 5000 })
  })

  test('allows what its product allows', async () => {
    const allowed_actions = [
      { action: 'pause', modes: ['self_serve'] },
      { action: 'increase_budget', modes: ['requires_approval'] },
      { action: 'cancel', modes: ['self_serve'], allowed_statuses: ['active'] },
    ]
    await product(`strict-${line}`, { allowed_actions })
    const { media_buy_id: id, packages } = await buy(line, `strict-${line}`)
    const shown = await read(line, id)
    expect(shown.available_actions).toEqual([
      { action: 'pause', mode: 'self_serve' },
      { action: 'increase_budget', mode: 'requires_approval' },
    ])
    const [{ package_id }] = packages
    const less = await change(line, id, { packages: [{ package_id, budget: 4000 }] })
    expect(less.adcp_error).toMatchObject({
      code: 'ACTION_NOT_ALLOWED',
      details: {
        attempted_action: 'decrease_budget',
        reason: 'not_supported_on_product',
        currently_available_actions: shown.available_actions,
      },
    })
    const ended = await change(line, id, { canceled: true })
    expect(ended.adcp_error).toMatchObject({ code: 'ACTION_NOT_ALLOWED', details: { reason: 'wrong_status' } })
    expect(await change(line, id, { paused: true })).toMatchObject({ media_buy_id: id })
  })

  test('is targeted by signals that its product lists, and by no others', async () => {
    const signal_ref = { scope: 'product', signal_id: 'runners' }
    await product(`signals-${line}`, {
      signal_targeting_allowed: true,
      signal_targeting_options: [{ signal_ref, name: 'Runners', value_type: 'binary' }],
      signal_targeting_rules: { max_signal_targeting_groups: 1 },
    })
    const targeted = (ref: object, operator = 'any', groups = 1) => ({
      targeting_overlay: {
        signal_targeting_groups: {
          operator: 'all',
          groups: Array.from({ length: groups }, () => ({
            operator,
            signals: [{ signal_ref: ref, value_type: 'binary', value: true }],
          })),
        },
      },
    })
    const created = await buy(line, `signals-${line}`, targeted(signal_ref))
    expect(created.packages?.[0], JSON.stringify(created)).toMatchObject(targeted(signal_ref))
    expect(created.ext?.ignored_members).toBeUndefined()
    expect(await read(line, created.media_buy_id)).toMatchObject({ packages: [targeted(signal_ref)] })
    const field = 'packages[0].targeting_overlay.signal_targeting_groups.groups'
    const unknown = await buy(line, `signals-${line}`, targeted({ scope: 'product', signal_id: 'nobody' }))
    expect(unknown.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: `${field}[0].signals[0].signal_ref` })
    const excluded = await buy(line, `signals-${line}`, targeted(signal_ref, 'none'))
    expect(excluded.adcp_error).toMatchObject({ code: 'VALIDATION_ERROR', field: `${field}[0].signals[0].signal_ref` })
    expect((await buy(line, `signals-${line}`, targeted(signal_ref, 'any', 2))).adcp_error).toMatchObject({ field })
    await product(`no-signals-${line}`)
    expect((await buy(line, `no-signals-${line}`, targeted(signal_ref))).adcp_error.code).toBe('UNSUPPORTED_FEATURE')
  })

  test('is impaired while its only creative is refused, and recovers with another', async () => {
    await product(`creative-${line}`)
    const [first, second] = [`first-${line}`, `second-${line}`]
    const { media_buy_id: id, packages } = await buy(line, `creative-${line}`, { creatives: [banner(first)] })
    const [{ package_id }] = packages
    expect(await read(line, id)).toMatchObject({ status: 'active', health: 'ok' })
    await agent.control('force_creative_status', { creative_id: first, status: 'suspended' })
    expect(await read(line, id)).toMatchObject({
      status: 'active',
      health: 'impaired',
      impairments: [
        { resource_type: 'creative', resource_id: first, package_ids: [package_id], transition: { to: 'suspended' } },
      ],
    })
    const { data: library } = await agent.ask(line, 'list_creatives', { filters: { creative_ids: [first] } })
    expect(library.creatives[0].status).toBe('suspended')
    const { data: old } = await agent.ask('3.0', 'list_creatives', { filters: { creative_ids: [first] } })
    expect(old.creatives[0]).toMatchObject({ status: 'pending_review', suspended: true })
    await agent.control('force_creative_status', { creative_id: first, status: 'approved' })
    expect((await read(line, id)).health).toBe('ok')
    await agent.control('force_creative_status', {
      creative_id: first,
      status: 'rejected',
      rejection_reason: 'Against policy',
    })
    expect(await read(line, id)).toMatchObject({
      impairments: [{ transition: { to: 'rejected' }, reason_code: 'content_rejected', reason: 'Against policy' }],
    })
    await change(line, id, { packages: [{ package_id, creatives: [banner(second)] }] })
    const healed = await read(line, id)
    expect(healed).toMatchObject({ health: 'ok', packages: [{ creative_approvals: [{ creative_id: second }] }] })
    expect(healed.packages[0].creative_approvals).toHaveLength(1)
    expect(healed.impairments).toBeUndefined()
    const assigned = { creative_assignments: [{ creative_id: first }] }
    const fault = { code: 'CREATIVE_REJECTED', field: 'packages[0].creative_assignments[0].creative_id' }
    expect((await buy(line, `creative-${line}`, assigned)).adcp_error).toMatchObject(fault)
    expect((await change(line, id, { packages: [{ package_id, ...assigned }] })).adcp_error).toMatchObject(fault)
    const assignments = [{ creative_id: first, package_id }]
    const { data: synced } = await agent.ask(line, 'sync_creatives', {
      account: SUITE_ACCOUNT,
      creatives: [banner(second)],
      assignments,
    })
    const row = synced.creatives.find((each: { creative_id: string }) => each.creative_id === first)
    expect(row).toMatchObject({ assigned_to: [], assignment_errors: { [package_id]: expect.stringContaining('Against policy') } })
    expect(await read(line, id)).toMatchObject({ health: 'ok' })
  })

  test('waits again for a creative that its publisher takes back for review', async () => {
    await product(`again-${line}`)
    const { media_buy_id: id } = await buy(line, `again-${line}`, { creatives: [banner(`again-${line}`)] })
    await agent.control('force_creative_status', { creative_id: `again-${line}`, status: 'pending_review' })
    const approvals = [{ creative_id: `again-${line}`, approval_status: 'pending_review' }]
    expect(await read(line, id)).toMatchObject({ packages: [{ creative_approvals: approvals }] })
  })
})

test('under AdCP 3.0 creatives that come with a package join those that it has', async () => {
  await product('joined')
  const { media_buy_id: id, packages } = await buy('3.0', 'joined', { creatives: [banner('joined-1')] })
  await change('3.0', id, { packages: [{ package_id: packages[0].package_id, creatives: [banner('joined-2')] }] })
  expect((await read('3.0', id)).packages[0].creative_approvals).toHaveLength(2)
})
