import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
}, 120_000)
afterAll(() => agent?.stop())

describe.each(LINES)('filter_diagnostics under AdCP %s', (line) => {
  const ask = async (args: object) => {
    const { data, isError } = await agent.ask(line, 'get_products', args)
    expect(isError, JSON.stringify(data)).toBeFalsy()
    return data
  }
  const wholesale = (filters: object) => ask({ buying_mode: 'wholesale', filters, pagination: { max_results: 1 } })
  const total = async (filters: object) => (await wholesale(filters)).pagination.total_count

  test('say for each filter how many products it alone excludes', async () => {
    const filters = { delivery_type: 'guaranteed', channels: ['podcast'], start_date: '2026-04-01', end_date: '2026-04-30' }
    const data = await wholesale(filters)
    if (line === '3.0') {
      expect(data).not.toHaveProperty('filter_diagnostics')
      return
    }
    const { delivery_type, channels, ...dates } = filters
    const both = await total(filters)
    expect(data.filter_diagnostics).toMatchObject({ semantics: 'only', total_candidates: await total({}) })
    const { excluded_by } = data.filter_diagnostics
    expect(excluded_by.delivery_type?.count ?? 0).toBe((await total({ channels, ...dates })) - both)
    expect(excluded_by.channels.count).toBe((await total({ delivery_type, ...dates })) - both)
    expect(excluded_by.channels.count).toBeGreaterThan(0)
  })

  test('tell a brief that no product passes which filter it was', async () => {
    const filters = { pricing_currencies: ['XPF'] }
    const data = await ask({ buying_mode: 'brief', brief: 'podcasts', filters })
    if (line === '3.0') return
    expect(data.products).toEqual([])
    const { total_candidates, excluded_by } = data.filter_diagnostics
    expect(excluded_by).toEqual({ pricing_currencies: { count: total_candidates } })
  })

  test('are absent where nothing was excluded', async () => {
    expect(await wholesale({})).not.toHaveProperty('filter_diagnostics')
    expect(await wholesale({ standard_formats_only: false })).not.toHaveProperty('filter_diagnostics')
  })
})
