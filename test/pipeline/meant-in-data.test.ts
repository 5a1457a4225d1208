import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { contracts: loadContracts() })
})
afterAll(() => agent.stop())

const KEY = { idempotency_key: '11111111-1111-4111-8111-111111111111' }
const CREATIVE = {
  creative_id: 'c',
  name: 'C',
  format_id: { agent_url: 'https://seller.example/mcp', id: 'display_300x250' },
  assets: {},
  click_url: 'https://brand.example/',
}

it.each([
  ['list_creative_formats', { size: '300x250' }, ['size is not known here; did you mean min_width, max_width']],
  ['get_signals', { signal_spec: 'x', filters: { max_price: 3 } }, ['did you mean max_cpm']],
  ['get_media_buy_delivery', { granularity: 'week', breakdown: 'geo' }, ['there are no weeks', 'reporting_dimensions ({"geo"']],
  ['get_task_status', { id: 't' }, ['did you mean task_id']],
  ['get_property_list', { property_list_id: 'l' }, ['did you mean list_id']],
  [
    'sync_audiences',
    { ...KEY, account: ACCOUNT, audiences: [{ id: 'a', emails: ['x'] }] },
    ['did you mean audience_id', 'did you mean add ('],
  ],
  ['sync_event_sources', { ...KEY, account: ACCOUNT, event_sources: [{ id: 'p' }] }, ['did you mean event_source_id']],
  ['sync_plans', { ...KEY, plans: [{ id: 'p', currency: 'EUR' }] }, ['did you mean plan_id', 'did you mean budget ({"total"']],
  ['report_usage', { ...KEY, usage: [{ account: ACCOUNT, amount: 1 }] }, ['did you mean vendor_cost']],
  [
    'provide_performance_feedback',
    { ...KEY, score: 8, period: '2026' },
    ['did you mean performance_index', 'did you mean measurement_period'],
  ],
  [
    'create_property_list',
    { ...KEY, name: 'x', properties: ['a.example'] },
    ['did you mean base_properties ([{"selection_type"'],
  ],
  ['get_rights', { usage: 'ads', talent: 'x' }, ['did you mean uses (a list)', 'did you mean query']],
  [
    'activate_signal',
    { ...KEY, signal_id: 's', platform: 'dsp' },
    ['did you mean signal_agent_segment_id', 'destinations ([{"type": "platform"'],
  ],
  [
    'update_media_buy',
    { ...KEY, media_buy_id: 'm', account: ACCOUNT, action: 'cancel' },
    ['did you mean paused (true or false) or canceled (true)'],
  ],
  [
    'sync_creatives',
    { ...KEY, account: ACCOUNT, creatives: [CREATIVE] },
    ['creatives[0].click_url is not known here; did you mean creatives[0].assets.click_url ({"asset_type": "url"'],
  ],
])('%s %j says what was meant, at every release', async (task, args, texts) => {
  for (const pinned of [{}, { adcp_version: '3.1' }, { adcp_version: '3.2' }]) {
    const { data, isError } = await agent.buyer.call(task, { ...args, ...pinned })
    expect(isError, JSON.stringify(data)).toBe(true)
    for (const text of texts) expect(data.adcp_error.message).toContain(text)
  }
})

it.each([
  ['check_governance', { plan: 'p' }, ['plan_id', 'caller is required', 'caller is required']],
  [
    'create_property_list',
    { ...KEY, name: 'x', base_properties: ['a.example'] },
    ['{"selection_type": "identifiers", "identifiers": […]}'],
  ],
  [
    'sync_accounts',
    { ...KEY, accounts: [{ billing: 'net30', currency: 'EUR' }] },
    ['brand', 'leave out currency', 'must be one of: operator, agent, advertiser'],
  ],
  [
    'sync_creatives',
    {
      ...KEY,
      account: ACCOUNT,
      creatives: [{ ...CREATIVE, click_url: undefined, assets: { click_url: 'https://a.example' }, media_url: 'x' }],
    },
    ['{"asset_type": "url", "url"', 'did you mean assets, by the slots'],
  ],
])('%s %j is repaired in one turn', async (task, args, texts) => {
  for (const pinned of [{}, { adcp_version: '3.1' }, { adcp_version: '3.2' }]) {
    const { data } = await agent.buyer.call(task, { ...args, ...pinned })
    for (const text of texts) expect(data.adcp_error.message).toContain(text)
  }
})

it('an error names the other members that have no effect, and what their objects take', async () => {
  const audiences = [{ name: 'Buyers', mood: 'sunny', weather: 'mild' }]
  const { data } = await agent.buyer.call('sync_audiences', { ...KEY, account: ACCOUNT, audiences })
  expect(data.adcp_error.message).toMatch(
    /^audiences\[0\]\.audience_id is required: a text\. audiences\[0\] knows no mood, weather; it takes: audience_id, name, /,
  )
  const events = await agent.buyer.call('log_event', { ...KEY, event_source: 'px', events: [] })
  expect(events.data.adcp_error.message).toContain('the request knows no event_source (did you mean event_source_id?)')
})
