import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, SUITE_ACCOUNT, startReleaseAgent } from '../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
})
afterAll(() => agent.stop())

describe.each(LINES.filter((line) => line !== '3.0'))('the wholesale feeds under AdCP %s', (line) => {
  test.each([
    ['get_products', { buying_mode: 'wholesale', account: SUITE_ACCOUNT }, 'products', 'public'],
    ['get_signals', { discovery_mode: 'wholesale' }, 'signals', 'public'],
  ])('%s has a version, by which it is told from a feed that has changed', async (task, request, member, scope) => {
    const { data: first } = await agent.ask(line, task, { ...request, pagination: { max_results: 2 } })
    expect(first).toMatchObject({ cache_scope: scope, wholesale_feed_version: expect.stringMatching(/^wfv_/) })
    expect(first[member]).toHaveLength(2)
    const version = first.wholesale_feed_version
    const { data: again } = await agent.ask(line, task, { ...request, if_wholesale_feed_version: version })
    expect(again).toMatchObject({ unchanged: true, wholesale_feed_version: version, cache_scope: scope })
    expect(again[member]).toBeUndefined()
    const { data: stale } = await agent.ask(line, task, { ...request, if_wholesale_feed_version: 'wfv_other' })
    expect(stale.unchanged).toBeUndefined()
    expect(stale[member].length).toBeGreaterThan(2)
  })

  test.each([
    ['get_products', { buying_mode: 'brief', brief: 'video' }, 'account'],
    ['get_signals', { signal_spec: 'cars' }, 'public'],
  ])('%s is for all accounts of the caller where it holds nothing of the named one', async (task, request, scope) => {
    expect((await agent.ask(line, task, request)).data.cache_scope).toBe('public')
    expect((await agent.ask(line, task, { ...request, account: SUITE_ACCOUNT })).data.cache_scope).toBe(scope)
  })

  test('filters that ask the same in another order have the same version', async () => {
    const versionOf = async (filters: object) =>
      (await agent.ask(line, 'get_signals', { discovery_mode: 'wholesale', filters })).data.wholesale_feed_version
    const version = await versionOf({ catalog_types: ['owned', 'marketplace'], max_cpm: 9 })
    expect(await versionOf({ max_cpm: 9, catalog_types: ['marketplace', 'owned'] })).toBe(version)
    expect(await versionOf({ max_cpm: 8, catalog_types: ['marketplace', 'owned'] })).not.toBe(version)
  })

  test('another product is another version', async () => {
    const request = { buying_mode: 'wholesale', account: SUITE_ACCOUNT }
    const { data: before } = await agent.ask(line, 'get_products', request)
    await agent.control('seed_product', { product_id: `new-${line}` })
    const { data: after } = await agent.ask(line, 'get_products', {
      ...request,
      if_wholesale_feed_version: before.wholesale_feed_version,
    })
    expect(after.unchanged).toBeUndefined()
    expect(after.wholesale_feed_version).not.toBe(before.wholesale_feed_version)
  })

  test('signals are found again by the reference that they come with', async () => {
    const { data } = await agent.ask(line, 'get_signals', { signal_spec: 'electric car buyers' })
    const [signal] = data.signals
    const { data: found } = await agent.ask(line, 'get_signals', { signal_refs: [signal.signal_ref] })
    expect(found.signals.map((each: { signal_agent_segment_id: string }) => each.signal_agent_segment_id)).toEqual([
      signal.signal_agent_segment_id,
    ])
    expect(data.wholesale_feed_version).toBeUndefined()
  })

  test('the capabilities declare the feeds', async () => {
    const { data } = await agent.ask(line, 'get_adcp_capabilities')
    expect(data).toMatchObject({
      wholesale_feed_versioning: { supported: true },
      signals: { discovery_modes: ['brief', 'wholesale'] },
      media_buy: {
        buying_modes: ['brief', 'wholesale', 'refine'],
        supports_proposals: true,
        propagation_surfaces: ['snapshot', 'webhook'],
      },
    })
  })
})
