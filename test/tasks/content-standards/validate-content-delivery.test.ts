import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { article, must, type StandardsAgent, startStandardsAgent } from '../../support/standards-agent.ts'

let agent: StandardsAgent
let standards_id: string

beforeAll(async () => {
  agent = await startStandardsAgent()
  standards_id = await agent.standards(
    [
      must('calm', 'No violence', { policy_categories: ['brand_safety'] }),
      must('dry', 'No alcohol', { jurisdictions: ['NORDIC'], region_aliases: { NORDIC: ['SE', 'NO'] } }),
      must('soon', 'No gambling', { effective_date: '2026-06-01' }),
      must('gone', 'No tobacco', { sunset_date: '2026-01-01' }),
    ],
    { scope: { languages_any: ['en'], countries_all: ['SE', 'DE'] } },
  )
})
afterAll(() => agent.stop())

const validate = async (records: object[], more: object = {}) =>
  (await agent.buyer.call('validate_content_delivery', { standards_id, records, ...more })).data
const verdicts = (data: { results: { verdict: string }[] }) => data.results.map(({ verdict }) => verdict)

describe('validate_content_delivery', () => {
  it('judges each record by the policies in force where it ran', async () => {
    const data = await validate([
      { record_id: 'r1', artifact: article('A shooting downtown.'), country: 'DE' },
      { record_id: 'r2', artifact: article('A new whisky distillery.'), country: 'SE' },
      { record_id: 'r3', artifact: article('A new whisky distillery.'), country: 'DE' },
      { record_id: 'r4', artifact: article('The casino reopens.'), country: 'DE' },
      { record_id: 'r5', artifact: article('Cigarettes get dearer.'), country: 'DE' },
      { record_id: 'r6', artifact: article('A shooting downtown.'), country: 'US' },
    ])
    expect(verdicts(data)).toEqual(['fail', 'fail', 'pass', 'pass', 'pass', 'pass'])
    expect(data.summary).toEqual({ total_records: 6, passed_records: 4, failed_records: 2 })
    const [, , , soon, , outside] = data.results
    expect(soon.features).toContainEqual(expect.objectContaining({ policy_id: 'soon', status: 'warning' }))
    expect(outside.features).toMatchObject([{ feature_id: 'record:scope', status: 'unevaluated' }])
  })

  it('many policies on many records are refused with how many records may be sent, which are judged', async () => {
    const policies = Array.from({ length: 200 }, (_, index) => must(`p${index}`, `No thing${index} and other${index}`))
    const standards = await agent.standards(policies, { scope: { languages_any: ['en'] } })
    const records = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ record_id: `r${index}`, artifact: article(`A thing${index} here.`) }))
    const ask = (count: number) => validate(records(count), { standards_id: standards })
    const { adcp_error: refused } = await ask(1_000)
    expect(refused).toMatchObject({ code: 'INVALID_REQUEST', field: 'records' })
    expect(refused.message).toContain('200 policies × 1000 records')
    const most = Number(/at most (\d+) records/.exec(refused.suggestion)?.[1])
    expect(most).toBeGreaterThan(100)
    const { results } = await ask(most)
    expect(
      results.map(({ features }: { features: { status: string }[] }) => features.findIndex(({ status }) => status === 'failed')),
    ).toEqual(Array.from({ length: most }, (_, index) => index))
    expect((await ask(most + 1)).adcp_error.code).toBe('INVALID_REQUEST')
  })

  it('looks at the named features only, and leaves passed records out when asked', async () => {
    const records = [
      { record_id: 'r1', artifact: article('A shooting downtown.'), country: 'SE' },
      { record_id: 'r2', artifact: article('A new whisky distillery.'), country: 'SE' },
    ]
    expect(verdicts(await validate(records, { feature_ids: ['dry'] }))).toEqual(['pass', 'fail'])
    const failed = await validate(records, { feature_ids: ['brand_safety'], include_passed: false })
    expect(failed).toMatchObject({ summary: { total_records: 2, failed_records: 1 }, results: [{ record_id: 'r1' }] })
  })

  it("does not use another agent's standards", async () => {
    const stranger = agent.client(await agent.addBuyer({ principal: 'stranger', tenant: 'far' }))
    const reply = await stranger.call('validate_content_delivery', {
      standards_id,
      records: [{ record_id: 'r', artifact: article('x') }],
    })
    expect(reply.data.adcp_error).toMatchObject({ code: 'REFERENCE_NOT_FOUND', field: 'standards_id' })
  })
})
