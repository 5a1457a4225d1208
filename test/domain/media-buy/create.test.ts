import type { CreateMediaBuyRequest, PricingOption } from '@adcp/sdk/types'
import { describe, expect, test } from 'vitest'
import { manualProducts, planMediaBuy } from '../../../src/domain/media-buy/create.ts'
import { checkOptimizationGoals } from '../../../src/domain/media-buy/optimization-goals.ts'
import type { Proposal } from '../../../src/domain/product/proposal.ts'
import { NOW, plan, product, refusal, request } from '../../support/media-buy-fixtures.ts'

type PackageRequest = NonNullable<CreateMediaBuyRequest['packages']>[number]

const pkg = (overrides: Partial<PackageRequest> = {}): PackageRequest => ({
  product_id: 'news',
  pricing_option_id: 'cpm',
  budget: 1000,
  ...overrides,
})

const OPTIONS: PricingOption[] = [
  { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 10, min_spend_per_package: 500 },
  { pricing_option_id: 'vcpm', pricing_model: 'vcpm', currency: 'USD', fixed_price: 12 },
  {
    pricing_option_id: 'cpc',
    pricing_model: 'cpc',
    currency: 'USD',
    floor_price: 0.5,
    max_bid: true,
    price_guidance: { p50: 0.8 },
  },
  { pricing_option_id: 'cpcv', pricing_model: 'cpcv', currency: 'USD', fixed_price: 0.02 },
  { pricing_option_id: 'cpv', pricing_model: 'cpv', currency: 'USD', floor_price: 0.01, parameters: { view_threshold: 0.5 } },
  {
    pricing_option_id: 'cpp',
    pricing_model: 'cpp',
    currency: 'USD',
    fixed_price: 50,
    parameters: { demographic: 'P18-49', min_points: 10 },
  },
  { pricing_option_id: 'cpa', pricing_model: 'cpa', currency: 'USD', fixed_price: 25, event_type: 'purchase' },
  { pricing_option_id: 'flat', pricing_model: 'flat_rate', currency: 'USD', fixed_price: 900 },
  {
    pricing_option_id: 'slot',
    pricing_model: 'flat_rate',
    currency: 'USD',
    fixed_price: 30,
    parameters: { type: 'dooh', duration_hours: 168 },
  },
  {
    pricing_option_id: 'time',
    pricing_model: 'time',
    currency: 'USD',
    fixed_price: 100,
    parameters: { time_unit: 'week', min_duration: 2, max_duration: 4 },
  },
  { pricing_option_id: 'open', pricing_model: 'cpm', currency: 'USD' },
  { pricing_option_id: 'euro', pricing_model: 'cpm', currency: 'EUR', fixed_price: 9 },
]
const news = product('news', { pricing_options: OPTIONS })
const planOne = (overrides: Partial<PackageRequest>) => plan({ packages: [pkg(overrides)] }, [news]).packages[0]!

describe('dates', () => {
  const dates = (start_time: string, end_time: string) => refusal(() => plan({ start_time, end_time }))

  test('a past start and a reversed flight are refused by field, a long one is planned', () => {
    expect(dates('2020-01-01T00:00:00Z', '2026-12-31T00:00:00Z')).toEqual({ code: 'INVALID_REQUEST', field: 'start_time' })
    expect(dates('2026-12-31T00:00:00Z', '2026-01-01T00:00:00Z')).toEqual({ code: 'INVALID_REQUEST', field: 'end_time' })
    expect(dates('2026-04-01T00:00:00Z', '2026-04-01T00:00:00Z')).toEqual({ code: 'INVALID_REQUEST', field: 'end_time' })
    expect(plan({ start_time: '2026-04-01T00:00:00Z', end_time: '9999-04-01T00:00:00Z' }).endsAt).toContain('9999')
  })

  test('asap starts now, and packages inherit or narrow the flight', () => {
    expect(plan({ start_time: 'asap' }).startsAt).toBe(NOW.toISOString())
    const narrowed = planOne({ start_time: '2026-03-05T00:00:00+02:00' })
    expect(narrowed.terms).toMatchObject({ startsAt: '2026-03-04T22:00:00.000Z', endsAt: '2026-03-16T00:00:00.000Z' })
    expect(refusal(() => planOne({ end_time: '2026-04-16T00:00:00Z' }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'packages[0].end_time',
    })
  })

  test('dates are checked before products', () => {
    const result = refusal(() => plan({ start_time: '2020-01-01T00:00:00Z', packages: [pkg({ product_id: 'nothing' })] }))
    expect(result).toEqual({ code: 'INVALID_REQUEST', field: 'start_time' })
  })
})

describe('pricing', () => {
  test('every official model is agreed at its own rate', () => {
    const rates = Object.fromEntries(
      OPTIONS.filter((option) => !['open', 'euro'].includes(option.pricing_option_id)).map((option) => [
        option.pricing_option_id,
        planOne({ pricing_option_id: option.pricing_option_id }).terms.rateMicros / 1e6,
      ]),
    )
    expect(rates).toEqual({
      cpm: 10,
      vcpm: 12,
      cpc: 0.8,
      cpcv: 0.02,
      cpv: 0.01,
      cpp: 50,
      cpa: 25,
      flat: 900,
      slot: 30,
      time: 100,
    })
  })

  test('auctions honour bids, floors and ceilings; fixed prices ignore bids', () => {
    expect(planOne({ pricing_option_id: 'cpv', bid_price: 0.05 }).terms).toMatchObject({ rateMicros: 50_000, bidMicros: 50_000 })
    expect(planOne({ pricing_option_id: 'cpc', bid_price: 2 }).terms).toMatchObject({ rateMicros: 800_000, bidMicros: 2_000_000 })
    expect(planOne({ pricing_option_id: 'cpc', bid_price: 0.6 }).terms.rateMicros).toBe(600_000)
    expect(refusal(() => planOne({ pricing_option_id: 'cpc', bid_price: 0.4 }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'packages[0].bid_price',
    })
    expect(() => planOne({ pricing_option_id: 'cpc', bid_price: 0.4 })).toThrow(/below the floor price of 0\.5 USD$/)
    expect(refusal(() => planOne({ pricing_option_id: 'open' }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'packages[0].bid_price',
    })
    expect(planOne({ bid_price: 3 }).terms).not.toHaveProperty('bidMicros')
    expect(planOne({ bid_price: 3_000_000 }).terms).not.toHaveProperty('bidMicros')
    expect(() => planOne({ pricing_option_id: 'cpc', bid_price: 800_000 })).toThrow(
      /^packages\[0\]\.bid_price is 800000 USD, .* does not buy one click for it: 800000 looks like micros; amounts are in major units: 0\.8$/,
    )
  })

  test.each([
    ['cpm', 499, 500],
    ['cpp', 499, 500],
    ['flat', 899, 900],
    ['time', 199, 200],
    ['slot', 59, 60],
    ['cpv', 0, 0.01],
  ])('%s refuses a budget of %d and takes %d', (pricing_option_id, low, enough) => {
    expect(refusal(() => planOne({ pricing_option_id, budget: low }))).toEqual({
      code: 'BUDGET_TOO_LOW',
      field: 'packages[0].budget',
    })
    expect(planOne({ pricing_option_id, budget: enough }).terms.budgetMicros).toBe(enough * 1e6)
  })

  test('time prices sell only their durations', () => {
    const short = { pricing_option_id: 'time', end_time: '2026-03-08T00:00:00Z' }
    expect(refusal(() => planOne(short))).toEqual({ code: 'INVALID_REQUEST', field: 'packages[0].end_time' })
  })

  test('one buy has one currency, and unknown options are refused', () => {
    const mixed = () => plan({ packages: [pkg(), pkg({ pricing_option_id: 'euro' })] }, [news])
    expect(refusal(mixed)).toEqual({ code: 'INVALID_REQUEST', field: 'packages[1].pricing_option_id' })
    expect(refusal(() => planOne({ pricing_option_id: 'nope' }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'packages[0].pricing_option_id',
    })
  })
})

describe('what cannot be bought', () => {
  test.each([
    ['unknown', [], 'PRODUCT_NOT_FOUND'],
    ['another buyer’s', [product('news', {}, { exclusiveTo: ['other'] })], 'PRODUCT_NOT_FOUND'],
    ['paused', [product('news', {}, { status: 'paused' })], 'PRODUCT_UNAVAILABLE'],
    ['out of season', [product('news', {}, { availableUntil: '2026-03-10' })], 'PRODUCT_UNAVAILABLE'],
    ['expired', [product('news', { expires_at: '2026-02-01T00:00:00Z' })], 'PRODUCT_EXPIRED'],
  ])('a product that is %s', (_case, products, code) => {
    expect(refusal(() => plan({}, products))).toEqual({ code, field: 'packages[0].product_id' })
  })

  test('formats, catalogs and overlays that the product does not take', () => {
    const format = { agent_url: 'https://ads.example/mcp', id: 'video_30s' }
    expect(refusal(() => planOne({ format_ids: [format] })).field).toBe('packages[0].format_ids[0]')
    const twice = [
      { catalog_id: 'a', type: 'product' as const },
      { catalog_id: 'b', type: 'product' as const },
    ]
    expect(refusal(() => planOne({ catalogs: twice }))).toEqual({ code: 'VALIDATION_ERROR', field: 'packages[0].catalogs[1]' })
    const overlay = (targeting_overlay: PackageRequest['targeting_overlay']) =>
      refusal(() => planOne({ ...(targeting_overlay && { targeting_overlay }) }))
    expect(overlay({ axe_include_segment: 'a' })).toEqual({
      code: 'UNSUPPORTED_FEATURE',
      field: 'packages[0].targeting_overlay.axe_include_segment',
    })
    expect(overlay({ audience_include: ['a', 'b'], audience_exclude: ['b'] })).toEqual({
      code: 'VALIDATION_ERROR',
      field: 'packages[0].targeting_overlay.audience_exclude',
    })
    expect(overlay({ geo_regions: ['US-NY'] }).code).toBe('UNSUPPORTED_FEATURE')
    expect(overlay({ geo_countries: ['US'], geo_countries_exclude: ['US'] }).code).toBe('VALIDATION_ERROR')
    expect(overlay({ geo_countries: ['US'] }).code).toBeUndefined()
  })
})

test('a media buy that is created paused does not run until it is resumed', () => {
  const buy = plan({ paused: true } as object)
  expect(buy.paused).toBe(true)
  expect(buy.packages.every(({ terms }) => !terms.running)).toBe(true)
  expect(buy.packages.every(({ paused }) => !paused)).toBe(true)
})

describe('optimization goals', () => {
  const offer = {
    metric_optimization: {
      supported_metrics: ['reach' as const, 'completed_views' as const],
      supported_reach_units: ['individuals' as const],
      supported_view_durations: [2, 15],
      supported_targets: ['cost_per' as const],
    },
  }
  const goal = (members: object) => [{ kind: 'metric' as const, metric: 'completed_views' as const, ...members }]

  test.each([
    [offer, { view_duration_seconds: 6 }, 'view_duration_seconds', '2, 15'],
    [offer, { metric: 'reach', reach_unit: 'households' }, 'reach_unit', 'individuals'],
    [offer, { metric: 'clicks' }, 'metric', 'reach, completed_views'],
    [offer, { target: { kind: 'threshold_rate', value: 0.7 } }, 'target.kind', 'cost_per'],
    [{}, {}, 'kind', 'leave it out'],
  ])('that the product does not support are refused by name: %j %j', (supported, members, field, allowed) => {
    const fault = () => checkOptimizationGoals(supported, goal(members), 'packages[0]')
    // A metric that the product has none of is a term that is not met; what is said beside a metric that it has is a mistake.
    const code = field === 'metric' || field === 'kind' ? 'TERMS_REJECTED' : 'INVALID_REQUEST'
    expect(refusal(fault)).toEqual({ code, field: `packages[0].optimization_goals[0].${field}` })
    expect(fault).toThrow(allowed)
  })

  test.each([
    [['cost_per' as const], 'per_ad_spend' as const],
    [['per_ad_spend' as const], 'cost_per' as const],
  ])('for events are refused with a target that a product of the targets %j does not list', (supported_targets, kind) => {
    const goals = [
      {
        kind: 'event' as const,
        event_sources: [{ event_source_id: 'web', event_type: 'purchase' as const, value_field: 'value' }],
        target: { kind, value: 4 },
      },
    ]
    const check = (conversion_tracking: object) => () => checkOptimizationGoals({ conversion_tracking }, goals, 'packages[0]')
    expect(refusal(check({ supported_targets }))).toEqual({
      code: 'INVALID_REQUEST',
      field: 'packages[0].optimization_goals[0].target.kind',
    })
    expect(check({ supported_targets })).toThrow(`the product supports: ${supported_targets[0]}`)
    expect(check({ supported_targets: [kind] })).not.toThrow()
    expect(check({})).not.toThrow()
  })

  test('that it supports pass', () => {
    const goals = [...goal({ view_duration_seconds: 15, target: { kind: 'cost_per', value: 1 } }), ...goal({})]
    expect(() => checkOptimizationGoals(offer, goals, 'packages[0]')).not.toThrow()
  })

  test('are checked when a package is planned', () => {
    const { field } = refusal(() => planOne({ optimization_goals: goal({}) }))
    expect(field).toBe('packages[0].optimization_goals[0].kind')
  })
})

describe('measurement terms', () => {
  const vendor = { domain: 'measure.example' }

  test('are refused with each unmet term', () => {
    const aggressive = {
      billing_measurement: { vendor, measurement_window: 'c30', max_variance_percent: 0 },
      makegood_policy: { available_remedies: ['credit' as const] },
    }
    let details: unknown
    try {
      planOne({ measurement_terms: aggressive })
    } catch (error) {
      details = error
    }
    expect(details).toMatchObject({ code: 'TERMS_REJECTED', field: 'packages[0].measurement_terms' })
    expect(details).toHaveProperty('details.rejected_terms.length', 2)
  })

  test('are agreed when they can be met', () => {
    const terms = {
      billing_measurement: { vendor, measurement_window: 'c7', max_variance_percent: 10 },
      makegood_policy: { available_remedies: ['additional_delivery' as const, 'credit' as const] },
    }
    expect(planOne({ measurement_terms: terms }).measurementTerms).toEqual(terms)
    const credit = { makegood_policy: { available_remedies: ['credit' as const] } }
    expect(planOne({ measurement_terms: credit }).measurementTerms).toMatchObject(credit)
    const invoice = { makegood_policy: { available_remedies: ['invoice_adjustment' as const] } }
    expect(() => planOne({ measurement_terms: invoice })).toThrow('additional_delivery, credit')
    const strict = [{ metric: 'viewability' as const, threshold: 0.95, standard: 'mrc' as const, vendor }]
    expect(refusal(() => planOne({ performance_standards: strict })).code).toBe('TERMS_REJECTED')
  })
})

describe('proposals', () => {
  const proposal: Proposal = {
    proposal_id: 'p',
    name: 'p',
    proposal_status: 'committed',
    expires_at: '2026-03-02T00:00:00Z',
    allocations: [
      { product_id: 'news', pricing_option_id: 'cpm', allocation_percentage: 33.34 },
      { product_id: 'sport', allocation_percentage: 33.33 },
      { product_id: 'video', allocation_percentage: 33.33 },
    ],
  }
  const products = new Map(['news', 'sport', 'video'].map((id) => [id, product(id)]))
  const execute = (change: Partial<Proposal> | undefined, overrides: Partial<CreateMediaBuyRequest> = {}, now = NOW) => {
    const { packages: _packages, ...rest } = request()
    return planMediaBuy(
      { ...rest, proposal_id: 'p', total_budget: { amount: 1000.01, currency: 'USD' }, ...overrides },
      {
        mediaBuyId: 'mb',
        accountId: 'acc',
        principalId: 'buyer',
        actor: 'buyer',
        products,
        declare: () => undefined,
        keepsOf: () => undefined,
        proposal: change && { ...proposal, ...change },
        now,
        timeZone: 'UTC',
      },
    )
  }

  test('become packages that add up to the total exactly', () => {
    const budgets = execute({}).packages.map((p) => p.terms.budgetMicros)
    expect(budgets.reduce((a, b) => a + b, 0)).toBe(1_000_010_000)
    expect(budgets.every((budget) => budget % 10_000 === 0)).toBe(true)
  })

  test('are refused when they cannot be executed', () => {
    const io = { io_id: 'io-1', requires_signature: true }
    const accepted = { io_id: 'other', accepted_at: '2026-03-01T00:00:00Z', signatory: 'agent' }
    expect(refusal(() => execute(undefined)).code).toBe('PROPOSAL_NOT_FOUND')
    expect(refusal(() => execute({ proposal_status: 'draft' })).code).toBe('PROPOSAL_NOT_COMMITTED')
    expect(refusal(() => execute({}, { start_time: '2026-03-10T00:00:00Z' }, new Date('2026-03-05T00:00:00Z'))).code).toBe(
      'PROPOSAL_EXPIRED',
    )
    expect(refusal(() => execute({ insertion_order: io })).code).toBe('IO_REQUIRED')
    expect(() => execute({ insertion_order: io })).toThrow(
      'io_acceptance {"io_id": "io-1", "accepted_at": "2027-03-01T09:30:00Z", "signatory": "…"}',
    )
    expect(refusal(() => execute({ insertion_order: io }, { io_acceptance: accepted })).field).toBe('io_acceptance.io_id')
    expect(execute({ insertion_order: io }, { io_acceptance: { ...accepted, io_id: 'io-1' } }).proposalId).toBe('p')
    expect(refusal(() => execute({}, { packages: [pkg({ budget: 2000 })] })).code).toBe('BUDGET_EXCEEDED')
    expect(refusal(() => execute({}, { total_budget: { amount: 10, currency: 'EUR' } })).field).toBe('total_budget.currency')
  })
})

test('products that are sold by hand are named', () => {
  const manual = new Map([['news', product('news', {}, { approval: 'manual' })]])
  expect(manualProducts(plan().packages, manual)).toEqual(['news'])
  expect(manualProducts(plan().packages, new Map([['news', product('news')]]))).toEqual([])
})

test('bank details of an invoice recipient are not kept', () => {
  const recipient = { legal_name: 'Example Ltd', bank: { account_holder: 'Example Ltd', iban: 'DE00' } }
  expect(plan({ invoice_recipient: recipient }).invoiceRecipient).toEqual({ legal_name: 'Example Ltd' })
})
