import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allowsId } from '../../../src/domain/consent/allows-id.ts'
import { type Consent, readConsent } from '../../../src/platform/decode/consent.ts'
import { type AdPublisher, startAdPublisher } from '../../support/ad-publisher.ts'

/** Strings of the IAB's own encoder (`@iabgpp/cmpapi`), of 2026-01-01: purposes 1 and 2, purpose 2 alone. */
const TCF_GIVEN = 'CQdWToAQdWToAAKAAAENAAFgAMAAAAAAAAAAAAAAAAAA.IAAA.YAAAAAAAAAAA'
const TCF_REFUSED = 'CQdWToAQdWToAAKAAAENAAFgAEAAAAAAAAAAAAAAAAAA.IAAA.YAAAAAAAAAAA'
const GPP = {
  tcfGiven: `DBABMA~${TCF_GIVEN}`,
  tcfRefused: `DBABMA~${TCF_REFUSED}`,
  noSaleOptOut: 'DBABLA~CEAgAAAAAABA.QA',
  saleOptOut: 'DBABLA~CEAQAAAAAABA.QA',
  sharingOptOutOfCalifornia: 'DBABBg~BEEAAABA.QA',
  globalPrivacyControl: 'DBABLA~CAAAAAAAAABA.YA',
  olderOptOut: 'DBABTA~1YY-',
}

const CASES: readonly [string, Consent, boolean][] = [
  ['nothing is said', {}, false],
  ['the GDPR does not apply', { gdpr: false }, true],
  ['the GDPR applies and no string is there', { gdpr: true }, false],
  ['TCF has consent', { gdpr: true, tcf: TCF_GIVEN }, true],
  ['TCF has consent, and nothing says whether the GDPR applies', { tcf: TCF_GIVEN }, true],
  ['TCF has no consent', { gdpr: true, tcf: TCF_REFUSED }, false],
  ['TCF is garbage', { gdpr: true, tcf: 'garbage' }, false],
  ['TCF is cut off', { gdpr: true, tcf: TCF_GIVEN.slice(0, 12) }, false],
  ['TCF is empty', { gdpr: true, tcf: '' }, false],
  ['TCF in GPP has consent', { gdpr: true, gpp: GPP.tcfGiven }, true],
  ['TCF in GPP has no consent, whatever else is said', { gdpr: false, tcf: TCF_GIVEN, gpp: GPP.tcfRefused }, false],
  ['GPP has no opt-out of sale', { gdpr: false, gpp: GPP.noSaleOptOut }, true],
  ['GPP has no opt-out, and the GDPR applies', { gdpr: true, gpp: GPP.noSaleOptOut }, false],
  ['GPP has an opt-out of sale', { gdpr: false, gpp: GPP.saleOptOut }, false],
  ['GPP has an opt-out of sharing in California', { gdpr: false, gpp: GPP.sharingOptOutOfCalifornia }, false],
  ['GPP has a Global Privacy Control', { gdpr: false, gpp: GPP.globalPrivacyControl }, false],
  ['GPP has an opt-out of the older section', { gdpr: false, gpp: GPP.olderOptOut }, false],
  ['GPP has a range of sections without end', { gdpr: false, gpp: 'DBAB5IpQUQgFJAw~x' }, false],
  ['GPP is garbage', { gdpr: false, gpp: 'garbage~~' }, false],
]

describe('an id of a visitor', () => {
  it.each(CASES)('when %s', (_case, consent, allowed) => {
    expect(allowsId(readConsent(consent))).toBe(allowed)
  })
})

describe('a decision', () => {
  let publisher: AdPublisher
  beforeAll(async () => {
    publisher = await startAdPublisher()
    await publisher.sell('capped', 'image', {
      productId: 'sport_display',
      targeting: { frequency_cap: { max_impressions: 1, per: 'individuals', window: { interval: 1, unit: 'days' } } },
    })
  })
  afterAll(() => publisher?.stop())

  const viewers = async () => {
    const rows = await publisher.server.store.read.selectFrom('embedded_exposures').selectAll().execute()
    return rows.map(({ viewer }) => viewer)
  }
  /** A line with a cap is shown where the visitor is known, and nowhere else. */
  const isKnown = async (visitor_id: string, consent: Consent, headers: Record<string, string> = {}) => {
    const placements = [{ place: 'sport_display', sizes: ['970x250'] }]
    const { status, body } = await publisher.decide({ placements, visitor_id, consent }, headers)
    expect(status).toBe(200)
    return body.placements[0]?.ad !== null
  }

  it('stores an id, as a pseudonym, with consent alone', async () => {
    for (const [name, consent, allowed] of CASES) {
      const before = await viewers()
      expect(await isKnown(`visitor when ${name}`, consent), name).toBe(allowed)
      expect((await viewers()).length - before.length, name).toBe(allowed ? 1 : 0)
    }
    expect((await viewers()).join(' ')).not.toContain('visitor')
  })

  it('knows nobody whose browser sends a Global Privacy Control', async () => {
    expect(await isKnown('gpc', { gdpr: true, tcf: TCF_GIVEN }, { 'Sec-GPC': '1' })).toBe(false)
    expect(await isKnown('gpc', { gdpr: true, tcf: TCF_GIVEN }, { 'Sec-GPC': '0' })).toBe(true)
  })
})
