import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadContracts } from '../../../src/protocol/contracts.ts'
import { ACCOUNT, type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  const sport = { keywords: ['sports'], approval: 'automatic' as const, targeting: { geo: ['country'], frequency_cap: true } }
  agent = await startMediaBuyAgent(
    [
      productDocument(
        'sport_home_se',
        { name: 'Sports home', channels: ['display'] },
        { ...sport, coverage: { countries: ['SE'] } },
      ),
      productDocument(
        'sport_home_no',
        { name: 'Sports home', channels: ['display'] },
        { ...sport, coverage: { countries: ['NO'] } },
      ),
      productDocument(
        'sport_video_se',
        { name: 'Sports video', channels: ['olv'] },
        { ...sport, coverage: { countries: ['SE'] } },
      ),
    ],
    { contracts: loadContracts() },
  )
}, 120_000)
afterAll(() => agent?.stop())

const PINS = [{}, { adcp_version: '3.0' }, { adcp_version: '3.1' }, { adcp_version: '3.2' }]
const LATEST = { adcp_version: '3.2' }
const BRIEF = 'sports fans in Sweden and Norway, USD 12,000'
const call = async (task: string, request: object) => {
  const { data } = await agent.buyer.call(task, request)
  expect(data.adcp_error, JSON.stringify(data)).toBeUndefined()
  return data
}
const idsOf = (rows: readonly { readonly product_id: string }[]) => rows.map(({ product_id }) => product_id)

test.each(['Norway 20%', 'Sweden 60%, Norway 40%', '80% of the budget in Sweden', 'fewer Norway', '20 % Norwegen'])(
  'an ask of a plan for "%s" drops nothing, and says that it is not possible',
  async (ask) => {
    for (const pin of PINS) {
      const plan = (await call('get_products', { ...pin, buying_mode: 'brief', brief: BRIEF })).proposals[0]
      const refine = [{ scope: 'proposal', proposal_id: plan.proposal_id, action: 'include', ask }]
      const { refinement_applied: applied, proposals } = await call('get_products', { ...pin, buying_mode: 'refine', refine })
      expect(applied[0]).toMatchObject({ status: 'unable', notes: expect.stringContaining('shares by place are not possible') })
      for (const part of ask.split(', ')) expect(applied[0].notes).toContain(`"${part}"`)
      expect(idsOf(proposals[0].allocations)).toEqual(idsOf(plan.allocations))
      const both = [{ ...refine[0], ask: `${ask}, drop sport_home_no` }]
      const partial = await call('get_products', { ...pin, buying_mode: 'refine', refine: both })
      expect(partial.refinement_applied[0]).toMatchObject({
        status: 'partial',
        notes: expect.stringMatching(/^applied: dropped sport_home_no\. not possible: .*shares by place are not possible/),
      })
    }
  },
)

test('refine_proposals revises nothing for shares of places', async () => {
  const account = ACCOUNT
  const { proposals } = await call('request_proposals', { ...LATEST, idempotency_key: randomUUID(), account, brief: BRIEF })
  const revise = async (ask: string) => {
    const refinements = [{ proposal_id: proposals[0].proposal_id, action: 'revise', ask }]
    return (await call('refine_proposals', { ...LATEST, idempotency_key: randomUUID(), refinements })).results[0]
  }
  expect(await revise('Norway 20%')).toMatchObject({
    outcome: 'unable',
    reason_code: 'commercially_declined',
    reason: expect.stringContaining('"Norway 20%": shares by place are not possible'),
  })
  const partial = await revise('drop sport_home_no, Sweden 60%')
  expect(partial).toMatchObject({ outcome: 'partial', reason: expect.stringContaining('"Sweden 60%": shares by place') })
  expect(idsOf(partial.proposals[0].commercial_terms.purchases)).not.toContain('sport_home_no')
})

test('an ask of the whole request for fewer of a place does not rank for it, and names each part that was not done', async () => {
  for (const pin of PINS) {
    for (const less of ['fewer Norway', 'less Norway', 'weniger Norwegen']) {
      const refine = [{ scope: 'request', ask: `lower price, ${less}, more video, cap three a day` }]
      const asked = { ...pin, buying_mode: 'refine', brief: BRIEF, refine }
      const { refinement_applied: applied, products } = await call('get_products', asked)
      const [{ status, notes }] = applied
      expect(status).toBe('partial')
      const [done, failed] = notes.split('. not possible: ')
      expect(done).toMatch(/first$/)
      expect(failed).toContain('"lower price"')
      expect(failed).toContain(`"${less}": shares by place are not possible`)
      expect(failed).toContain('the frequency cap')
      expect(idsOf(products)[0]).toBe('sport_video_se')
      expect(idsOf(products)).toEqual(expect.arrayContaining(['sport_home_se', 'sport_video_se']))
    }
    const refine = [{ scope: 'request', ask: 'minus Norway' }]
    const { products } = await call('get_products', { ...pin, buying_mode: 'refine', refine })
    expect(idsOf(products)).not.toContain('sport_home_no')
  }
})

test('a brief is told which of its wishes no plan has, by both families of tasks', async () => {
  const brief = `${BRIEF} in all, video 90%, display 10%, Sweden 60%, max USD 300 a day, not on weekends`
  const wanted = [
    'Shares that the brief names were not used: "video 90%", "display 10%".',
    'Shares by place were not used: "Sweden 60%".',
    '"USD 300 a day" was not used',
    'the days of the week (',
  ]
  for (const pin of PINS) {
    const { ext, proposals } = await call('get_products', { ...pin, buying_mode: 'brief', brief })
    for (const words of wanted) expect(ext.notes.join('\n')).toContain(words)
    expect(proposals.length).toBeGreaterThan(0)
  }
  const proposed = await call('request_proposals', { ...LATEST, idempotency_key: randomUUID(), account: ACCOUNT, brief })
  for (const words of wanted) expect(proposed.ext.notes.join('\n')).toContain(words)
  const parts = 'sports fans, USD 4,000, of which 3,000 in Sweden and 1,000 in Norway'
  const { ext, proposals } = await call('get_products', { buying_mode: 'brief', brief: parts })
  expect(proposals.length).toBeGreaterThan(0)
  expect(ext.notes.join('\n')).toContain('Shares by place were not used: "of which 3,000 in Sweden and 1,000 in Norway"')
})
