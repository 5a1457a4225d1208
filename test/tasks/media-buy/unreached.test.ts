import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hintsOf } from '../../../src/domain/product/brief-hints.ts'
import { summarizeProposed } from '../../../src/tasks/media-buy/proposal-summaries.ts'
import { summarizeProducts } from '../../../src/tasks/media-buy/summaries.ts'
import { productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { LINES, type ReleaseAgent, startReleaseAgent } from '../../support/release-agent.ts'
import { DEMO_ACCOUNT } from '../../support/start-agent.ts'

const BRIEF =
  'EUR 20,000, sports fans in Sweden and Norway, video and display, two weeks before Christmas, three a day, weekly report'

let agent: ReleaseAgent
beforeAll(async () => {
  agent = await startReleaseAgent({ conformance: false })
}, 120_000)
afterAll(() => agent?.stop())

describe.each(LINES)('what a question names and nothing has, under AdCP %s', (line) => {
  const ask = async (args: object) => {
    const { data, isError } = await agent.ask(line, 'get_products', args)
    expect(isError, JSON.stringify(data)).toBeFalsy()
    return { notes: (data.ext?.notes ?? []) as string[], text: summarizeProducts(data), data }
  }

  test('places and the currency of a brief are answered in a sentence each, in data and text', async () => {
    const { notes, text } = await ask({ buying_mode: 'brief', brief: BRIEF, pagination: { max_results: 8 } })
    expect(notes).toEqual([
      expect.stringMatching(/^Nothing here reaches SE, NO; what is offered reaches AT, CA, .*US\.$/),
      expect.stringMatching(/^Read from the brief: from \d{4}-12-11 to \d{4}-12-24\. A plan or forecast is for these days; /),
      'Priced in EUR on this page: dach_premium_display; the rest is in other currencies.',
      expect.stringMatching(
        /^Not part of products and proposals: the frequency cap \([^)]*\), the weekly reports \(there are none; [^()]*; reporting_webhook of the order reports hourly \(7 products alone\), daily\)\.$/,
      ),
    ])
    // What decides is read before the rows.
    expect(text.startsWith(`${notes.join('\n')}\n`)).toBe(true)
  })

  test('what belongs to the order is said of a brief and of an ask, each with how it is had', async () => {
    const cap =
      'Proposals carry into their packages: at most 3 impressions of a device in 1 day; packages of your own have it in targeting_overlay.'
    const { notes, data, text } = await ask({
      buying_mode: 'brief',
      brief: 'USD 20,000, sports display in the US, max three a day',
    })
    expect(notes).toContain(cap)
    expect(text).toContain(cap)
    const refine = [
      {
        scope: 'proposal',
        proposal_id: data.proposals[0].proposal_id,
        action: 'include',
        ask: 'a budget of 25,000 USD; from 2026-12-10 to 2026-12-24, three a day, weekly report',
      },
    ]
    const refined = await ask({ buying_mode: 'refine', refine })
    const [{ status, notes: said }] = refined.data.refinement_applied
    expect(status).toBe('partial')
    expect(said).toMatch(
      /^applied: planned for 25000 USD; at most 3 impressions of a device in 1 day, in the packages of its order\. not possible: the dates, which .*; the weekly reports, which .*now proposal/,
    )
    expect(said).not.toContain('names no change')
  })

  test('so is a filter that nothing passes', async () => {
    const { notes, data } = await ask({ buying_mode: 'brief', brief: 'video', filters: { countries: ['SE'] } })
    expect(data.products).toEqual([])
    expect(notes).toEqual([expect.stringContaining('Nothing here reaches SE')])
  })

  test.skipIf(line !== '3.2')('a request for proposals is declined with the same sentence, and told of no proposal', async () => {
    const wanted = async (brief: string) =>
      (await agent.ask(line, 'request_proposals', { idempotency_key: randomUUID(), account: DEMO_ACCOUNT, brief })).data
    const none = await wanted(BRIEF)
    expect(none).toMatchObject({ outcome: 'rejected', reason: expect.stringMatching(/^Nothing here reaches SE, NO; /) })
    expect(summarizeProposed(none)).not.toContain('refine_proposals')
    expect(await wanted('outdoor video, CHF 20,000')).toMatchObject({
      reason: 'fewer than two products that answer this brief can be planned for 20000 CHF',
    })
  })

  test('nothing is said where something is reached, but for what no proposal reaches', async () => {
    const [notes, swedish] = [
      (await ask({ buying_mode: 'brief', brief: 'video in Germany and the UK, GBP 20,000' })).notes,
      (await ask({ buying_mode: 'brief', brief: 'video in Swedish' })).notes,
    ]
    expect(notes.filter((note) => note.includes('reaches'))).toEqual(['No proposal reaches DE; products of this answer do.'])
    expect(swedish.filter((note) => !note.startsWith('No budget was read'))).toEqual([
      expect.stringContaining('Proposals carry into their packages: language sv'),
      expect.stringContaining('Forecasts are not estimated for the targeting'),
    ])
  })

  test('places that a brief names choose products and limit nothing: said with how delivery is limited, and not where the brief does', async () => {
    const wider =
      /^Places choose products; with "only" they limit delivery\. US alone: targeting_overlay\.geo_countries \["US"\] of each package, of a bought proposal by update_media_buy\.$/
    const { notes } = await ask({ buying_mode: 'brief', brief: 'sports video in the US, USD 30,000' })
    expect(notes).toContainEqual(expect.stringMatching(wider))
    const only = await ask({ buying_mode: 'brief', brief: 'sports video only in the US, USD 30,000' })
    expect(only.notes.join()).not.toContain('choose products')
    const whole = await ask({ buying_mode: 'brief', brief: 'sports video in the US and Canada, USD 30,000' })
    expect(whole.notes.join()).not.toContain('choose products')
  })

  test('every row says where its product reaches', async () => {
    const filters = { countries: ['DE'] }
    const { data, text } = await ask({ buying_mode: 'brief', brief: 'display in Germany', filters })
    const row = data.products.find(({ product_id }: { product_id: string }) => product_id === 'dach_premium_display')
    expect(row.ext.reach.countries).toEqual(['DE', 'AT', 'CH'])
    expect(text).toMatch(/dach_premium_display: .*; DE AT CH/)
  })
})

test('dates at which nothing is on sale are answered with what there is at others', async () => {
  const dates = { available_from: '2026-03-01', available_until: '2026-05-31' }
  const seasonal = await startMediaBuyAgent([productDocument('spring', {}, dates)])
  const ask = async (start_date: string, end_date: string) => {
    const { data } = await seasonal.buyer.call('get_products', { buying_mode: 'wholesale', filters: { start_date, end_date } })
    return data
  }
  try {
    const data = await ask('2026-06-01', '2026-06-30')
    expect(data.products).toEqual([])
    expect(data.ext.notes).toEqual([
      'Nothing is available from 2026-06-01 to 2026-06-30; at other dates: spring from 2026-03-01 until 2026-05-31, up to 1000000 impressions a day.',
    ])
    const fits = await ask('2026-04-01', '2026-04-30')
    expect(fits.products[0].ext.reach).toEqual({ anywhere: true, ...dates })
    expect(summarizeProducts(fits)).toContain('; runs anywhere, from 2026-03-01 until 2026-05-31; ')
    expect(fits).not.toHaveProperty('ext')
  } finally {
    await seasonal.stop()
  }
}, 120_000)

test('countries are read by their English names, and words that are only sometimes countries are not', () => {
  expect(hintsOf('sports fans in Sweden, Norway and the United Kingdom; not us').countries).toEqual(['SE', 'NO', 'GB'])
  expect(hintsOf('turkey recipes, michael jordan, chad and georgia').countries).toEqual([])
  expect(hintsOf('Swedish-speaking people, in English').languages).toEqual(['swedish', 'english'])
})
