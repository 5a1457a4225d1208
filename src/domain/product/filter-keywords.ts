import { beginningOf } from '../normal-text.ts'
import { stem, wordsOf } from './brief-terms.ts'
import { type FilterWork, filterWork } from './filter-work.ts'

/** Characters of a keyword that are read: more than any that is bid on. */
const MOST_KEYWORD = 500
/** What a search within a keyword costs, in comparisons. */
const PHRASE_WORK = 10

interface WantedKeyword {
  readonly keyword: string
  readonly match_type?: string
}

/** A product's keywords as they are compared. */
interface OwnKeywords {
  readonly whole: ReadonlySet<string>
  readonly stems: ReadonlySet<string>
}

type Taken = (own: OwnKeywords) => boolean

/**
 * A test for the keywords of a product: each wanted one has to fit. `exact` is one of the product's keywords, `phrase` holds one in order, `broad` shares a
 * word with one. What is wanted is read once, the same keyword once, and a product's keywords once; of a very long keyword only the beginning. Throws
 * INVALID_REQUEST when the comparisons are more than one call may ask for.
 */
export function keywordsTest(wanted: readonly WantedKeyword[]): (own: readonly string[]) => boolean {
  const spend = filterWork('keywords', 'keywords')
  const tests = new Map<string, Taken>()
  for (const { keyword, match_type: kind = 'broad' } of wanted) {
    const text = beginningOf(keyword.trim(), MOST_KEYWORD).toLowerCase()
    const key = `${kind} ${text}`
    if (!tests.has(key)) tests.set(key, takes(kind, text, spend))
  }
  const all = [...tests.values()]
  const answers = new WeakMap<readonly string[], boolean>()
  return (keywords) => {
    const known = answers.get(keywords)
    if (known !== undefined) return known
    const own = ownKeywords(keywords)
    const answer = all.every((taken) => taken(own))
    answers.set(keywords, answer)
    return answer
  }
}

function takes(kind: string, text: string, spend: FilterWork): Taken {
  if (kind === 'exact')
    return ({ whole }) => {
      spend(1)
      return whole.has(text)
    }
  if (kind === 'phrase')
    return ({ whole }) => {
      spend(PHRASE_WORK * whole.size)
      for (const candidate of whole) if (` ${text} `.includes(` ${candidate} `)) return true
      return false
    }
  const stems = [...new Set(wordsOf(text).map(stem))]
  return (own) => {
    spend(stems.length)
    return stems.some((each) => own.stems.has(each))
  }
}

function ownKeywords(keywords: readonly string[]): OwnKeywords {
  const whole = new Set(keywords.map((keyword) => keyword.toLowerCase()))
  return { whole, stems: new Set([...whole].flatMap((keyword) => wordsOf(keyword).map(stem))) }
}
