import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { must, type StandardsAgent, startStandardsAgent } from '../../support/standards-agent.ts'

let agent: StandardsAgent

beforeAll(async () => {
  agent = await startStandardsAgent()
  const scopes = [
    { description: 'en display', languages_any: ['en'], channels_any: ['display'] },
    { description: 'es olv', languages_any: ['es'], channels_any: ['olv'] },
    { description: 'fr everywhere', languages_any: ['fr'] },
    { description: 'en DE', languages_any: ['en'], countries_all: ['DE'] },
  ]
  for (const scope of scopes) await agent.standards([must('p', 'No violence')], { scope })
})
afterAll(() => agent.stop())

const list = async (args: object, client = agent.buyer) => (await client.call('list_content_standards', args)).data
const names = (data: { standards: { name: string }[] }) => data.standards.map(({ name }) => name).toSorted()

describe('list_content_standards', () => {
  it.each([
    [{}, ['en DE', 'en display', 'es olv', 'fr everywhere']],
    [{ channels: ['display'] }, ['en DE', 'en display', 'fr everywhere']],
    [{ languages: ['EN'] }, ['en DE', 'en display']],
    [{ countries: ['FR'], languages: ['en'] }, ['en display']],
    [{ languages: ['de'] }, []],
  ])('%o finds those that may apply there', async (filter, expected) => {
    const data = await list(filter)
    expect(names(data)).toEqual(expected)
    expect(data.pagination).toEqual({ has_more: false, total_count: expected.length })
  })

  it('pages without gaps or repeats; a cursor belongs to its filter', async () => {
    const first = await list({ pagination: { max_results: 3 } })
    const { cursor } = first.pagination
    const second = await list({ pagination: { max_results: 3, cursor } })
    expect(new Set([...names(first), ...names(second)]).size).toBe(4)
    expect(second.pagination).toEqual({ has_more: false, total_count: 4 })
    const other = await list({ languages: ['en'], pagination: { cursor } })
    expect(other.adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'pagination.cursor' })
  })

  it('shows an agent its own only', async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger' }))
    expect(await list({}, stranger)).toMatchObject({ standards: [], pagination: { total_count: 0 } })
  })
})
