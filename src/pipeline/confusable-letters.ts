/**
 * Letters of other scripts and phonetic letters that are drawn like a Latin letter and that no compatibility decomposition resolves (the lower-case
 * part of UTS #39 confusables).
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑᴀ',
  b: 'ьвʙƅᏏ',
  c: 'сϲᴄⲥ',
  d: 'ԁᏧᴅժ',
  e: 'еҽєεᴇ',
  f: 'ꬵքẝ',
  g: 'ɡᶃցɢ',
  h: 'һհᏂʜн',
  i: 'іɩɪιı',
  j: 'јϳᴊ',
  k: 'кκᴋⲕ',
  l: 'ӏʟǀ',
  m: 'мᴍꮇ',
  n: 'ոռɴп',
  o: 'оοσᴏօⲟ',
  p: 'рρᴘⲣ',
  q: 'ԛգզ',
  r: 'гᴦʀꭇ',
  s: 'ѕꜱƽꮪ',
  t: 'тτᴛⲧ',
  u: 'υսᴜʋ',
  v: 'ѵνᴠꮩ',
  w: 'ѡԝɯᴡ',
  x: 'хχⲭ',
  y: 'уүყʏγ',
  z: 'ᴢꮓʐ',
}

const LATIN: ReadonlyMap<string, string> = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((other) => [other.toLowerCase(), latin] as const)),
)

/** Lower-case text with every look-alike of a Latin letter replaced by that letter. */
export function withLatinLetters(text: string): string {
  return Array.from(text, (letter) => LATIN.get(letter) ?? letter).join('')
}
