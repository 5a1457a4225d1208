/** AdCP core/targeting.json, `keyword_targets`: `exact` is the whole phrase, `phrase`, `broad` and none a part of it. */
export interface KeywordRule {
  readonly keyword: string
  readonly match_type?: string
}

/** Whether one of some keywords fits the words of a page or a search. */
export type KeywordTest = (words: ReadWords) => boolean

/** Comparisons with each word, for texts of one length, after which all parts of that length are listed instead. */
const FEW = 16
/** Characters of a word beyond which its parts are not listed: their number grows with its length, and so does the length of each. */
const LONG = 300

/** Compiles keywords. Words are compared, not meanings. The answer for one list of words is worked out once, however many places ask. */
export function keywordTest(rules: readonly KeywordRule[]): KeywordTest {
  const texts = rules.map(({ keyword, match_type }) => ({ text: keyword.toLowerCase(), isExact: match_type === 'exact' }))
  const answers = new WeakMap<ReadWords, boolean>()
  return (words) => {
    const known = answers.get(words)
    if (known !== undefined) return known
    const answer = texts.some(({ text, isExact }) => (isExact ? words.whole.has(text) : words.contains(text)))
    answers.set(words, answer)
    return answer
  }
}

/** The words of one request, read for every package that asks. */
export interface ReadWords {
  readonly whole: ReadonlySet<string>
  /** Whether a text is a part of one of the words. */
  readonly contains: (text: string) => boolean
}

/** Reads words, in any letter case: the work of all tests grows with the words plus the keywords, not with their product. */
export function readWords(given: readonly string[]): ReadWords {
  const words = given.map((word) => word.toLowerCase())
  const asked = new Map<number, number>()
  const parts = new Map<number, ReadonlySet<string>>()
  const longest = words.reduce((most, { length }) => Math.max(most, length), 0)
  const contains = (text: string): boolean => {
    const { length } = text
    if (length > longest) return false
    const times = (asked.get(length) ?? 0) + 1
    asked.set(length, times)
    if (times <= FEW || longest > LONG) return words.some((word) => word.includes(text))
    const listed = parts.get(length) ?? partsOf(words, length)
    parts.set(length, listed)
    return listed.has(text)
  }
  return { whole: new Set(words), contains }
}

function partsOf(words: readonly string[], length: number): ReadonlySet<string> {
  const parts = new Set<string>()
  for (const word of words) for (let at = 0; at + length <= word.length; at += 1) parts.add(word.slice(at, at + length))
  return parts
}
