import { type RegionMention, regionMentions } from './brief-places.ts'
import { isAloneAt } from './only-places.ts'
import { IS_OUT, NO_ENGLISH, NOT_THERE } from './place-limit-words.ts'

/** What a text says of cities and states, beside that it names them. All are ISO 3166-2, each once. */
export interface RegionLimits {
  /** Outside of which nothing is to run. */
  readonly alone: readonly string[]
  /** In which nothing is to run. */
  readonly not: readonly string[]
  /** The text without what says where nothing is to run. */
  readonly rest: string
}

/** What stands between two places of a list. */
const BETWEEN = /^\s*(?:[,/&+]|(?:,\s*)?\b(?:and|or|und|oder|et|ou|y|och|eller|og)\b)\s*(?:in\s+)?(?:the\s+)?$/i
/** The most characters before a list that are looked at. */
const REACH = 60

/** "exclude California", "not in London", "New York only". Time grows with the length of the text. */
export function regionLimitsIn(text: string): RegionLimits {
  const alone: string[] = []
  const not: string[] = []
  let rest = ''
  let read = 0
  for (const list of listsOf(text)) {
    const regions = list.map(({ region }) => region)
    const [start, end] = [list[0]?.start ?? 0, list.at(-1)?.end ?? 0]
    const before = text.slice(Math.max(read, start - REACH), start)
    const [there] = NOT_THERE.exec(before) ?? NO_ENGLISH.exec(before) ?? []
    const [out] = IS_OUT.exec(text.slice(end, end + 40)) ?? []
    if (there !== undefined || out !== undefined) {
      not.push(...regions)
      rest += `${text.slice(read, start - (there?.length ?? 0))}, `
      read = end + (there === undefined ? (out?.length ?? 0) : 0)
    } else if (isAloneAt(text, { start, end })) alone.push(...regions)
  }
  return { alone: [...new Set(alone)], not: [...new Set(not)], rest: rest + text.slice(read) }
}

function listsOf(text: string): RegionMention[][] {
  const lists: RegionMention[][] = []
  for (const mention of regionMentions(text)) {
    const list = lists.at(-1)
    const last = list?.at(-1)
    const isNext = last !== undefined && mention.start - last.end < 20 && BETWEEN.test(text.slice(last.end, mention.start))
    if (list && isNext) list.push(mention)
    else lists.push([mention])
  }
  return lists
}
