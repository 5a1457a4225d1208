import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { saveSignals } from '../../../src/store/signal/signals.ts'
import { ACCOUNT, SIGNALS } from '../../support/signal-documents.ts'
import { type SignalsAgent, startSignalsAgent } from '../../support/signals-agent.ts'

let agent: SignalsAgent
beforeAll(async () => {
  agent = await startSignalsAgent()
})
afterAll(() => agent.stop())

const ask = (args: object, client = agent.buyer) => client.call('get_signals', args)
const idsOf = async (args: object) =>
  (await ask(args)).data.signals.map((signal: { signal_agent_segment_id: string }) => signal.signal_agent_segment_id)

describe('get_signals', () => {
  it('finds signals by description, with all that activation needs', async () => {
    const { data } = await ask({ signal_spec: 'people who buy electric cars', account: ACCOUNT })
    expect(data.signals[0]).toEqual({
      signal_id: { source: 'catalog', data_provider_domain: 'cars.example', id: 'ev' },
      signal_agent_segment_id: 'ev_buyers',
      name: 'Electric vehicle buyers',
      description: 'Readers of ev_buyers',
      value_type: 'binary',
      signal_type: 'marketplace',
      data_provider: 'Cars Data',
      coverage_percentage: 10,
      deployments: [
        { type: 'platform', platform: 'quick-dsp', is_live: false, estimated_activation_duration_minutes: 0 },
        { type: 'platform', platform: 'slow-dsp', is_live: false, estimated_activation_duration_minutes: 30 },
        { type: 'agent', agent_url: agent.url, is_live: false, estimated_activation_duration_minutes: 0 },
      ],
      pricing_options: [{ pricing_option_id: 'agreed', model: 'cpm', cpm: 1.5, currency: 'USD' }],
    })
    expect(await idsOf({ signal_spec: 'ice fishing' })).toEqual([])
  })

  it('shows an account the prices agreed with it, and all others the published ones', async () => {
    const { data } = await ask({ signal_spec: 'electric' })
    expect(data.signals[0].pricing_options[0].pricing_option_id).toBe('ev_buyers_cpm')
  })

  it('looks up ids exactly, first, and leaves out those that do not exist', async () => {
    const catalog = { source: 'catalog', data_provider_domain: 'cars.example', id: 'ev' }
    const own = { source: 'agent', agent_url: `${agent.url}/`, id: 'gardeners' }
    const absent = { source: 'catalog', data_provider_domain: 'cars.example', id: 'absent' }
    expect(await idsOf({ signal_ids: [own, absent, catalog] })).toEqual(['gardeners', 'ev_buyers'])
    expect(await idsOf({ signal_ids: [own], signal_spec: 'hiking' })).toEqual(['gardeners', 'hikers'])
    expect(await idsOf({ signal_ids: [{ ...own, agent_url: 'https://elsewhere.example/' }] })).toEqual([])
  })

  it.each<[object, string[]]>([
    [{ catalog_types: ['marketplace'] }, ['ev_buyers']],
    [{ catalog_types: ['custom'] }, []],
    [{ data_providers: ['cars data'] }, ['ev_buyers']],
    [{ data_providers: ['acme'] }, ['hikers', 'gardeners']],
    [{ min_coverage_percentage: 20 }, ['hikers']],
    [{ max_cpm: 1.99 }, ['hikers']],
    [{ max_percent: 9 }, ['ev_buyers', 'gardeners']],
  ])('filters by %j', async (filters, ids) => {
    expect(await idsOf({ signal_spec: 'audience', filters })).toEqual(ids)
  })

  it('filters by country and by where a signal can be activated, and then shows those places alone', async () => {
    expect(await idsOf({ signal_spec: 'audience', countries: ['DE'] })).toEqual(['hikers', 'gardeners'])
    const platform = { type: 'platform', platform: 'Slow-DSP' }
    const { data } = await ask({ signal_spec: 'audience', destinations: [platform] })
    expect(data.signals.map((each: { name: string }) => each.name)).toEqual(['Electric vehicle buyers', 'Hiking readers'])
    expect(data.signals[0].deployments).toEqual([{ ...platform, is_live: false, estimated_activation_duration_minutes: 30 }])
  })

  it('pages by cursors that belong to their question', async () => {
    const question = { signal_spec: 'audience' }
    const first = await ask({ ...question, pagination: { max_results: 2 } })
    expect(first.data.pagination).toMatchObject({ has_more: true, total_count: 3 })
    const { cursor } = first.data.pagination
    const second = await ask({ ...question, pagination: { cursor, max_results: 2 } })
    expect(second.data.signals.map((each: { name: string }) => each.name)).toEqual(['Gardening readers'])
    expect(second.data.pagination).toEqual({ has_more: false, total_count: 3 })
    const other = await ask({ signal_spec: 'hiking', pagination: { cursor } })
    expect(other.data.errors[0]).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
  })

  it('takes the deprecated max_results, unless pagination says otherwise', async () => {
    expect(await idsOf({ signal_spec: 'audience', max_results: 1 })).toHaveLength(1)
    expect(await idsOf({ signal_spec: 'audience', max_results: 1, pagination: { max_results: 3 } })).toHaveLength(3)
  })

  it('shows a private signal to its agent alone', async () => {
    const somebody = agent.client(await agent.addBuyer({ principal: 'somebody-else' }))
    const { data } = await ask({ signal_spec: 'hiking mix' }, somebody)
    expect(data.signals.map((each: { name: string }) => each.name)).toContain('Private hiking mix')
    expect(await idsOf({ signal_spec: 'hiking mix' })).toEqual(['hikers'])
  })

  it('is for agents with credentials and the scope', async () => {
    expect((await ask({ signal_spec: 'audience' }, agent.client())).status).toBe(401)
    const narrow = agent.client(await agent.addBuyer({ principal: 'narrow', scopes: ['adcp:products'] }))
    expect((await ask({ signal_spec: 'audience' }, narrow)).data.errors[0].code).toBe('INSUFFICIENT_PERMISSIONS')
  })

  it('answers from a new import at once, and tells its providers in the capabilities', async () => {
    const other = await startSignalsAgent()
    try {
      const capabilities = async () => (await other.buyer.call('get_adcp_capabilities')).data
      expect(await capabilities()).toMatchObject({
        supported_protocols: expect.arrayContaining(['signals']),
        signals: { data_provider_domains: ['cars.example'], features: { catalog_signals: true } },
      })
      const [first] = SIGNALS.signals.filter(({ signal_type }) => signal_type === 'owned')
      const file = { version: 1 as const, signals: first ? [first] : [] }
      await other.server.store.transaction((tx) => saveSignals(tx, other.tenant, file, { merge: false }, new Date()))
      expect((await other.buyer.call('get_signals', { signal_spec: 'audience' })).data.signals).toHaveLength(1)
      expect((await capabilities()).signals).toEqual({ features: { catalog_signals: false } })
    } finally {
      await other.stop()
    }
  })
})
