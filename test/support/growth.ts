/** What made a regular expression take more than in proportion. */
export interface Growth {
  /** The input of `length` characters, in words. */
  readonly input: string
  /** Milliseconds for the shorter and the eight times longer input. */
  readonly shortMs: number
  readonly longMs: number
}

/** Exponential growth shows at a length that everything else passes in no time. */
const SMALL_LENGTHS = [14, 18, 22, 26, 30, 34]
/** Milliseconds that linear work on so few characters never takes: what does is looked at a little longer, before a length at which it would not end. */
const SUSPICIOUS_MS = 0.1
const LONGEST_UNSUSPICIOUS = 26
const LENGTHS = [160, 640, 2_400, 7_200, 20_000]
/** Below it the clock and other work on the machine decide; a square of 20,000 steps takes a hundred times as long. */
const NOTICEABLE_MS = 3
/** Eight times the input costs 8 times in proportion, 64 times by the square. */
const MOST_RATIO = 24
const REPEATS = 5

/** Characters that most classes hold, or end at. */
const COMMON = [
  'a',
  'A',
  '0',
  ' ',
  '\n',
  '\t',
  '.',
  '-',
  '_',
  '/',
  ',',
  '<',
  '>',
  '@',
  ':',
  ';',
  '"',
  "'",
  '\\',
  '=',
  '%',
  '{',
  '[',
  '(',
  '&',
  's',
  'é',
]
const ENDS = ['', '\u0001', ' ', 'a']

/**
 * Runs an expression on inputs that are made to let it try again and again: repeated characters, pairs and literal parts of its own, before them
 * a beginning that may match, behind them an end that does not. Gives what grew more than in proportion, if anything did.
 */
export function findGrowth(expression: RegExp): Growth | undefined {
  // What repeats nothing looks at a bounded number of characters from each place.
  if (!/[*+{]/.test(expression.source)) return undefined
  for (const input of inputsFor(expression)) {
    const found = growthOn(expression, input)
    // Measured again, because other work on the machine may have taken the time.
    if (found && growthOn(expression, input)) return found
  }
  return undefined
}

interface Input {
  readonly start: string
  readonly pump: string
  readonly end: string
}

function* inputsFor({ source }: RegExp): Generator<Input> {
  const literals = literalsOf(source)
  const own = [...new Set(literals.join(''))].filter((character) => !COMMON.includes(character))
  const characters = [...COMMON, ...own]
  const pairs = characters.slice(0, 16).flatMap((a) => ['a', '.', ' ', '-', '0'].filter((b) => b !== a).map((b) => a + b))
  const pumps = [
    ...new Set([
      ...characters,
      ...pairs,
      ...repeatedIn(source),
      ...literals.filter((text) => text.length > 1).flatMap((text) => [text, `${text} `]),
    ]),
  ]
  const starts = ['', 'a', ...literals.slice(0, 2)]
  for (const pump of pumps) for (const start of starts) for (const end of ENDS) yield { start, pump, end }
}

/** Runs of plain characters in a source, escapes resolved. */
function literalsOf(source: string): string[] {
  const plain = source.replace(/\\[dDwWsSbBpPuxk](?:\{[^}]*\})?/g, '|').replace(/\[(?:\\.|[^\]\\])*\]/g, '|')
  const texts = plain.replace(/\\(.)/g, '$1\u0000').split(/[|()?*+^$.{}[\]]/)
  return [...new Set(texts.map((text) => text.replaceAll('\u0000', '')).filter((text) => text !== ''))]
}

/** Members of each class that texts of a repeated group are made of, one after another. */
const MEMBERS_TRIED = 6
/** A group without groups inside, and what repeats it. */
const REPEATED_GROUP = /\((?:\?:)?((?:\\.|\[(?:\\.|[^\]\\])*\]|[^()[\\])*)\)(?:[+*]|\{\d+,?\d*\})/g
/** A class, an escape or a character, and how often it stands at least. */
const ATOM = /(\[(?:\\.|[^\]\\])*\]|\\[pPu](?:\{[^}]*\}|\w{4}|\w)|\\.|[^|])(?:\{(\d+)[^}]*\}|[+*?])?/gu
const OF_ESCAPES: Readonly<Record<string, string>> = { d: '1', s: ' ', w: 'a', p: 'a', D: 'a', S: 'a', W: ' ', b: '', B: '' }

/** Texts that a repeated group of a source matches, as ",111" of `(?:[, ]\d{3})+`. */
function repeatedIn(source: string): string[] {
  const alternatives = [...source.matchAll(REPEATED_GROUP)].flatMap(([, body = '']) => body.split('|'))
  return alternatives
    .flatMap((body) => Array.from({ length: MEMBERS_TRIED }, (_, member) => sampleOf(body, member)))
    .filter((text) => text.length > 1)
}

function sampleOf(body: string, member: number): string {
  return [...body.matchAll(ATOM)].map(([, atom = '', count = '1']) => ofAtom(atom, member).repeat(Number(count))).join('')
}

function ofAtom(atom: string, member: number): string {
  if (atom.startsWith('[^')) return 'a'
  if (atom.startsWith('[')) {
    const members = atom.slice(1, -1).match(/\\[pu](?:\{[^}]*\}|\w{4})|\\.|[^\\]/gu) ?? []
    return ofAtom(members[member % Math.max(1, members.length)] ?? '', member)
  }
  if (/^\\u\w{4}$/.test(atom)) return String.fromCharCode(Number.parseInt(atom.slice(2), 16))
  const escaped = atom.startsWith('\\') ? atom.charAt(1) : undefined
  return escaped === undefined ? atom : (OF_ESCAPES[escaped] ?? escaped)
}

function growthOn(expression: RegExp, input: Input): Growth | undefined {
  const whole = globally(expression)
  let small = 0
  for (const length of SMALL_LENGTHS) {
    small = timeOf(whole, textOf(input, length), 1)
    if (small > NOTICEABLE_MS && timeOf(whole, textOf(input, length), 3) > NOTICEABLE_MS)
      return { input: described(input, length), shortMs: 0, longMs: small }
    if (small < SUSPICIOUS_MS && length >= LONGEST_UNSUSPICIOUS) break
  }
  // From short to long, so that what grows by the square, or worse, is found before it takes seconds.
  for (const length of LENGTHS) {
    const longMs = timeOf(whole, textOf(input, length), 2)
    if (longMs < NOTICEABLE_MS) continue
    const shortMs = timeOf(whole, textOf(input, length / 8), 4 * REPEATS)
    const again = timeOf(whole, textOf(input, length), REPEATS)
    if (Math.min(longMs, again) > MOST_RATIO * shortMs) return { input: described(input, length), shortMs, longMs }
  }
  return undefined
}

/** With every match looked for, as `replaceAll`, `split` and `match` do; an anchored expression is tried once all the same. */
function globally({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace('g', '')}g`)
}

function textOf({ start, pump, end }: Input, length: number): string {
  return start + pump.repeat(Math.ceil(length / pump.length)) + end
}

function timeOf(expression: RegExp, text: string, repeats: number): number {
  return bestOf(() => {
    expression.lastIndex = 0
    return text.replace(expression, '')
  }, repeats)
}

function described({ start, pump, end }: Input, length: number): string {
  return `${JSON.stringify(start)} + ${JSON.stringify(pump)} × ${Math.ceil(length / pump.length)} + ${JSON.stringify(end)}`
}

/**
 * The longer input is 32 times the shorter: work in proportion costs about 32 times as much, up to 140 times where the larger data leaves the
 * processor's cache or V8 changes its form of an object (beyond 1,020 members); the square costs 1,024 times as much.
 */
const SIZES_APART = 32
const MOST_RATIO_OF_WORK = 300
const ATTEMPTS = 3

/**
 * Whether work takes more than in proportion, by processor time, best of several runs, in each of three attempts. `make` gives the input of a
 * size, which is not counted; `size` is that of the longer input.
 */
export function growsTooFast<T>(make: (size: number) => T, work: (input: T) => unknown, size: number): boolean {
  const [short, long] = [make(size / SIZES_APART), make(size)]
  bestOf(() => work(short), 2 * REPEATS)
  return Array.from({ length: ATTEMPTS }).every(() => {
    const longMs = bestOf(() => work(long), REPEATS)
    return longMs > NOTICEABLE_MS && longMs > MOST_RATIO_OF_WORK * bestOf(() => work(short), 4 * REPEATS)
  })
}

/** Processor time in milliseconds, best of several: what else the machine does meanwhile does not count. */
function bestOf(work: () => unknown, repeats: number): number {
  let best = Number.POSITIVE_INFINITY
  for (let repeat = 0; repeat < repeats; repeat++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}
