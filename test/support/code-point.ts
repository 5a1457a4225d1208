import fc from 'fast-check'

const SURROGATES = 0x800

/** Any character of Unicode: as `unit: 'binary'` of fast-check, which takes a second to look at each of them once. */
export const codePoint = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + SURROGATES))
