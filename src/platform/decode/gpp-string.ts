import { ConsentBits, ConsentUndecodable } from './consent-bits.ts'
import { readTcString, type TcString } from './tc-string.ts'

/** What a GPP string says that this program reads (IAB Global Privacy Platform 1.1). */
export interface GppString {
  /** The TC string of the section for Europe. */
  readonly tcString?: TcString
  /** Whether a section of the US or of its states has an opt-out of sale, sharing or targeted advertising, or a Global Privacy Control. */
  readonly optsOut: boolean
}

const HEADER_TYPE = 3
const VERSION = 1
/** Ids of sections are below this; the highest that is registered is 27. */
const HIGHEST_ID = 4095
const EUROPE = 2
const US_PRIVACY = 6

/** Where a section of the US has its opt-outs: values of two bits, in bits from its beginning. */
interface OptOutPlaces {
  readonly first: number
  readonly count: 2 | 3
  /** Whether a second segment has a Global Privacy Control. */
  readonly hasControl: boolean
}
const place = (first: number, { count = 2, hasControl = true }: Partial<Omit<OptOutPlaces, 'first'>> = {}): OptOutPlaces => ({
  first,
  count,
  hasControl,
})

/** Sections by their ids (IAB, "Section Information", and the specification of each section). */
const US_SECTIONS: ReadonlyMap<number, OptOutPlaces> = new Map([
  // The US as a whole: sale, sharing, targeted advertising. California: sale and sharing. All others: sale and targeted advertising.
  [7, place(18, { count: 3 })],
  [8, place(12)],
  // Virginia, Colorado, Utah, Connecticut, Florida, Montana, Oregon, Texas.
  [9, place(12, { hasControl: false })],
  [10, place(12)],
  [11, place(14, { hasControl: false })],
  [12, place(12)],
  [13, place(12, { hasControl: false })],
  [14, place(12)],
  [15, place(12)],
  [16, place(12)],
  // Delaware, Iowa, Nebraska, New Hampshire, New Jersey, Tennessee, Minnesota.
  [17, place(12)],
  [18, place(14)],
  [19, place(12)],
  [20, place(12)],
  [21, place(12)],
  [22, place(12)],
  [23, place(12)],
  // Maryland, Indiana, Kentucky, Rhode Island.
  [24, place(16)],
  [25, place(16, { hasControl: false })],
  [26, place(16, { hasControl: false })],
  [27, place(16, { hasControl: false })],
])

/** Reads a GPP string in time linear in its length: ranges of ids are never longer than the sections that follow. Throws {@link ConsentUndecodable}. */
export function readGppString(text: string): GppString {
  const [header = '', ...sections] = text.split('~')
  const ids = readHeader(header, sections.length)
  let tcString: TcString | undefined
  let optsOut = false
  for (const [index, section] of sections.entries()) {
    const id = ids[index] ?? 0
    if (id === EUROPE) tcString = readTcString(section)
    if (id === US_PRIVACY) optsOut = readUsPrivacy(section) || optsOut
    const places = US_SECTIONS.get(id)
    if (places) optsOut = hasOptOut(section, places) || optsOut
  }
  return { ...(tcString && { tcString }), optsOut }
}

/** Whether a US Privacy string has an opt-out of sale (IAB CCPA, "U.S. Privacy String" 1.0). Throws {@link ConsentUndecodable}. */
export function readUsPrivacy(text: string): boolean {
  if (!/^1[YN-]{3}$/i.test(text)) throw new ConsentUndecodable('it is not 1 and three of Y, N and -')
  return text[2]?.toUpperCase() === 'Y'
}

/** The ids of the sections: as many as there are sections, in ascending order. */
function readHeader(header: string, sections: number): readonly number[] {
  const bits = new ConsentBits(header)
  if (bits.read(6) !== HEADER_TYPE || bits.read(6) !== VERSION) throw new ConsentUndecodable('its header is not of GPP 1')
  const ids: number[] = []
  let id = 0
  for (let left = bits.read(12); left > 0; left -= 1) {
    const isRange = bits.read(1) === 1
    id += bits.readFibonacci(HIGHEST_ID)
    const last = isRange ? id + bits.readFibonacci(HIGHEST_ID) : id
    if (ids.length + last - id + 1 > sections) throw new ConsentUndecodable('its header names more sections than follow')
    for (; id < last; id += 1) ids.push(id)
    ids.push(id)
  }
  if (ids.length < sections) throw new ConsentUndecodable('it has more sections than its header names')
  return ids
}

function hasOptOut(section: string, { first, count, hasControl }: OptOutPlaces): boolean {
  const [core = '', ...others] = section.split('.')
  const bits = new ConsentBits(core)
  bits.skip(first)
  const answers = Array.from({ length: count }, () => bits.read(2))
  if (answers.includes(3)) throw new ConsentUndecodable('an opt-out has a value that is not defined')
  const controls = others.map((segment) => isControl(new ConsentBits(segment)))
  return answers.includes(1) || (hasControl && controls.includes(true))
}

/** A segment of type 1 whose one value is set. */
function isControl(bits: ConsentBits): boolean {
  return bits.read(2) === 1 && bits.read(1) === 1
}
