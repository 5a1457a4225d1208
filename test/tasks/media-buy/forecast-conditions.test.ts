import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hintsOf } from '../../../src/domain/product/brief-hints.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent()
}, 120_000)
afterAll(() => agent?.stop())

interface Range {
  readonly low: number
  readonly mid: number
  readonly high: number
}
interface Forecast {
  readonly points: readonly {
    readonly label?: string
    readonly metrics: { readonly impressions?: Range; readonly reach?: object }
  }[]
}
interface Answer {
  readonly products: readonly { readonly product_id: string; readonly forecast?: Forecast }[]
  readonly proposals?: readonly {
    readonly proposal_id: string
    readonly forecast?: Forecast
    readonly allocations: readonly { readonly product_id: string; readonly forecast?: Forecast }[]
  }[]
  readonly ext?: { readonly notes?: readonly string[] }
}

const BRIEF = 'balanced reach with video and display across outdoor lifestyle and sports, USD 60,000'

describe.each(LINES)('forecasts of a question under AdCP %s', (line) => {
  const ask = async (args: object): Promise<Answer> => {
    const { data, isError } = await agent.ask(line, 'get_products', args)
    expect(isError, JSON.stringify(data)).toBeFalsy()
    return data
  }
  const brief = (text: string, filters?: object) =>
    ask({ buying_mode: 'brief', brief: `${BRIEF}${text}`, ...(filters && { filters }) })
  const shown = ({ products }: Answer) => products.find(({ product_id }) => product_id === 'outdoor_lifestyle_display')?.forecast
  const of = (days: object) =>
    ask({
      buying_mode: 'refine',
      refine: [{ scope: 'product', product_id: 'outdoor_lifestyle_display', action: 'include' }],
      filters: days,
    })

  test('are there where the question narrows nothing, and say that they are untargeted', async () => {
    const { proposals = [], ext } = await brief('')
    expect(proposals.length).toBeGreaterThan(0)
    for (const { forecast } of proposals) expect(forecast?.points[0]?.label).toBe('untargeted')
    expect(JSON.stringify(ext ?? {})).not.toContain('not estimated')
    expect((await brief(', US and Canada')).proposals?.[0]?.forecast).toBeDefined()
  })

  test.each([
    [', Canada only', undefined, 'CA'],
    [', frequency cap of three a day', undefined, 'a frequency cap:'],
    [', three a day', { countries: ['CA'] }, 'a frequency cap in CA:'],
    ['', { countries: ['CA'] }, 'CA'],
    ['', { regions: ['US-NY'] }, 'places within a country'],
  ])('are left out for "%s" %j, and the answer says so', async (text, filters, what) => {
    const { proposals = [], ext } = await brief(text, filters)
    expect(proposals.length).toBeGreaterThan(0)
    for (const { forecast, allocations } of proposals) {
      expect(forecast).toBeUndefined()
      for (const allocation of allocations) expect(allocation.forecast).toBeUndefined()
    }
    expect(ext?.notes?.join(' ')).toContain(`Forecasts are not estimated for ${what}`)
  })

  test('are those of the dates', async () => {
    const [whole, week] = [shown(await of({})), shown(await of({ start_date: '2031-03-01', end_date: '2031-03-03' }))]
    expect(whole?.points[0]?.metrics.impressions?.mid).toBe(7_000_000)
    expect(week?.points[0]).toEqual({
      label: '3 days, untargeted',
      metrics: {
        impressions: {
          low: 600_000,
          mid: 700_000, // Its daily capacity is 266,666; what a day has left is shown with two digits.
          high: 780_000,
        },
      },
    })
    const { proposals = [], ext } = await brief('', { start_date: '2031-03-01', end_date: '2031-03-01' })
    for (const { forecast } of proposals) expect(forecast?.points[0]?.label).toBe('1 day, untargeted')
    // The demo's lifestyle products give no more than some hundred thousand impressions a day each: plans for a day are of others.
    expect(ext?.notes?.join(' ')).toContain('more of it than is available from 2031-03-01 to 2031-03-01: ')
    for (const { allocations } of proposals)
      expect(allocations.map(({ product_id }) => product_id)).not.toContain('outdoor_lifestyle_display')
  })

  test('are not said to be there for a budget where they are not estimated', async () => {
    const include = { scope: 'product', product_id: 'outdoor_lifestyle_display', action: 'include', ask: 'for 20000 USD' }
    const about = async (filters: object) => {
      const { data } = await agent.ask(line, 'get_products', { buying_mode: 'refine', refine: [include], filters })
      return { outcome: data.refinement_applied[0], forecast: data.products[0].forecast }
    }
    const whole = await about({})
    expect(whole.outcome).toMatchObject({ status: 'applied', notes: 'applied: forecast for 20000 USD' })
    expect(whole.forecast.points[0].budget).toBe(20_000)
    const part = await about({ countries: ['CA'] })
    expect(part.outcome).toMatchObject({
      status: 'unable',
      notes: 'not possible: no forecast for 20000 USD: none is estimated for CA',
    })
    expect(part.forecast).toBeUndefined()
  })

  test('of a product that is named are left out for a part of its places', async () => {
    const { products, ext } = await of({ countries: ['CA'] })
    expect(products).toHaveLength(1)
    expect(products[0]?.forecast).toBeUndefined()
    expect(ext?.notes).toEqual([expect.stringContaining('not estimated for CA')])
  })
})

test.each([
  ['frequency cap 3 per day', true],
  ['three a day', true],
  ['max 3 per user per week', true],
  ['capped at 2x per day', true],
  ['weekly report', undefined],
  ['reports twice a week', undefined],
  ['EUR 50 per day', undefined],
  ['two weeks before Christmas', undefined],
])('"%s" names a frequency cap: %s', (text, expected) =>
  expect(hintsOf(text).orderTerms?.includes('frequency cap') || undefined).toBe(expected),
)
