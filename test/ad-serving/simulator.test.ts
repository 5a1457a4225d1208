import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BookedLine } from '../../src/ad-serving/ad-server.ts'
import { deliveredAt, deliveredByDay } from '../../src/ad-serving/simulator/simulated-delivery.ts'
import { createSimulator } from '../../src/ad-serving/simulator/simulator.ts'
import { addMetrics, deliveryOf, type Metrics, NOTHING, sumDays } from '../../src/domain/media-buy/delivery.ts'
import { HeldInventory } from '../../src/domain/media-buy/held-inventory.ts'
import type { OrderTerms, Pricing } from '../../src/domain/media-buy/media-buy.ts'
import type { Pacing } from '../../src/domain/media-buy/order-request.ts'
import { commitmentMicros } from '../../src/domain/media-buy/pricing.ts'
import { recordDelivery } from '../../src/domain/media-buy/record-delivery.ts'
import type { PricingModel } from '../../src/domain/product/pricing-option.ts'
import { plan, product } from '../support/media-buy-fixtures.ts'

const START = Date.UTC(2026, 2, 2, 6)
const HOUR = 3_600_000
const iso = (time: number) => new Date(time).toISOString()
const models: PricingModel[] = ['cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'cpa', 'flat_rate', 'time']

const terms = fc.record({
  hours: fc.integer({ min: 1, max: 24 * 60 }),
  budgetCents: fc.integer({ min: 1, max: 1e9 }),
  rateMicros: fc.integer({ min: 1000, max: 1e9 }),
  pacing: fc.constantFrom<Pacing>('even', 'asap', 'front_loaded'),
  impressions: fc.option(fc.integer({ min: 0, max: 1e8 }), { nil: undefined }),
})

const line = fc
  .tuple(
    fc.constantFrom(...models),
    fc.constantFrom('USD', 'JPY'),
    terms,
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 24 * 70 }),
        fc.record({ running: fc.boolean(), addCents: fc.integer({ min: 0, max: 1e8 }) }),
      ),
      { maxLength: 5 },
    ),
    fc.array(fc.tuple(fc.integer({ min: 0, max: 24 * 60 }), fc.integer({ min: 0, max: 1e9 })), { maxLength: 2 }),
    fc.array(fc.tuple(fc.integer({ min: 0, max: 24 * 60 }), fc.double({ min: 0, max: 20, noNaN: true })), { maxLength: 3 }),
  )
  .map(([model, currency, first, changes, recorded, judged]): BookedLine => {
    const step = currency === 'JPY' ? 1_000_000 : 10_000
    const initial: OrderTerms = {
      from: iso(START - HOUR),
      startsAt: iso(START),
      endsAt: iso(START + first.hours * HOUR),
      budgetMicros: first.budgetCents * step,
      rateMicros: first.rateMicros,
      pacing: first.pacing,
      running: true,
      ...(first.impressions !== undefined && { impressions: first.impressions }),
    }
    const versions = [initial]
    for (const [hour, { running, addCents }] of changes.toSorted((a, b) => a[0] - b[0])) {
      const last = versions.at(-1)!
      versions.push({ ...last, from: iso(START + hour * HOUR + 1), running, budgetMicros: last.budgetMicros + addCents * step })
    }
    const pricing: Pricing = {
      pricingOptionId: 'o',
      model,
      basis: 'fixed',
      currency,
      fixedMicros: first.rateMicros,
      maxBid: false,
      estimatedImpressions: 12_345,
      ...(model === 'time' && { time: { unit: 'day' } }),
    }
    return {
      packageId: 'p',
      lineId: 'l',
      pricing,
      channels: ['olv'],
      terms: versions,
      serving: [{ from: iso(START - HOUR) }],
      recorded: recorded.map(([hour, spendMicros]) => ({
        at: iso(START + hour * HOUR),
        spendMicros,
        impressions: 0,
        clicks: 0,
        conversions: 0,
      })),
      feedback: judged.toSorted(([a], [b]) => a - b).map(([hour, index]) => ({ at: iso(START + hour * HOUR), index })),
    }
  })

describe('simulated delivery', () => {
  test('grows with time and never exceeds what the order may cost', () => {
    fc.assert(
      fc.property(
        line,
        fc.array(fc.integer({ min: -5 * HOUR, max: 24 * 75 * HOUR }), { minLength: 2, maxLength: 12 }),
        (booked, offsets) => {
          let before: Metrics = NOTHING
          for (const offset of offsets.toSorted((a, b) => a - b)) {
            const now = deliveredAt(booked, START + offset)
            for (const key of Object.keys(NOTHING) as (keyof Metrics)[]) expect(now[key], key).toBeGreaterThanOrEqual(before[key])
            const limit = Math.max(...booked.terms.map((version) => commitmentMicros(booked.pricing, version)))
            expect(now.spendMicros).toBeLessThanOrEqual(limit)
            expect(now.completedViews).toBeLessThanOrEqual(now.views)
            expect(now.views).toBeLessThanOrEqual(now.impressions)
            before = now
          }
        },
      ),
    )
  })

  test('at any moment the days add up to the whole', () => {
    fc.assert(
      fc.property(line, fc.integer({ min: -HOUR, max: 24 * 70 * HOUR }), (booked, offset) => {
        const days = deliveredByDay(booked, START + offset)
        const { day: _day, ...total } = { day: '', ...days.reduce<Metrics>(addMetrics, NOTHING) }
        expect(total).toEqual(deliveredAt(booked, START + offset))
        expect(new Set(days.map((day) => day.day)).size).toBe(days.length)
      }),
      { numRuns: 50 },
    )
  })

  /** What one price is for, of the models that sell a count. */
  const COUNTED: Readonly<Record<string, readonly [units: keyof Metrics, perPrice: bigint]>> = {
    cpm: ['impressions', 1000n],
    vcpm: ['viewableImpressions', 1000n],
    cpc: ['clicks', 1n],
    cpv: ['views', 1n],
    cpcv: ['completedViews', 1n],
    cpp: ['milliPoints', 1000n],
    cpa: ['conversions', 1n],
  }

  test('what is spent is quantity × rate to the micro, at any moment and at the end', () => {
    fc.assert(
      fc.property(line, fc.integer({ min: HOUR, max: 24 * 70 * HOUR }), fc.boolean(), (booked, offset, atEnd) => {
        const [first] = booked.terms
        const [units, perPrice] = COUNTED[booked.pricing.model] ?? []
        if (!units || !perPrice || booked.pricing.fixedMicros === 0) return
        const single = { ...booked, terms: [first!], recorded: [], feedback: [] }
        const delivered = deliveredAt(single, atEnd ? Date.parse(first!.endsAt) : START + offset)
        const cost = Number((BigInt(delivered[units]) * BigInt(first!.rateMicros)) / perPrice)
        expect(delivered.spendMicros).toBe(cost)
      }),
    )
  })

  test('an undisturbed flight ends with all that its commitment buys, and a CPM goal at its impressions', () => {
    fc.assert(
      fc.property(line, (booked) => {
        const [first] = booked.terms
        const undisturbed = { ...booked, terms: [first!], recorded: [] }
        const end = deliveredAt(undisturbed, Date.parse(first!.endsAt))
        const minor = booked.pricing.currency === 'JPY' ? 1_000_000 : 10_000
        const commitment = commitmentMicros(booked.pricing, first!)
        const [, perPrice] = COUNTED[booked.pricing.model] ?? []
        // What is left of a budget buys no further unit.
        if (perPrice) expect(commitment - end.spendMicros).toBeLessThanOrEqual(first!.rateMicros / Number(perPrice) + 1)
        else expect(end.spendMicros).toBe(commitment - (commitment % minor))
        expect(end.spendMicros).toBeLessThanOrEqual(commitment)
        expect(deliveredAt(undisturbed, Date.parse(first!.endsAt) + 1e9)).toEqual(end)
      }),
    )
  })

  test('a later change leaves what was delivered before it', () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 1, max: 24 * 60 }), fc.boolean(), (booked, hour, running) => {
        const at = START + hour * HOUR
        const known = { ...booked, terms: booked.terms.filter((version) => Date.parse(version.from) <= at) }
        const changed = {
          ...known,
          terms: [...known.terms, { ...known.terms.at(-1)!, from: iso(at), running, rateMicros: 999_999 }],
        }
        expect(deliveredAt(changed, at)).toEqual(deliveredAt(known, at))
      }),
    )
  })

  test('without an ad nothing is delivered; with one it starts then', () => {
    const booked: BookedLine = {
      packageId: 'p',
      lineId: 'l',
      pricing: { pricingOptionId: 'o', model: 'cpm', basis: 'fixed', currency: 'USD', fixedMicros: 10_000_000, maxBid: false },
      channels: ['display'],
      terms: [
        {
          from: iso(START),
          startsAt: iso(START),
          endsAt: iso(START + 240 * HOUR),
          budgetMicros: 1_000_000_000,
          rateMicros: 10_000_000,
          pacing: 'even',
          running: true,
        },
      ],
      serving: [],
      recorded: [],
    }
    expect(deliveredAt(booked, START + 100 * HOUR)).toEqual(NOTHING)
    const supplied = { ...booked, serving: [{ from: iso(START + 120 * HOUR) }] }
    expect(deliveredAt(supplied, START + 180 * HOUR)).toMatchObject({
      spendMicros: 500_000_000,
      impressions: 50_000,
      clicks: 125,
    })
    expect(deliveredAt(supplied, START + 240 * HOUR)).toMatchObject({ spendMicros: 1_000_000_000, impressions: 100_000 })
  })
})

describe('the simulator', () => {
  const simulator = createSimulator()
  const order = {
    packageId: 'p',
    productId: 'x',
    pricing: plan().packages[0]!.pricing,
    guaranteed: true,
    terms: plan().packages[0]!.terms,
  }

  test('says that it is one, and answers a repeated call alike', async () => {
    expect(simulator.description).toMatch(/simulated/i)
    const first = await simulator.book('anchor', 'mb', [order])
    expect(await simulator.book('anchor', 'mb', [order])).toEqual(first)
    expect((await simulator.book('other', 'mb', [order])).orderId).not.toBe(first.orderId)
    expect(await simulator.change('later', first.orderId, [order], 'mb')).toEqual(first)
  })

  test('gives what the capacity leaves', async () => {
    const flight = { startsAt: '2026-03-02T00:00:00.000Z', endsAt: '2026-03-04T00:00:00.000Z' }
    const query = {
      productId: 'x',
      flight,
      impressions: 100,
      dailyCapacity: 60,
      held: new HeldInventory(new Map([['2026-03-03', 11]])),
    }
    expect(await simulator.checkAvailability([query, { ...query, impressions: 98 }])).toEqual([
      { productId: 'x', available: 109, sufficient: false },
      { productId: 'x', available: 109, sufficient: true },
    ])
  })
})

test('the totals of a buy are the sum of its packages and of its days, recorded figures included', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e10 }),
      fc.integer({ min: 0, max: 1e7 }),
      fc.integer({ min: 0, max: 20 * 24 }),
      (spendMicros, impressions, hour) => {
        const packages = ['news', 'sport', 'video'].map((id, index) => ({
          product_id: id,
          pricing_option_id: 'cpm',
          budget: 100 + 77 * index,
        }))
        const bought = plan(
          { packages },
          packages.map(({ product_id }) => product(product_id)),
        )
        const buy = recordDelivery(bought, { spendMicros, impressions, clicks: 3, conversions: 1 }, new Date(START + hour * HOUR))
        const reports = buy.packages.map((pkg) => ({
          packageId: pkg.packageId,
          days: deliveredByDay(
            { ...pkg, terms: [...pkg.pastTerms, pkg.terms], serving: [{ from: iso(0) }] },
            START + hour * HOUR,
          ),
        }))
        const { total, days, packages: sums } = deliveryOf(buy, reports)
        expect([...sums.values()].map((sum) => sum.total).reduce(addMetrics, NOTHING)).toEqual(total)
        expect(sumDays(days).total).toEqual(total)
        expect(buy.packages.flatMap((pkg) => pkg.recorded).reduce((sum, entry) => sum + entry.spendMicros, 0)).toBe(spendMicros)
        expect(
          deliveryOf(buy, [], { first: '2026-03-03', last: '2026-03-03' }).days.every(({ day }) => day === '2026-03-03'),
        ).toBe(true)
      },
    ),
    { numRuns: 50 },
  )
})

test('no day costs more than its limit, and the rest is made up for on later days', () => {
  const terms: OrderTerms = {
    from: iso(START - HOUR),
    startsAt: iso(START),
    endsAt: iso(START + 10 * 24 * HOUR),
    budgetMicros: 1_000_000_000,
    rateMicros: 3_000_000,
    pacing: 'front_loaded',
    running: true,
    dailyCap: { ownMicros: 120_000_000, portionMicros: 110_000_000 },
  }
  const pricing: Pricing = {
    pricingOptionId: 'o',
    model: 'cpm',
    basis: 'fixed',
    currency: 'USD',
    fixedMicros: 3_000_000,
    maxBid: false,
  }
  const capped: BookedLine = {
    ...{ packageId: 'p', lineId: 'l', pricing, channels: ['display'], terms: [terms], recorded: [] },
    serving: [{ from: iso(START) }],
  }
  const days = deliveredByDay(capped, START + 20 * 24 * HOUR)
  expect(Math.max(...days.map(({ spendMicros }) => spendMicros))).toBeLessThanOrEqual(110_000_000)
  expect(days.slice(0, 8).every(({ spendMicros }) => spendMicros > 109_000_000)).toBe(true)
  const all = days.reduce((sum, { spendMicros }) => sum + spendMicros, 0)
  expect(all).toBeGreaterThan(990_000_000)
  expect(all).toBeLessThanOrEqual(1_000_000_000)
  const free = deliveredByDay({ ...capped, terms: [{ ...terms, dailyCap: {} }] }, START + 20 * 24 * HOUR)
  expect(Math.max(...free.map(({ spendMicros }) => spendMicros))).toBeGreaterThan(110_000_000)
})
