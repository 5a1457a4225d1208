import { afterAll, beforeAll, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
}, 120_000)
afterAll(() => agent?.stop())

const order = (more: object) => ({
  account: SUITE_ACCOUNT,
  brand: SUITE_ACCOUNT.brand,
  start_time: '2026-04-01T00:00:00Z',
  end_time: '2026-05-01T00:00:00Z',
  packages: [{ product_id: 'uk_news_display', pricing_option_id: 'cpm_gbp_fixed', budget: 50_000 }],
  ...more,
})

test.each(LINES)('a media buy has the name that its buyer gave it under AdCP %s', async (line) => {
  const created = await agent.ask(line, 'create_media_buy', order({ name: 'Spring <launch>' }))
  expect(created.data, JSON.stringify(created.data)).toMatchObject({ name: 'Spring <launch>' })
  const { media_buy_id } = created.data
  const ids = { media_buy_ids: [media_buy_id], account: SUITE_ACCOUNT }
  expect((await agent.ask(line, 'get_media_buys', ids)).data.media_buys[0].name).toBe('Spring <launch>')
  const renamed = await agent.ask(line, 'update_media_buy', { media_buy_id, account: SUITE_ACCOUNT, name: 'Summer' })
  expect(renamed.data, JSON.stringify(renamed.data)).toMatchObject({ name: 'Summer' })
  expect((await agent.ask(line, 'get_media_buys', ids)).data.media_buys[0].name).toBe('Summer')
})

test('a name that is no text of at most 255 characters is refused under 3.2 and left out before', async () => {
  const name = 'x'.repeat(256)
  if (LINES.includes('3.2'))
    expect((await agent.ask('3.2', 'create_media_buy', order({ name }))).data.adcp_error).toMatchObject({ field: 'name' })
  expect((await agent.ask('3.0', 'create_media_buy', order({ name }))).data).not.toHaveProperty('name')
})
