import { ConsentBits, ConsentUndecodable } from './consent-bits.ts'

/** Vendors that a TC string names. Ranges stay ranges. */
export interface VendorSet {
  has(vendorId: number): boolean
}

/** What a TC string says that this program reads (IAB TCF, "Consent string and vendor list formats" v2, the core segment). Purposes are numbered from 1. */
export interface TcString {
  /** Purposes with the user's consent. */
  readonly purposes: ReadonlySet<number>
  /** Purposes for which a legitimate interest was made transparent. */
  readonly legitimateInterests: ReadonlySet<number>
  readonly vendors: VendorSet
  readonly vendorInterests: VendorSet
  /** Whether the publisher lets a vendor do nothing for a purpose (restriction type 0). */
  forbids(purpose: number, vendorId: number): boolean
  /** Whether the publisher wants a vendor's consent for a purpose (restriction type 1). */
  requiresConsent(purpose: number, vendorId: number): boolean
}

const VERSION = 2
/** Bits between the version and the purposes: dates, consent platform, language, list, policy, stacks, special features. */
const BEFORE_PURPOSES = 146
const PURPOSES = 24
/** Purpose one treatment, country of the publisher. */
const AFTER_PURPOSES = 13
/** Core, disclosed vendors, allowed vendors, publisher's purposes. */
const MOST_SEGMENTS = 4
const FORBIDDEN = 0
const NEEDS_CONSENT = 1

/** Reads a TC string in one pass, in time and memory linear in its length. Throws {@link ConsentUndecodable}, also for version 1, which ended in 2020. */
export function readTcString(text: string): TcString {
  const [core = '', ...others] = text.split('.', MOST_SEGMENTS + 1)
  if (others.length >= MOST_SEGMENTS) throw new ConsentUndecodable(`it has more than ${MOST_SEGMENTS} segments`)
  // Their vendors do not count here; that they are base64url does.
  for (const segment of others) new ConsentBits(segment)
  const bits = new ConsentBits(core)
  if (bits.read(6) !== VERSION) throw new ConsentUndecodable(`it is not of version ${VERSION}`)
  bits.skip(BEFORE_PURPOSES)
  const [purposes, legitimateInterests] = [readPurposes(bits), readPurposes(bits)]
  bits.skip(AFTER_PURPOSES)
  const [vendors, vendorInterests] = [readVendors(bits), readVendors(bits)]
  const restrictions = readRestrictions(bits)
  const restricts = (kind: number) => (purpose: number, vendorId: number) =>
    restrictions.some((each) => each.kind === kind && each.purpose === purpose && each.vendors.has(vendorId))
  return {
    purposes,
    legitimateInterests,
    vendors,
    vendorInterests,
    forbids: restricts(FORBIDDEN),
    requiresConsent: restricts(NEEDS_CONSENT),
  }
}

function readPurposes(bits: ConsentBits): ReadonlySet<number> {
  const purposes = new Set<number>()
  for (let purpose = 1; purpose <= PURPOSES; purpose += 1) if (bits.read(1) === 1) purposes.add(purpose)
  return purposes
}

/** The highest id, then a bit for each vendor or ranges. */
function readVendors(bits: ConsentBits): VendorSet {
  const highest = bits.read(16)
  if (bits.read(1) === 1) return readRanges(bits)
  const start = bits.at
  bits.skip(highest)
  return { has: (vendorId) => vendorId >= 1 && vendorId <= highest && bits.bitAt(start + vendorId - 1) === 1 }
}

function readRanges(bits: ConsentBits): VendorSet {
  const ranges: (readonly [first: number, last: number])[] = []
  for (let left = bits.read(12); left > 0; left -= 1) {
    const isRange = bits.read(1) === 1
    const first = bits.read(16)
    const last = isRange ? bits.read(16) : first
    if (last < first) throw new ConsentUndecodable('a range of vendors ends before it begins')
    ranges.push([first, last])
  }
  return { has: (vendorId) => ranges.some(([first, last]) => first <= vendorId && vendorId <= last) }
}

function readRestrictions(bits: ConsentBits) {
  const restrictions: { readonly purpose: number; readonly kind: number; readonly vendors: VendorSet }[] = []
  for (let left = bits.read(12); left > 0; left -= 1)
    restrictions.push({ purpose: bits.read(6), kind: bits.read(2), vendors: readRanges(bits) })
  return restrictions
}
