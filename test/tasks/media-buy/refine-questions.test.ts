import { afterAll, beforeAll, expect, test } from 'vitest'
import { saveProducts } from '../../../src/store/product/save-products.ts'
import type { MediaBuyAgent } from '../../support/media-buy-agent.ts'
import { PRODUCTS, startPlannerAgent } from '../../support/planner-publisher.ts'
import { LINES } from '../../support/release-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startPlannerAgent()
}, 120_000)
afterAll(() => agent?.stop())

const DAYS = { start_date: '2026-12-10', end_date: '2026-12-24' }
const EARLIER = ['3.0', '3.1'].filter((line) => LINES.includes(line))
const get = async (request: object) => (await agent.buyer.call('get_products', request)).data
const refine = (entry: object, more: object = {}) => get({ buying_mode: 'refine', refine: [entry], ...more })
const plan = (more: object = {}) => ({ scope: 'proposal', proposal_id: 'nordic_plan', action: 'include', ...more })

test('an ask at the top of the request is sent where it is read, and a brief there asks nothing of a proposal', async () => {
  for (const adcp_version of LINES) {
    const { adcp_error: error } = await get({ adcp_version, buying_mode: 'refine', refine: [plan()], ask: 'less display' })
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', field: 'ask' })
    expect(error.message).toMatch(/did you mean refine\[\]\.ask /)
    const beside = await refine(plan(), { adcp_version, brief: 'less display' })
    expect(beside.ext.notes).toContain('brief beside refine changed no proposal: what is wanted of one is its ask, refine[].ask.')
    expect((await refine(plan(), { adcp_version })).ext?.notes ?? []).toEqual([])
  }
})

test('a change of shares that is asked of all products is not called applied', async () => {
  for (const ask of ['move 5000 EUR from video to display', '60% video', 'swap display and video', '20% more display']) {
    const [outcome] = (await refine({ scope: 'request', ask })).refinement_applied
    expect(outcome, ask).toMatchObject({
      status: 'unable',
      notes: expect.stringContaining('is asked of the proposal, by its id'),
    })
  }
  const [less] = (await refine({ scope: 'request', ask: 'less display' })).refinement_applied
  expect(less).toMatchObject({ status: 'applied', notes: 'applied: display last' })
})

test('what is asked of one product is answered for that product alone', async () => {
  const asked = async (ask: string) =>
    (await refine({ scope: 'product', product_id: 'display_germany', ask })).refinement_applied[0]
  expect(await asked('10% off on display')).toMatchObject({ status: 'applied' })
  expect(await asked('10% off on video')).toMatchObject({ status: 'unable', notes: expect.stringContaining('another one') })
  expect(await asked('increase the budget by 5000 EUR')).toMatchObject({ status: 'unable' })
})

test('days of the filters are those of the plan that is refined, and of what is made of it', async () => {
  for (const adcp_version of EARLIER) {
    for (const [entry, notes] of [
      [plan(), /^applied: for 2026-12-10 to 2026-12-24; now proposal /],
      [plan({ ask: 'less display' }), /^applied: for 2026-12-10 to 2026-12-24; display has 25%/],
      [plan({ ask: 'make it shine' }), /^applied: for 2026-12-10 to 2026-12-24\. not possible: "make it shine"/],
    ] as const) {
      const { refinement_applied: applied, proposals } = await refine(entry, { adcp_version, filters: DAYS })
      expect(applied[0].notes).toMatch(notes)
      expect(proposals[0]).toMatchObject({ ext: { flight: DAYS } })
      expect(proposals[0].proposal_id).not.toBe('nordic_plan')
      // Asked again with the same days, nothing changes.
      const again = await refine(
        { ...entry, ask: undefined, proposal_id: proposals[0].proposal_id },
        { adcp_version, filters: DAYS },
      )
      expect(again.proposals[0].proposal_id).toBe(proposals[0].proposal_id)
    }
  }
  const { proposals } = await refine(plan(), { filters: DAYS })
  if (!LINES.includes('3.2')) return
  const refinements = [{ proposal_id: proposals[0].proposal_id, action: 'revise', ask: 'less display' }]
  const { data } = await agent.run('refine_proposals', { adcp_version: '3.2', account: undefined, refinements })
  expect(data.results[0].proposals[0].commercial_terms).toMatchObject({
    start_time: '2026-12-10T00:00:00.000Z',
    end_time: '2026-12-25T00:00:00.000Z',
  })
})

test('amounts and days of a brief in the forms of its country are read, or said not to be', async () => {
  const asked = async (brief: string) => {
    const { ext, proposals = [] } = await get({ buying_mode: 'brief', brief })
    const [draft] = proposals
    return { notes: ext.notes.join('\n'), budget: draft?.total_budget_guidance, flight: draft?.ext?.flight }
  }
  expect(await asked('news video and display in Sweden, 20 000 kr, 10/12 to 24/12')).toMatchObject({
    budget: { recommended: 20_000, currency: 'SEK' },
    flight: DAYS,
  })
  expect(await asked('news video and display, 2,5k€, 10.12.-24.12.')).toMatchObject({
    budget: { recommended: 2500, currency: 'EUR' },
    flight: DAYS,
  })
  // Crowns are Swedish here, since nothing is priced in others.
  const crowns = await asked('news video and display, 20 000 kr')
  expect(crowns).toMatchObject({ budget: { recommended: 20_000, currency: 'SEK' } })
  expect(crowns.notes).toContain('"20 000 kr" was read as a budget of 20000 SEK, the one currency of it that is offered.')
  for (const amount of ['budget 8k', '8k']) {
    const { notes } = await asked(`news video and display, ${amount}`)
    expect(notes).toContain(`"${amount}" was not read as a budget: it names no currency.`)
  }
  expect((await asked('news video and display, 10/11 to 12/11')).notes).toContain(
    '"10/11 to 12/11" may be day and month or month and day: write the days as YYYY-MM-DD.',
  )
  const priced = (currency: string) =>
    PRODUCTS.flatMap((product) => {
      const pricing_options = product.pricing_options.filter((option) => option.currency === currency)
      return pricing_options.length > 0 ? [{ ...product, pricing_options }] : []
    })
  await agent.server.store.transaction((tx) =>
    saveProducts(
      tx,
      agent.tenant,
      { version: 1, products: priced('EUR'), plans: [] },
      { merge: false },
      new Date('2026-03-01T13:00:00Z'),
    ),
  )
  for (const amount of ['budget 8k', '8k']) {
    const { notes, budget } = await asked(`news video and display, ${amount}`)
    expect(budget).toMatchObject({ recommended: 8000, currency: 'EUR' })
    expect(notes).toContain(`"${amount}" was read as a budget of 8000 EUR, the one currency of it that is offered.`)
  }
})
