import { createHash } from 'node:crypto'
import { raw } from '../../tools/fuzz/hostile-values.ts'
import { consentRanges, gppOfLargeRange } from './consent-texts.ts'
import type { Kind, Place } from './places.ts'

/** A way to make something large. */
export interface Pattern {
  readonly name: string
  /** A value of size `n`: characters, items, members or digits. */
  readonly fill: (n: number, place: Pick<Place, 'item'>) => unknown
}

const repeated = (unit: string) => (n: number) => unit.repeat(Math.ceil(n / unit.length)).slice(0, n)
const between = (start: string, unit: string, end: string) => (n: number) =>
  start + repeated(unit)(Math.max(0, n - start.length - end.length)) + end
const each = <Item>(n: number, item: (index: number) => Item): Item[] => Array.from({ length: n }, (_, index) => item(index))
const named = (n: number, name: (index: number) => string, value: (index: number) => unknown = () => 1) =>
  Object.fromEntries(each(n, (index) => [name(index), value(index)]))

/** An item with other ids: those of things that the buyer does not have. */
function withIds(item: unknown, idOf: (id: string) => string): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return typeof item === 'string' ? idOf(item) : item
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, name.endsWith('_id') && typeof value === 'string' ? idOf(value) : value]),
  )
}

/** What regular expressions, parsers, normalisation, escaping and look-ups of texts are slow at. */
const TEXTS: readonly Pattern[] = [
  { name: 'letters', fill: repeated('a') },
  { name: 'spaces between letters', fill: between('a', ' ', 'b') },
  { name: 'opening angles', fill: repeated('<') },
  { name: 'opening tags', fill: repeated('<head ') },
  { name: 'nested elements', fill: repeated('<a>') },
  { name: 'at signs', fill: between('', 'a@', '!') },
  { name: 'labels of a host', fill: between('https://', 'a.', 'example/x') },
  { name: 'path upwards', fill: between('https://a.example/', 'a/../', 'x') },
  { name: 'parameters of an address', fill: between('https://a.example/?', 'a=1&', 'b=2') },
  { name: 'percent signs', fill: repeated('%41%') },
  { name: 'character references', fill: repeated('&#115;') },
  { name: 'beginnings of tokens', fill: repeated('eyJ.') },
  { name: 'quotes and backslashes', fill: repeated('"\\') },
  { name: 'macros', fill: repeated('{CLICK_URL}[CACHEBUSTER]%%x%%') },
  { name: 'letters that normalise to many', fill: repeated('\ufdfa') },
  { name: 'marks upon one letter', fill: between('a', '\u0301\u0327', '') },
  { name: 'pairs of surrogates', fill: repeated('👍') },
  { name: 'digits', fill: between('1', '1', 'x') },
  { name: 'groups of digits', fill: repeated('111 ') },
  { name: 'commas', fill: repeated('a,') },
  { name: 'line ends', fill: repeated('a\r\n') },
  { name: 'JSON of lists', fill: (n) => '['.repeat(n / 2) + ']'.repeat(n / 2) },
  {
    name: 'JSON of members',
    fill: (n) => JSON.stringify(named(Math.max(1, Math.floor(n / 14)), (index) => `k${index}`)).slice(0, n),
  },
  {
    name: 'words',
    fill: (n) =>
      each(Math.ceil(n / 7), (index) => `w${index}`)
        .join(' ')
        .slice(0, n),
  },
  { name: 'escaped dots', fill: between('a', '-.', '-') },
  {
    name: 'noise in base64',
    fill: (n) =>
      createHash('sha256')
        .update(String(n))
        .digest('base64url')
        .repeat(Math.ceil(n / 43))
        .slice(0, n),
  },
  { name: 'ranges of consent', fill: consentRanges },
  { name: 'large number in a consent section', fill: gppOfLargeRange },
]

const LISTS: readonly Pattern[] = [
  { name: 'items that differ', fill: (n, { item }) => each(n, item) },
  { name: 'the same item', fill: (n, { item }) => each(n, () => item(0)) },
  { name: 'empty objects', fill: (n) => each(n, () => ({})) },
  { name: 'numbers', fill: (n) => each(n, () => 1) },
  { name: 'null', fill: (n) => each(n, () => null) },
  { name: 'empty lists', fill: (n) => each(n, () => []) },
  { name: 'texts that differ', fill: (n) => each(n, (index) => `t${index}`) },
  { name: 'long texts with a common start', fill: (n) => each(n, (index) => `${'a'.repeat(200)}${index}`) },
  { name: 'objects of an unknown member', fill: (n) => each(n, (index) => ({ [`unknown${index % 100}`]: index })) },
  { name: 'items of unknown ids', fill: (n, { item }) => each(n, (index) => withIds(item(index), (id) => `zzz${index}${id}`)) },
  {
    name: 'items of ids near known ones',
    fill: (n, { item }) => each(n, (index) => withIds(item(index), (id) => `${id}${index}`)),
  },
  { name: 'items that end differently', fill: (n, { item }) => [...each(Math.max(0, n - 1), item), { last: 1 }] },
]

const MAPS: readonly Pattern[] = [
  { name: 'names that differ', fill: (n, { item }) => named(n, (index) => `k${index}`, item) },
  { name: 'descending numbers as names', fill: (n, { item }) => named(n, (index) => String(1_000_000 - index), item) },
  { name: 'long names with a common start', fill: (n) => named(n, (index) => `${'a'.repeat(200)}${index}`) },
  { name: 'names of other scripts', fill: (n) => named(n, (index) => `Kéy\ufdfa ${index}`) },
  { name: 'names that are escaped in pointers', fill: (n) => named(n, (index) => `~/${index}~1`) },
  { name: 'names like those of credentials', fill: (n) => named(n, (index) => `api_${index}_tok`) },
  { name: 'names near a known one', fill: (n) => named(n, (index) => `product_i${index}`) },
  { name: 'one name of as many characters', fill: (n) => ({ ['\ufdfa'.repeat(n)]: 1 }) },
  {
    name: 'empty objects',
    fill: (n) =>
      named(
        n,
        (index) => `k${index}`,
        () => ({}),
      ),
  },
  { name: 'one inside the other', fill: (n) => each(Math.min(n, 60), () => 0).reduce<unknown>((inner) => ({ a: inner }), 1) },
]

const NUMBERS: readonly Pattern[] = [
  { name: 'digits', fill: (n) => raw('1'.repeat(n)) },
  { name: 'digits behind the point', fill: (n) => raw(`0.${'1'.repeat(n)}`) },
  { name: 'digits of the exponent', fill: (n) => raw(`1e-${'1'.repeat(n)}`) },
  { name: 'a power of ten', fill: (n) => 10 ** Math.min(15, Math.floor(Math.log2(n + 1))) },
  { name: 'the largest integers', fill: (n) => Number.MAX_SAFE_INTEGER - n },
  { name: 'a negative number', fill: (n) => -n },
  { name: 'as many', fill: (n) => n },
  { name: 'digits in a text', fill: (n) => '1'.repeat(n) },
]

/** Sizes of which a text is kept: places of a kind have few bounds. */
const SIZES_KEPT = 8

/** A pattern that makes the text of a size once: thousands of places have the same bound. */
function remembering({ name, fill }: Pattern): Pattern {
  const made = new Map<number, unknown>()
  return {
    name,
    fill: (n, place) => {
      if (made.size > SIZES_KEPT) made.clear()
      const text = made.get(n) ?? fill(n, place)
      made.set(n, text)
      return text
    },
  }
}

/** The patterns of each kind of place. */
export const PATTERNS: Readonly<Record<Kind, readonly Pattern[]>> = {
  text: TEXTS.map(remembering),
  list: LISTS,
  map: MAPS,
  number: NUMBERS,
}
