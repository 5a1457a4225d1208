import { describe, expect, it } from 'vitest'
import { PAGE_SCRIPT } from '../../../src/transports/trusted-match/page-script.ts'
import { guessRate, joinRates, orderSkew } from '../../support/match-attack/attack.ts'
import { simulateViews } from '../../support/match-attack/page-views.ts'

/** The seed is fixed, so that each run judges the same views. */
const TRAFFIC = { views: 8_000, perSecond: 100, placements: 50, seed: 20 }
/** What chance passes once in some ten thousand seeds. */
const SIGMA = 4

/** Whether an attack on views of this script does better than the real one may. */
async function foundBy(attack: string, source: string): Promise<boolean> {
  const logs = await simulateViews(source, { ...TRAFFIC, views: 3_000 })
  return (joinRates(logs)[attack] ?? 0) > guessRate(logs) + 0.01
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
    const found = Object.entries(joinRates(logs)).filter(([, rate]) => rate > guess + 0.01)
    expect(found).toEqual([])
    expect(Object.keys(joinRates(logs)).length).toBeGreaterThan(7)
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
    expect(joinRates(await simulateViews(PAGE_SCRIPT, few))['likeliest assignment']).toBeGreaterThan(0.5)
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

describe('the script of pages', () => {
  it('has at most 10 kB', () => expect(Buffer.byteLength(PAGE_SCRIPT)).toBeLessThanOrEqual(10_000))
})
