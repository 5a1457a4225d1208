const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Bits before the purposes of a TC string, of both kinds of purposes, and of what stands before its vendors (see tc-string.ts). */
const BEFORE_VENDORS = 146 + 24 + 24 + 13
/** Ranges that one list of vendors may have (12 bits). */
const MOST_RANGES = 4095

const bitsOf = (value: number, count: number) => value.toString(2).padStart(count, '0')

function base64url(bits: string): string {
  let text = ''
  for (let at = 0; at < bits.length; at += 6) text += ALPHABET[Number.parseInt(bits.slice(at, at + 6).padEnd(6, '0'), 2)]
  return text
}

/** A TC string of some `n` characters whose vendors are ranges of all ids (IAB TCF, "Consent string and vendor list formats" v2). */
export function consentRanges(n: number): string {
  const ranges = Math.min(MOST_RANGES, Math.max(1, Math.floor(((n - 40) * 6) / 33)))
  const vendors = `${bitsOf(65_535, 16)}1${bitsOf(ranges, 12)}${`1${bitsOf(1, 16)}${bitsOf(65_535, 16)}`.repeat(ranges)}`
  return base64url(`${bitsOf(2, 6)}${'0'.repeat(BEFORE_VENDORS)}${vendors}${bitsOf(0, 17)}${bitsOf(0, 12)}`)
}

/** A GPP string of some `n` characters whose header names a range that ends at a Fibonacci number of as many bits (IAB GPP 1.1). */
export function gppOfLargeRange(n: number): string {
  const number = `${'0'.repeat(Math.max(1, n - 8) * 6)}11`
  return `${base64url(`${bitsOf(3, 6)}${bitsOf(1, 6)}${bitsOf(1, 12)}1${'11'}${number}`)}~x`
}
