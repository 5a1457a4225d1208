import { describe, expect, it } from 'vitest'
import { PAGE_SCRIPT } from '../../../src/transports/trusted-match/page-script.ts'
import { guessRate, joinRates, orderSkew } from '../../support/match-attack/attack.ts'
import { simulateViews } from '../../support/match-attack/page-views.ts'
import { foundByVisits, tokenIn } from '../../support/match-attack/repeated-visits.ts'

/** The seed is fixed, so that each run judges the same views. */
const TRAFFIC = { views: 8_000, perSecond: 100, placements: 50, seed: 20 }
/** What chance passes once in some ten thousand seeds. */
const SIGMA = 4

/** Whether an attack on views of this script does better than the real one may. */
async function foundBy(attack: string, source: string): Promise<boolean> {
  const logs = await simulateViews(source, { ...TRAFFIC, views: 3_000 })
  return (joinRates(logs, [attack])[attack] ?? 0) > guessRate(logs) + 0.01
}

/** The script with one part of it replaced; throws where the part is gone, since nothing would be tested then. */
function planted(part: string, leak: string): string {
  if (!PAGE_SCRIPT.includes(part)) throw new Error(`the script has no ${part}`)
  return PAGE_SCRIPT.replace(part, leak)
}

describe('who holds the complete logs of both providers, at 100 views a second', () => {
  it('joins no more of them than a guess and one point, by any attack', async () => {
    const logs = await simulateViews(PAGE_SCRIPT, TRAFFIC)
    expect([logs.contexts.length, logs.identities.length]).toEqual([TRAFFIC.views, TRAFFIC.views])
    const guess = guessRate(logs)
    expect(guess).toBeLessThan(0.004)
    const rates = joinRates(logs)
    const found = Object.entries(rates).filter(([, rate]) => rate > guess + 0.01)
    expect(found).toEqual([])
    expect(Object.keys(rates).length).toBeGreaterThan(8)
    expect(Math.abs(orderSkew(logs))).toBeLessThan(SIGMA)
  })

  it('is shown to find a shared id', async () => {
    const begin = 'window.adcpMatch = async (opportunity) => {'
    const source = planted(begin, `${begin} window.sharedId = newId();`).replaceAll(
      'request_id: newId()',
      'request_id: window.sharedId',
    )
    expect(await foundBy('ids', source)).toBe(true)
  })

  it('is shown to find a fixed delay', async () => {
    expect(await foundBy('commonest delay', planted('100 + Math.random() * 1900', '700'))).toBe(true)
  })

  it('is shown to find delays of little variety', async () => {
    // With few views the only assignment of permitted delays is the right one.
    const source = planted('100 + Math.random() * 1900', '100 + Math.random() * 0.5')
    expect(await foundBy('nearest permitted time', source)).toBe(true)
    const few = { ...TRAFFIC, views: 500, perSecond: 0.2 }
    const { 'likeliest assignment': joined } = joinRates(await simulateViews(PAGE_SCRIPT, few), ['likeliest assignment'])
    expect(joined).toBeGreaterThan(0.5)
  })

  it('joins at one view a second more than a third by weighing all assignments, and more than by any single one', async () => {
    const little = { views: 600, perSecond: 1, placements: 50, seed: 1 }
    const rates = joinRates(await simulateViews(PAGE_SCRIPT, little), ['likeliest assignment', 'most probable partner'])
    const { 'likeliest assignment': single = 1, 'most probable partner': weighed = 0 } = rates
    expect(weighed).toBeGreaterThan(single)
    expect(weighed).toBeGreaterThan(0.34)
    expect(weighed).toBeLessThan(0.45)
  })

  it('is shown to find packages of the page', async () => {
    const source = planted('({ identities, consent, country }) =>', '({ identities, consent, country, packages }) =>')
    const leaking = source.replace(
      '      identities,\n      consent,',
      '      package_ids: packages,\n      identities,\n      consent,',
    )
    expect(await foundBy('packages', leaking)).toBe(true)
  })

  it('is shown to find sizes that belong together', async () => {
    // Both requests of a view are filled up by as many characters, as a page would do that sends what it knows with both.
    const begin = 'window.adcpMatch = async (opportunity) => {'
    const filled = `${begin} window.filling = 'x'.repeat(Math.floor(Math.random() * 4000));`
    const source = planted(begin, filled).replaceAll('request_id: newId()', 'request_id: newId() + window.filling')
    expect(await foundBy('sizes', source)).toBe(true)
  })

  it('is shown to find a fixed order', async () => {
    const logs = await simulateViews(planted('Math.random() < 0.5', 'Math.random() < 2'), TRAFFIC)
    expect(orderSkew(logs)).toBeGreaterThan(SIGMA)
  })
})

describe('who adds up the visits of users that return with the same token and read the same page', () => {
  const PLACEMENTS = 50
  const RETURNING = { views: 3_000, perSecond: 10, placements: PLACEMENTS, seed: 21, visits: 10 }
  /** So many tokens have the page that a guess names. */
  const guessOfPage = 1 / PLACEMENTS

  it('learns at 10 views a second within ten visits what nearly every user reads, and joins most views', async () => {
    const logs = await simulateViews(PAGE_SCRIPT, RETURNING)
    const { pagesNamed, viewsJoined } = foundByVisits(logs, 1)
    expect(pagesNamed).toBeGreaterThan(0.85)
    expect(viewsJoined).toBeGreaterThan(0.5)
    // The attack is among those that join the views of one visit each, and finds nothing more there.
    expect(joinRates(logs, ['repeated visits'])['repeated visits']).toBe(viewsJoined)
  })

  it('finds less where users read their page only at every other visit', async () => {
    const logs = await simulateViews(PAGE_SCRIPT, { ...RETURNING, returning: 0.5 })
    expect(joinRates(logs, ['repeated visits'])['repeated visits']).toBeLessThan(0.4)
  })

  it('learns nothing by tokens of the day', async () => {
    const rotated = { ...RETURNING, uidType: 'publisher_first_party', attributes: { rotate: 'day' } }
    const logs = await simulateViews(PAGE_SCRIPT, rotated)
    expect(new Set(logs.identities.map(tokenIn)).size).toBe(RETURNING.views)
    const { pagesNamed, viewsJoined } = foundByVisits(logs, 1)
    expect(viewsJoined).toBeLessThan(guessRate(logs) + 0.01)
    // One request says something of what is read near it; days add nothing.
    const once = foundByVisits(await simulateViews(PAGE_SCRIPT, { ...RETURNING, visits: 1 }), 1)
    expect(pagesNamed).toBeLessThan(once.pagesNamed + 0.01)
  })

  it('sends no lasting token of another kind with those of the day, and none where it cannot rotate', async () => {
    for (const [uidType, rotate] of [
      ['uid2', 'day'],
      ['publisher_first_party', 'year'],
    ] as const) {
      const logs = await simulateViews(PAGE_SCRIPT, { ...RETURNING, views: 20, visits: 2, uidType, attributes: { rotate } })
      expect([logs.contexts.length, logs.identities.length]).toEqual([20, 0])
    }
  })

  it('is shown to find tokens of the day that do not change', async () => {
    const source = planted('new Date(Date.now()).toISOString().slice(0, 10)', "'day'")
    const rotated = { ...RETURNING, uidType: 'publisher_first_party', attributes: { rotate: 'day' } }
    expect(foundByVisits(await simulateViews(source, rotated), 1).pagesNamed).toBeGreaterThan(0.85)
  })

  it('learns nothing of pages that the router knows the answers for, at 10 views a second', async () => {
    const cached = { ...RETURNING, views: 30_000, visits: 10, contextCacheSeconds: 300 }
    const logs = await simulateViews(PAGE_SCRIPT, cached)
    expect(logs.contexts.length).toBeLessThan(logs.identities.length / 40)
    expect(foundByVisits(logs, logs.contexts.length / logs.identities.length).pagesNamed).toBeLessThan(guessOfPage + 0.015)
  }, 120_000)
})

describe('the script of pages', () => {
  it('has at most 10 kB', () => expect(Buffer.byteLength(PAGE_SCRIPT)).toBeLessThanOrEqual(10_000))
})

describe('a page whose first views are matched without the user', () => {
  const views = { views: 300, perSecond: 1, placements: 20, seed: 22 }

  it('asks about no user at the first view of a place, and about each later one', async () => {
    const logs = await simulateViews(PAGE_SCRIPT, { ...views, attributes: { first: 'context' } })
    const inTurn = logs.contexts.toSorted((a, b) => a.view - b.view)
    const places = new Map(inTurn.toReversed().map(({ body, view }) => [body.placement_id, view]))
    const later = inTurn.filter(({ body, view }) => places.get(body.placement_id) !== view).map(({ view }) => view)
    expect([places.size, later.length]).toEqual([20, 280])
    expect(logs.identities.map(({ view }) => view).toSorted((a, b) => a - b)).toEqual(later)
  })

  it('waits at no first view, and between 0.1 and 2 seconds at the others', async () => {
    const waits = async (first: string) => {
      const { contexts, identities } = await simulateViews(PAGE_SCRIPT, { ...views, attributes: { first } })
      const timeOf = new Map(identities.map(({ view, at }) => [view, at]))
      return contexts.flatMap(({ view, at }) => Math.abs((timeOf.get(view) ?? Number.NaN) - at) || [])
    }
    expect(await waits('context')).toHaveLength(280)
    const all = await waits('both')
    expect(all).toHaveLength(300)
    expect([Math.min(...all) >= 100, Math.max(...all) <= 2_000]).toEqual([true, true])
    const mean = all.reduce((sum, each) => sum + each, 0) / all.length
    expect(Math.abs(mean - 1_050)).toBeLessThan(100)
  })
})
