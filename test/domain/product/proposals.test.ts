import { describe, expect, it } from 'vitest'
import { readAsk } from '../../../src/domain/product/ask.ts'
import { readBrief } from '../../../src/domain/product/brief.ts'
import { proposalsFor } from '../../../src/domain/product/brief-proposals.ts'
import { budgetLimitOf } from '../../../src/domain/product/budget-limit.ts'
import { draftIdOf, readDraftId } from '../../../src/domain/product/draft-id.ts'
import { forecastAt } from '../../../src/domain/product/forecast-budget.ts'
import { rescale } from '../../../src/domain/product/media-plan.ts'
import { buildIndex } from '../../../src/domain/product/product-index.ts'
import { commitProposal } from '../../../src/domain/product/proposals.ts'
import { createRanking, rankProducts } from '../../../src/domain/product/rank-products.ts'
import { refinePlan } from '../../../src/domain/product/refine-plan.ts'
import { refineProposal } from '../../../src/domain/product/refine-proposals.ts'
import { demoProducts, demoProductsFile } from '../../support/demo-products.ts'
import { schemas } from '../../support/shared-inputs.ts'

const products = demoProducts()
const offered = new Map(products.map((product) => [product.id, product]))
const index = buildIndex(products)
const plans = demoProductsFile().plans ?? []
const now = new Date('2026-03-01T12:00:00Z')
const validate = schemas.validator('core/proposal.json')
const sum = (shares: readonly { percent: number }[]) => shares.reduce((total, share) => total + share.percent, 0)

const search = (text: string) => rankProducts(index, readBrief(text)).map(({ product }) => product)

const propose = (text: string) => {
  const brief = readBrief(text)
  return proposalsFor(
    brief,
    createRanking(index, brief),
    plans,
    { products: offered, budget: budgetLimitOf({}, brief.hints.budget) },
    now,
  )
}

describe('proposalsFor', () => {
  it('proposes nothing that runs in none of the places of the brief', () => {
    expect(propose('sports fans in Finland, video, USD 30,000')).toEqual([])
    const [plan] = propose('sports and drama, video, in the UK and Finland, GBP 30,000')
    const planned = plan?.allocations.map(({ product_id: id }) => offered.get(id)?.selling.coverage.countries)
    expect(planned?.length).toBeGreaterThan(1)
    for (const countries of planned ?? []) expect(countries).toContain('GB')
  })

  it.each([
    'Premium video and display across outdoor lifestyle and sports, $50K',
    'podcasts and audio for commuters, $20K',
    'UK video and display, £30,000',
    'CTV',
  ])('gives official proposals that add up for "%s"', (text) => {
    const proposals = propose(text)
    expect(proposals.length).toBeGreaterThan(0)
    for (const proposal of proposals) {
      expect(validate(proposal)).toEqual([])
      expect(proposal.allocations.reduce((total, a) => total + a.allocation_percentage, 0)).toBe(100)
      const options = proposal.allocations.map(
        (a) => offered.get(a.product_id)!.offer.pricing_options.find((o) => o.pricing_option_id === a.pricing_option_id)!,
      )
      expect(new Set(options.map((option) => option.currency)).size).toBe(1)
      const { min = 0, recommended = 0 } = proposal.total_budget_guidance!
      expect(recommended).toBeGreaterThanOrEqual(min)
      for (const [i, option] of options.entries())
        expect((min * proposal.allocations[i]!.allocation_percentage) / 100).toBeGreaterThanOrEqual(
          (option.min_spend_per_package ?? 0) - 1e-6,
        )
    }
  })

  it('plans in the currency of the budget and leaves out what a person must approve', () => {
    const generated = propose('UK video and display, £30,000').at(-1)!
    expect(generated.total_budget_guidance).toMatchObject({ currency: 'GBP', recommended: 30_000 })
    for (const { product_id } of propose('takeover sponsorship for a launch').at(-1)?.allocations ?? []) {
      expect(offered.get(product_id)!.selling.approval).toBe('automatic')
    }
  })

  it('gives none when nothing matches', () => expect(propose('zzz')).toEqual([]))

  it('hides a plan of which the caller may not buy a product', () => {
    const brief = readBrief('balanced reach video and display')
    const none = createRanking(buildIndex([]), brief)
    const fewer = new Map([...offered].filter(([id]) => id !== 'ctv_outdoor_documentaries'))
    expect(proposalsFor(brief, none, plans, { products: fewer, budget: undefined }, now)).toEqual([])
    expect(
      proposalsFor(brief, none, plans, { products: offered, budget: budgetLimitOf({}, brief.hints.budget) }, now),
    ).toHaveLength(1)
  })
})

describe('draft ids', () => {
  const shares = [
    { productId: 'ros_display', optionId: 'cpm_usd_auction', percent: 30 },
    { productId: 'ctv_sports_live', optionId: 'cpm_usd_fixed', percent: 70 },
  ]
  const id = draftIdOf({ shares, madeAt: now })

  it('carry the shares and the hour, and survive another order of the products', () => {
    expect(readDraftId(id, products.toReversed())).toEqual({ shares, madeAt: now })
    expect(id.length).toBeLessThan(255)
  })
  it('lead nowhere when a product is not offered, or when changed', () => {
    expect(
      readDraftId(
        id,
        products.filter((product) => product.id !== 'ros_display'),
      ),
    ).toBeUndefined()
    for (const other of [id.slice(0, -2), `${id.slice(0, -2)}AA`, 'draft_', 'draft_!!!!', 'x'])
      expect(readDraftId(other, products)).toBeUndefined()
  })
})

describe('refineProposal', () => {
  const allowed = { products: offered, budget: undefined }
  const context = {
    offered,
    allowed,
    plans,
    search,
    stored: undefined,
    publisher: 'Harborline Media',
    advertiser: 'acme.example',
    now,
  }
  const entry = (proposal_id: string, action?: 'include' | 'omit' | 'finalize', ask?: string) => ({
    scope: 'proposal' as const,
    proposal_id,
    ...(action && { action }),
    ...(ask !== undefined && { ask }),
  })

  it('finalizes once: firm for 48 hours, with an order that needs no signature', () => {
    const { proposal, changed } = refineProposal(entry('balanced_reach_q2', 'finalize'), context)
    expect(changed).toBe(true)
    expect(proposal).toMatchObject({
      proposal_status: 'committed',
      expires_at: '2026-03-03T12:00:00.000Z',
      insertion_order: { requires_signature: false, terms: { advertiser: 'acme.example', publisher: 'Harborline Media' } },
    })
    expect(validate(proposal)).toEqual([])
    expect(refineProposal(entry('balanced_reach_q2', 'finalize'), { ...context, stored: proposal })).toMatchObject({
      changed: false,
      outcome: { status: 'applied' },
    })
  })

  it('asks for a signature when a product waits for a person', () => {
    const manual = new Map(offered).set('outdoor_lifestyle_video', {
      ...offered.get('outdoor_lifestyle_video')!,
      selling: { ...offered.get('outdoor_lifestyle_video')!.selling, approval: 'manual' },
    })
    expect(
      refineProposal(entry('balanced_reach_q2', 'finalize'), { ...context, offered: manual }).proposal?.insertion_order
        ?.requires_signature,
    ).toBe(true)
  })

  it('makes a draft of its own from a committed proposal', () => {
    const committed = refineProposal(entry('balanced_reach_q2', 'finalize'), context).proposal!
    const { proposal, outcome } = refineProposal(entry('balanced_reach_q2', 'include', 'reduce total by 10%'), {
      ...context,
      stored: committed,
    })
    expect(outcome.status).toBe('applied')
    expect(proposal).toMatchObject({ proposal_status: 'draft', total_budget_guidance: { recommended: 45_000 } })
    expect(proposal?.insertion_order).toBeUndefined()
    expect(proposal?.proposal_id).not.toBe(committed.proposal_id)
  })

  it('does not say of a draft that its prices are firm', () => {
    const plan = propose('Premium video and display across outdoor lifestyle and sports, $50K').find(({ description }) =>
      description?.includes('Prices are indicative'),
    )!
    const stored = { ...plan, expires_at: '2026-03-08T12:00:00.000Z' }
    const firm = refineProposal(entry(plan.proposal_id, 'finalize'), { ...context, stored }).proposal!
    expect(firm.description).toContain('Prices are firm until it expires.')
    const { proposal } = refineProposal(entry(plan.proposal_id, 'include', 'reduce total by 10%'), { ...context, stored: firm })
    expect(proposal).toMatchObject({ proposal_status: 'draft' })
    expect(proposal?.description).toContain('Prices are indicative until the plan is finalized.')
    expect(proposal?.description).not.toContain('firm')
  })

  it('begins a plan of the publisher again when what was firm of it has expired', () => {
    const firm = commitProposal(
      { proposal_id: 'balanced_reach_q2', name: 'x', allocations: [] },
      { publisher: undefined, advertiser: undefined, requiresSignature: false },
      new Date('2026-01-01'),
    )
    const { proposal } = refineProposal(entry('balanced_reach_q2', 'finalize'), { ...context, stored: firm })
    expect(proposal).toMatchObject({ proposal_status: 'committed', proposal_id: 'balanced_reach_q2' })
    expect(proposal?.allocations).not.toEqual([])
  })

  it.each([
    ['unknown', entry('nope'), context, 'PROPOSAL_NOT_FOUND'],
    [
      'expired',
      entry('plan_of_old', 'finalize'),
      {
        ...context,
        stored: {
          ...commitProposal(
            { proposal_id: 'plan_of_old', name: 'x', allocations: [] },
            { publisher: undefined, advertiser: undefined, requiresSignature: false },
            new Date('2026-01-01'),
          ),
        },
      },
      'PROPOSAL_EXPIRED',
    ],
  ])('refuses one that is %s', (_name, request, given, code) => {
    expect(() => refineProposal(request, given)).toThrow(expect.objectContaining({ code, field: 'proposal_id' }))
  })

  it('answers each part of an ask: a price that no rule lowers is refused, the rest is done', () => {
    const ask = 'Less CTV, more sports pre-roll, 10 % lower'
    const { proposal, outcome } = refineProposal(entry('balanced_reach_q2', 'include', ask), context)
    expect(proposal?.allocations.map(({ product_id }) => product_id)).toContain('sports_preroll_q2')
    const ctv = proposal?.allocations.find(({ product_id }) => product_id === 'ctv_outdoor_documentaries')
    expect(ctv?.allocation_percentage).toBeLessThan(40)
    expect(outcome.status).toBe('partial')
    expect(outcome.notes).toMatch(
      /applied: ctv has 25% of the budget, was 40%; added sports_preroll_q2.*not possible: "10 % lower": no, /,
    )
  })

  it.each([
    ['10% off', 0, 10, 'applied'],
    ['20% lower', 0, 15, 'partial'],
    ['10% discount', 1_000_000, 0, 'unable'],
  ])('answers "%s" by the rule of the publisher', (ask, minBudget, percent, status) => {
    const discounts = [{ percent: 15, minBudget, buyers: ['agency'] }]
    const ruled = new Map(
      [...offered].map(([id, product]) => [id, { ...product, selling: { ...product.selling, discounts } }] as const),
    )
    const asked = (buyer: string) =>
      refineProposal(entry('balanced_reach_q2', 'include', ask), {
        ...context,
        offered: ruled,
        allowed: { products: ruled, budget: undefined, buyer },
      })
    const { proposal, outcome } = asked('agency')
    expect(outcome.status).toBe(status)
    const suffix = percent === 0 ? '' : `:less-${percent}`
    expect(proposal?.allocations.map(({ pricing_option_id }) => pricing_option_id)).toEqual([
      `cpm_usd_fixed${suffix}`,
      `cpm_usd_fixed${suffix}`,
      `cpm_usd_fixed${suffix}`,
    ])
    expect(asked('somebody_else').outcome.status).toBe('unable')
  })

  it.each([
    ['double the budget', 2],
    ['halve the budget', 0.5],
  ])('%s', (ask, factor) => {
    const asked = (text?: string) => refineProposal(entry('balanced_reach_q2', 'include', text), context)
    const { recommended = 0 } = asked().proposal?.total_budget_guidance ?? {}
    const { proposal, outcome } = asked(ask)
    if (factor > 1) expect(proposal?.total_budget_guidance?.recommended).toBe(recommended * factor)
    expect(outcome.notes).toContain(String(recommended * factor))
    expect(asked('paint it blue').outcome).toMatchObject({ status: 'unable', notes: expect.stringContaining('ask for example') })
  })
  it('takes money for a part of the plan for no budget of the whole', () => {
    const money = entry('balanced_reach_q2', 'include', 'spend $5000 on display')
    expect(refineProposal(money, context).outcome).toMatchObject({
      status: 'unable',
      notes: expect.stringContaining('a budget is for the whole plan'),
    })
  })
  it.each(['leave out display, more CTV', 'do not use display, more CTV'])('"%s" is applied only without display', (ask) => {
    const { proposal, outcome } = refineProposal(entry('balanced_reach_q2', 'include', ask), context)
    const hasDisplay = proposal?.allocations.some(({ product_id: id }) => offered.get(id)?.offer.channels?.includes('display'))
    expect([hasDisplay ?? true, outcome.status]).not.toEqual([true, 'applied'])
  })

  it.each([
    ['an ask without a change', entry('balanced_reach_q2', 'include', 'make it pop'), context],
    ['an ask that would empty it', entry('balanced_reach_q2', 'include', 'drop ctv, drop video, drop display'), context],
  ])('answers %s', (_name, request, given) => {
    const { outcome, changed } = refineProposal(request, given)
    expect(outcome.status).toBe(_name === 'an ask that would empty it' ? 'partial' : 'unable')
    expect(changed).toBe(_name === 'an ask that would empty it')
  })
})

describe('refinePlan', () => {
  const shares = [
    { productId: 'ctv_sports_live', optionId: 'cpm_usd_fixed', percent: 50 },
    { productId: 'sports_preroll_q2', optionId: 'cpm_guaranteed', percent: 30 },
    { productId: 'sport_display', optionId: 'cpm_usd_fixed', percent: 20 },
  ]
  const refined = (ask: string) => refinePlan(shares, readAsk(ask), { products: offered, search, buyer: undefined })
  it.each([
    [
      ['SE', 'NO'],
      [
        expect.stringMatching(
          /delivery in NO alone is not part of it: nothing here can be limited to countries: ctv_sports_live, /,
        ),
      ],
    ],
    [['NO'], []],
  ])(
    'does not call a plan limited to Norway whose ad server keeps no countries and whose products run in %s',
    (countries, failed) => {
      const within = [...offered].map(
        ([id, each]) => [id, { ...each, selling: { ...each.selling, coverage: { countries } } }] as const,
      )
      const context = { products: new Map(within), search, buyer: undefined }
      const plan = refinePlan(shares, readAsk('only Norway'), { ...context, keepsOf: () => ({ targeting: [] }) })
      expect(plan.failed).toEqual(failed)
      expect(refinePlan(shares, readAsk('only Norway'), context)).toMatchObject({ failed: [], only: ['NO'] })
      expect(plan.shares).toEqual(shares)
    },
  )
  it('sets shares of what runs in the places that are asked for', () => {
    const inNorway = (id: string) => id !== 'sport_display'
    const placed = [...offered].map(([id, each]) => {
      const countries = inNorway(id) ? ['NO'] : ['SE']
      return [id, { ...each, selling: { ...each.selling, coverage: { countries } } }] as const
    })
    const plan = refinePlan(shares, readAsk('30% olv, only Norway'), { products: new Map(placed), search, buyer: undefined })
    expect(plan.shares.map(({ productId, percent }) => [productId, percent])).toEqual([
      ['ctv_sports_live', 70],
      ['sports_preroll_q2', 30],
    ])
    expect(plan.failed).toEqual([])
  })
  it.each([
    ['display up 10%, display down 10%', ['display has 22% of the budget, was 20%'], ['"display down 10%" beside']],
    ['20% more display, display to 10%', ['display has 10% of the budget, was 20%'], ['"20% more display" beside']],
    ['10 points less display, 10 points more CTV', ['display has 10%', 'ctv has 60%'], []],
  ])('calls done what holds in the finished plan alone: %s', (ask, done, failed) => {
    const plan = refined(ask)
    expect(plan.done).toEqual(done.map((text) => expect.stringContaining(text)))
    expect(plan.failed).toEqual(failed.map((text) => expect.stringContaining(text)))
  })
  it.each([
    ['60% CTV', [60, 24, 16]],
    ['drop the display and give the rest more', [63, 37]],
    ['more display', [41, 24, 35]],
    ['Shift 60% of budget to CTV. Drop the display product.', [60, 40]],
  ])('%s', (ask, percents) => {
    const result = refined(ask)
    expect(result.shares.map((share) => share.percent)).toEqual(percents)
    expect(sum(result.shares)).toBe(100)
  })
  it.each([
    ['move 10% from CTV to display', [40, 30, 30]],
    ['raise display to 40% and CTV to 30%', [30, 30, 40]],
    ['please keep the CTV, no discount needed', [50, 30, 20]],
  ])('%s: as the words say', (ask, percents) => {
    const result = refined(ask)
    expect([result.shares.map((share) => share.percent), result.failed]).toEqual([percents, []])
  })
  it.each([
    ['move 10 points from CTV to display', [40, 30, 30]],
    ['move 15% from sport_display to ctv_sports_live', [65, 30, 5]],
    ['cut CTV in half', [25, 45, 30]],
    ['double display', [38, 22, 40]],
    ['equal shares', [34, 33, 33]],
    ['split it evenly', [34, 33, 33]],
    ['swap CTV and display', [20, 30, 50]],
    ['drop the pre-roll and raise display to half', [50, 50]],
  ])('%s: figures in words', (ask, percents) => {
    const result = refined(ask)
    expect([result.shares.map((share) => share.percent), result.failed]).toEqual([percents, []])
    expect(result.done.length).toBeGreaterThan(0)
  })
  it.each([
    // Per cent of what a part has, unless the words say points or of the budget.
    ['20% more display', [48, 28, 24]],
    ['twenty percent more display', [48, 28, 24]],
    ['20 points more display', [38, 22, 40]],
    ['20% of the budget more for display', [38, 22, 40]],
    ['increase display by 50%', [44, 26, 30]],
    ['reduce CTV by a fifth', [40, 36, 24]],
    ['display up 50%', [44, 26, 30]],
    ['+50% display', [44, 26, 30]],
    ['CTV minus 20%', [40, 36, 24]],
    ['CTV down to 40%', [40, 36, 24]],
    ['shift 20% from CTV', [30, 42, 28]],
    ['shift 20% of CTV to display', [40, 30, 30]],
    // Limits of a share drop nothing.
    ['no more than 40% CTV', [40, 36, 24]],
    ['no less than 30% display', [44, 26, 30]],
    ['at least 10% display', [50, 30, 20]],
    ['less than 41% CTV', [40, 36, 24]],
    // Figures and parts in words.
    ['half on display', [31, 19, 50]],
    ['a third to display', [42, 25, 33]],
    ['CTV 40%, display 40%, video 20%', [40, 20, 40]],
    // What is to stay gives nothing.
    ['leave CTV as it is, more display', [50, 15, 35]],
    ['keep the CTV, drop the display', [50, 50]],
    // What no channel has is dropped by the words of the product.
    ['no scores', [63, 37]],
  ])('%s: what a buyer means by it', (ask, percents) => {
    const result = refined(ask)
    expect([result.shares.map((share) => share.percent), result.failed]).toEqual([percents, []])
  })
  it.each(['CTV should have 20% more than display', 'not so much CTV', 'a frequency cap of 3 a day', 'no more display'])(
    '%s: nothing is done',
    (ask) => expect(refined(ask)).toMatchObject({ shares, done: [] }),
  )
  it('is not what the words exclude', () => {
    expect(refined('no guaranteed delivery').failed).toEqual(['each product of the plan has guaranteed delivery'])
    expect(refined('video with a completion rate above 99%').shares).toEqual(shares)
  })
  it.each(['but 10% more impressions', 'move half of the CTV to display', 'even better', 'half price'])(
    '%s: no change of shares',
    (ask) => {
      const result = refined(ask)
      expect([result.shares, result.done]).toEqual([shares, []])
    },
  )
  it('names things in the words of the buyer, and what "video" stands for', () => {
    expect(refined('15% more of the sports video').done).toEqual([expect.stringMatching(/^sports olv, ctv has \d+%/)])
    // Only what the plan holds of it is named.
    const withoutCtv = shares.filter(({ productId }) => !productId.startsWith('ctv'))
    expect(withoutCtv.length).toBeLessThan(shares.length)
    const { done } = refinePlan(withoutCtv, readAsk('more video'), { products: offered, search, buyer: undefined })
    expect(done).toEqual([expect.stringMatching(/^olv has \d+%/)])
    expect(refined('move 10% from display to video').done).toEqual([expect.stringContaining('"video" (olv, ctv) has 90%')])
  })
  it.each(['shift 20% to CTV', 'move 90% from CTV to display'])('%s: nothing is done, and said so', (ask) => {
    expect(refined(ask)).toMatchObject({ shares, done: [], failed: [expect.stringContaining('%')] })
  })
  it('says what it could not do', () => {
    expect(refined('more cinema').failed).toEqual([expect.stringContaining('cinema')])
    expect(refined('add a homepage takeover').failed).toEqual([
      'the plan holds no such product, and news_homepage_takeover is ordered by itself, since the publisher approves each order of it: "add a homepage takeover"',
    ])
    expect(refined('less podcasts').failed).toEqual([expect.stringContaining('podcast')])
  })
  it('gives less to a channel, and takes in what is asked for by more than its channel', () => {
    const { shares: after, done, failed } = refined('less CTV, more outdoor video')
    const percent = (id: string) => after.find(({ productId }) => productId === id)?.percent ?? 0
    expect(percent('ctv_sports_live')).toBeLessThan(50)
    expect(percent('outdoor_lifestyle_video')).toBe(15)
    expect(sum(after)).toBe(100)
    expect([done.length, failed]).toEqual([2, []])
  })
})

describe('rescale', () => {
  it('keeps proportions in whole per cent that sum to 100', () => {
    const share = (percent: number) => ({ productId: `p${percent}`, optionId: 'o', percent })
    expect(rescale([share(1), share(1.5), share(0.5)]).map((s) => s.percent)).toEqual([33, 50, 17])
    expect(rescale([share(0), share(7)])).toEqual([{ ...share(7), percent: 100 }])
  })
})

describe('forecastAt', () => {
  const at = (id: string, option: string, budget: number) => {
    const { offer } = offered.get(id)!
    return forecastAt(offer, offer.pricing_options.find((o) => o.pricing_option_id === option)!, budget)?.metrics
  }
  it('divides a budget by the price, in the unit that the model sells', () => {
    expect(at('sport_display', 'cpm_usd_fixed', 1200)?.impressions?.mid).toBe(100_000)
    expect(at('outdoor_lifestyle_display', 'cpc_usd_fixed', 120)?.clicks?.mid).toBe(100)
    expect(at('linear_primetime', 'cpp_usd_fixed', 52_000)?.grps?.mid).toBe(10)
    expect(at('ros_display', 'cpm_usd_auction', 2.8)?.impressions?.mid).toBe(1000)
  })
  it('promises no more than the product forecasts, and nothing for flat prices', () => {
    expect(at('podcast_trail_notes_midroll', 'cpm_usd_fixed', 1e9)?.impressions).toMatchObject({ mid: 560_000, high: 560_000 })
    expect(at('news_homepage_takeover', 'time_usd_day', 42_000)).toBeUndefined()
  })
})
