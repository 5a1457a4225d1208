import { createRequire } from 'node:module'
import { withoutMarks } from '../domain/normal-text.ts'

/** Phonetic letters, small capitals and letters of other scripts that are drawn like a Latin letter and that UTS #39 compares with another one of them, or with none. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'ᴀ',
  b: 'ьвʙƅ',
  d: 'ᴅժ',
  e: 'єεᴇ',
  g: 'ɢ',
  h: 'ʜн',
  j: 'ᴊ',
  k: 'кκᴋⲕĸ',
  l: 'ӏʟ',
  m: 'мᴍꮇʍ',
  n: 'ɴпπ',
  p: 'ᴘ',
  r: 'ʀ',
  t: 'тτᴛⲧ',
  x: 'χⲭ',
}

/** What each letter is drawn like, made when a name has another letter than those of ASCII for the first time: most processes meet none. */
const latinLetters = onceMade((): ReadonlyMap<string, string> => {
  const confusables: Readonly<Record<string, string>> = createRequire(import.meta.url)('unhomoglyph/data.json')
  return new Map([
    ...Object.entries(confusables).flatMap(([other, drawn]): [string, string][] => {
      // What ASCII characters are like (`m` like `rn`) makes other words of ordinary ones.
      const latin = other > '\x7f' ? withoutMarks(drawn) : ''
      return /^[a-z]{1,3}$/.test(latin) ? [[other, latin]] : []
    }),
    ...Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((other): [string, string] => [other, latin])),
  ])
})

function onceMade<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Lower-case text with every look-alike of a Latin letter (Unicode's confusables, UTS #39) replaced by that letter. */
export function withLatinLetters(text: string): string {
  return Array.from(text, latinOf).join('')
}

/** A capital may be drawn like a letter that its small form is not: Greek Η. */
function latinOf(letter: string): string {
  const lower = letter.toLowerCase()
  if (letter <= '\x7f') return lower
  const latin = latinLetters()
  const [own, small] = [latin.get(letter), latin.get(lower)]
  const drawn = own ?? small ?? lower
  // A small capital is another letter yet.
  return latin.get(drawn) ?? drawn
}
