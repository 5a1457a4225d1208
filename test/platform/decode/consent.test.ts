import { GppModel } from '@iabgpp/cmpapi'
import { GVL, PurposeRestriction, RestrictionType, TCModel, TCString } from '@iabtcf/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LONGEST_CONSENT, readConsent } from '../../../src/platform/decode/consent.ts'

/** Ids of vendors: single ones and runs, so that both ways of writing them occur. */
const vendorIds = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 0, max: 60 })), { maxLength: 12 })
  .map((runs) => [...new Set(runs.flatMap(([first, more]) => Array.from({ length: more + 1 }, (_, at) => first + at)))])
const purposeIds = fc.uniqueArray(fc.integer({ min: 1, max: 11 }))

/** A list of vendors is needed to write a string; what it says of vendors is not written. */
const list = new GVL({
  gvlSpecificationVersion: 3,
  vendorListVersion: 100,
  tcfPolicyVersion: 5,
  lastUpdated: '2026-01-01T00:00:00Z',
  purposes: {},
  specialPurposes: {},
  features: {},
  specialFeatures: {},
  stacks: {},
  vendors: {},
})

interface Said {
  readonly purposes: readonly number[]
  readonly interests: readonly number[]
  readonly vendors: readonly number[]
  readonly vendorInterests: readonly number[]
  readonly restricted: readonly number[]
}
const said: fc.Arbitrary<Said> = fc.record({
  purposes: purposeIds,
  interests: purposeIds,
  vendors: vendorIds,
  vendorInterests: vendorIds,
  restricted: vendorIds,
})

function tcStringOf({ purposes, interests, vendors, vendorInterests, restricted }: Said): string {
  const model = new TCModel(list)
  model.cmpId = 10
  model.cmpVersion = 1
  model.purposeConsents.set([...purposes])
  model.purposeLegitimateInterests.set([...interests])
  model.vendorConsents.set([...vendors])
  model.vendorLegitimateInterests.set([...vendorInterests])
  for (const vendor of restricted.slice(0, 20))
    model.publisherRestrictions.add(vendor, new PurposeRestriction(4, RestrictionType.NOT_ALLOWED))
  return TCString.encode(model, { isForVendors: true })
}

describe('a TC string', () => {
  it('says what the library of the IAB reads from it', () => {
    fc.assert(
      fc.property(said, (each) => {
        const text = tcStringOf(each)
        const { tcf: read, undecodable } = readConsent({ tcf: text })
        expect([...undecodable]).toEqual([])
        const official = TCString.decode(text)
        const purposes = Array.from({ length: 24 }, (_, at) => at + 1)
        expect(purposes.filter((id) => read?.purposes.has(id))).toEqual(purposes.filter((id) => official.purposeConsents.has(id)))
        expect(purposes.filter((id) => read?.legitimateInterests.has(id))).toEqual(
          purposes.filter((id) => official.purposeLegitimateInterests.has(id)),
        )
        const ids = Array.from({ length: 2100 }, (_, at) => at + 1)
        expect(ids.filter((id) => read?.vendors.has(id))).toEqual(ids.filter((id) => official.vendorConsents.has(id)))
        expect(ids.filter((id) => read?.vendorInterests.has(id))).toEqual(
          ids.filter((id) => official.vendorLegitimateInterests.has(id)),
        )
        const forbidden = official.publisherRestrictions.getVendors(new PurposeRestriction(4, RestrictionType.NOT_ALLOWED))
        expect(ids.filter((id) => read?.forbids(4, id))).toEqual([...forbidden].sort((a, b) => a - b))
      }),
      { numRuns: 60 },
    )
  })

  it.each([
    ['one character', 'C'],
    ['two letters', 'CPx'],
    ['no characters', ''],
    ['version 1', `B${'A'.repeat(60)}`],
    ['a character that base64url does not have', `C${'A'.repeat(60)}=`],
    ['five segments', `C${'A'.repeat(60)}.I.I.I.I`],
    ['too many characters', 'C'.repeat(LONGEST_CONSENT + 1)],
  ])('is refused with %s', (_case, tcf) => {
    expect([...readConsent({ tcf }).undecodable.keys()]).toEqual(['tcf'])
  })
})

/** Sections of the US that the library writes, and their opt-outs. */
const SECTIONS =
  'usnat usca usva usco usut usct usfl usmt usor ustx usde usia usne usnh usnj ustn usmn usmd usin usky usri'.split(' ')
const OPT_OUTS = ['SaleOptOut', 'SharingOptOut', 'TargetedAdvertisingOptOut']

describe('a GPP string', () => {
  it('says what the library of the IAB reads from it', () => {
    const answers = fc.record({
      values: fc.array(fc.constantFrom(0, 1, 2), { minLength: 3, maxLength: 3 }),
      control: fc.boolean(),
    })
    const sections = fc.uniqueArray(fc.constantFrom(...SECTIONS), { maxLength: 8 })
    fc.assert(
      fc.property(sections, fc.array(answers, { minLength: 8, maxLength: 8 }), fc.option(said), (names, given, europe) => {
        const model = new GppModel()
        let optsOut = false
        const set = (name: string, field: string, value: unknown) => {
          if (!model.hasField(name, field)) return false
          model.setFieldValue(name, field, value)
          return true
        }
        for (const [index, name] of names.entries()) {
          const { values = [], control = false } = given[index] ?? {}
          // A section is there once a field of it is written.
          model.setFieldValue(name, 'SaleOptOut', 0)
          for (const [at, field] of OPT_OUTS.entries()) optsOut = (set(name, field, values[at]) && values[at] === 1) || optsOut
          optsOut = (set(name, 'Gpc', control) && control) || optsOut
        }
        if (europe)
          model.setFieldValue(
            'tcfeuv2',
            'PurposeConsents',
            Array.from({ length: 24 }, (_, at) => europe.purposes.includes(at + 1)),
          )
        const { gpp: read, undecodable } = readConsent({ gpp: model.encode() })
        if (names.length === 0 && !europe) return
        expect([...undecodable], model.encode()).toEqual([])
        expect(read?.optsOut).toBe(optsOut)
        expect(read?.tcString && [...read.tcString.purposes].sort()).toEqual(europe ? [...europe.purposes].sort() : undefined)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    ['a range without end', 'DBAB5IpQUQgFJAw~x'],
    ['more sections than its header names', 'DBABLA~CEAgAAAAAABA.QA~1YNN'],
    ['fewer sections than its header names', 'DBABLA'],
    ['a section that ends early', 'DBABLA~C'],
    ['an opt-out that is not defined', 'DBABLA~CEAwAAAAAABA.QA'],
    ['nothing', ''],
    ['another header', 'CBABLA~CEAgAAAAAABA.QA'],
  ])('is refused with %s', (_case, gpp) => {
    expect([...readConsent({ gpp }).undecodable.keys()]).toEqual(['gpp'])
  })
})

describe('a US Privacy string', () => {
  it.each([
    ['1YYN', true],
    ['1YNN', false],
    ['1---', false],
    ['1yyn', true],
  ])('%s', (usPrivacy, optsOut) => {
    expect(readConsent({ usPrivacy }).usPrivacy).toBe(optsOut)
  })
  it.each(['', '1YY', '2YYN', '1YYNN', '1?YN'])('"%s" is refused', (usPrivacy) => {
    expect([...readConsent({ usPrivacy }).undecodable.keys()]).toEqual(['usPrivacy'])
  })
})

/** Looks at nothing but that an answer comes: what expands a range runs out of memory, which no test survives. */
describe('hostile strings', () => {
  it('end in an answer', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[CD][A-Za-z0-9_.~-]{0,400}$/), (text) => {
        const { undecodable } = readConsent({ tcf: text, gpp: text, usPrivacy: text })
        expect(undecodable.has('usPrivacy')).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('of ranges over all vendors are read without being expanded', () => {
    const bits = [
      '000010',
      '0'.repeat(207),
      '1'.repeat(16),
      '1',
      (1000).toString(2).padStart(12, '0'),
      ('1' + '0'.repeat(15) + '1' + '1'.repeat(16)).repeat(1000),
      '0'.repeat(16 + 1 + 12),
    ].join('')
    const text = (bits.match(/.{1,6}/g) ?? [])
      .map((six) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'[Number.parseInt(six.padEnd(6, '0'), 2)])
      .join('')
    const { tcf } = readConsent({ tcf: text })
    expect(tcf?.vendors.has(65_535)).toBe(true)
    expect(tcf?.vendors.has(0)).toBe(false)
  })
})
