import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
}, 120_000)
afterAll(() => agent?.stop())

const BRIEF = 'balanced reach with video and display across outdoor lifestyle and sports'
const CURATED = 'balanced_reach_q2'

interface Allocation {
  readonly product_id: string
  readonly pricing_option_id: string
}
interface Proposal {
  readonly proposal_id: string
  readonly allocations: readonly Allocation[]
  readonly total_budget_guidance: { readonly min: number; readonly recommended: number; readonly currency: string }
}

describe.each(LINES)('proposals and filters under AdCP %s', (line) => {
  const ask = async (args: object) => {
    const { data, isError } = await agent.ask(line, 'get_products', args)
    expect(isError, JSON.stringify(data)).toBeFalsy()
    return data
  }
  const ids = ({ products = [] }: { products?: readonly { product_id: string }[] }) =>
    products.map(({ product_id }) => product_id)
  const passing = async (filters: object) =>
    new Set(ids(await ask({ buying_mode: 'wholesale', filters, pagination: { max_results: 100 } })))

  test.each([
    { channels: ['olv'] },
    { countries: ['SE'] },
    { countries: ['DE'], delivery_type: 'non_guaranteed' },
    { delivery_type: 'guaranteed', is_fixed_price: true },
    { is_fixed_price: false },
    { start_date: '2031-01-01', end_date: '2031-02-01' },
    { min_exposures: 100_000_000 },
    { budget_range: { max: 5_000, currency: 'USD' } },
    { budget_range: { max: 20_000, currency: 'EUR' } },
    { pricing_currencies: ['GBP'] },
    { required_metrics: ['completed_views'] },
    { standard_formats_only: true, channels: ['display'] },
  ])('a brief with %j is answered, proposals included, from what passes', async (filters) => {
    const allowed = await passing(filters)
    const data = await ask({ buying_mode: 'brief', brief: BRIEF, filters })
    expect(ids(data).filter((id) => !allowed.has(id))).toEqual([])
    const proposals: readonly Proposal[] = data.proposals ?? []
    const named = proposals.flatMap(({ allocations }) => allocations.map(({ product_id }) => product_id))
    expect(named.filter((id) => !allowed.has(id))).toEqual([])
  })

  test('the plan of the publisher is offered only to a budget that it fits, and planned for that budget', async () => {
    const offered = async (brief: string, filters = {}) => {
      const { proposals = [] } = await ask({ buying_mode: 'brief', brief: `${BRIEF}, ${brief}`, filters })
      return proposals as readonly Proposal[]
    }
    const curated = (proposals: readonly Proposal[]) => proposals.find(({ proposal_id }) => proposal_id.split('~')[0] === CURATED)
    expect(curated(await offered('USD 60,000'))?.total_budget_guidance).toMatchObject({ recommended: 60_000, currency: 'USD' })
    expect(curated(await offered(''))?.total_budget_guidance).toMatchObject({ recommended: 50_000 })
    expect(curated(await offered('', { budget_range: { max: 30_000, currency: 'USD' } }))?.total_budget_guidance).toMatchObject({
      recommended: 30_000,
    })
    for (const proposals of [await offered('EUR 20,000'), await offered('USD 5,000'), await offered('', EUROS)])
      expect(curated(proposals)).toBeUndefined()
    for (const { total_budget_guidance } of await offered('EUR 20,000')) {
      expect(total_budget_guidance.currency).toBe('EUR')
      expect(total_budget_guidance.min).toBeLessThanOrEqual(20_000)
      expect(total_budget_guidance.recommended).toBeLessThanOrEqual(20_000)
    }
  })

  test('the budget of a question holds for what is refined and finalized after it', async () => {
    const filters = { budget_range: { max: 20_000, currency: 'USD' } }
    const { proposals = [] } = await ask({ buying_mode: 'brief', brief: BRIEF, filters })
    expect(proposals.length).toBeGreaterThan(0)
    for (const { proposal_id } of proposals as readonly Proposal[]) {
      const refine = [{ scope: 'proposal', proposal_id, action: 'include', ask: 'equal shares' }]
      const refined = await ask({ buying_mode: 'refine', refine })
      expect(refined.proposals).toMatchObject([{ total_budget_guidance: { recommended: 20_000, currency: 'USD' } }])
      const firm = await ask({ buying_mode: 'refine', refine: [{ scope: 'proposal', proposal_id, action: 'finalize' }] })
      expect(firm.proposals).toMatchObject([
        { proposal_id, proposal_status: 'committed', total_budget_guidance: { recommended: 20_000 } },
      ])
    }
    for (const id of [`${CURATED}~0`, `${CURATED}~x`, 'nothing~500']) {
      const refine = [{ scope: 'proposal', proposal_id: id, action: 'include' }]
      await expect(ask({ buying_mode: 'refine', refine })).rejects.toThrow('no proposal with this id')
    }
  })

  test.each(['include', 'finalize'])('%s of a proposal outside the filters is not carried out, and says why', async (action) => {
    const refine = [{ scope: 'proposal', proposal_id: CURATED, action }]
    const { proposals, refinement_applied, ...rest } = await ask({
      buying_mode: 'refine',
      refine,
      filters: { channels: ['olv'] },
    })
    expect(proposals).toEqual([])
    expect(refinement_applied).toMatchObject([
      { status: 'unable', notes: 'its product ctv_outdoor_documentaries does not pass the filters of this request' },
    ])
    const allowed = await passing({ channels: ['olv'] })
    expect(ids(rest).filter((id) => !allowed.has(id))).toEqual([])
    const { proposals: again } = await ask({ buying_mode: 'refine', refine: [{ ...refine[0], action: 'include' }] })
    expect(again).toMatchObject([{ proposal_id: CURATED, proposal_status: 'draft' }])
  })

  test('a product that is named in refine passes the filters, or the answer says that it does not', async () => {
    const entry = (product_id: string) => ({ scope: 'product', product_id, action: 'include' })
    const refine = [entry('outdoor_lifestyle_display'), entry('outdoor_lifestyle_video')]
    const data = await ask({ buying_mode: 'refine', refine, filters: { channels: ['olv'] } })
    expect(ids(data)).toEqual(['outdoor_lifestyle_video'])
    expect(data.refinement_applied).toMatchObject([
      { status: 'unable', notes: 'it does not pass filters.channels' },
      { status: 'applied' },
    ])
  })
})

const EUROS = { budget_range: { max: 20_000, currency: 'EUR' } }
