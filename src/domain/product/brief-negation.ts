/** A text of which some parts say what is not wanted. */
export interface SplitBrief {
  /** The text without those parts. */
  readonly wanted: string
  /** Those parts, without the word that negates them: "CTV" of "no CTV". */
  readonly unwanted: readonly string[]
}

/** Words that negate what follows, in English and in the languages that briefs come in. */
const NEGATION =
  /\b(?:no|not|without|except(?: for)?|excluding|exclude|avoid(?:ing)?|never|nothing|instead of|rather than|other than|don['’]t|kein|keine|keinen|ohne|sans|pas d['’e]|sin|senza|geen|zonder|inga|ingen|utan)(?=[\s'’])/giu

/** What is negated and says nothing of media or audiences: "no more than", "not only", "no minimum". */
const NO_EXCLUSION =
  /^\s*(?:(?:any )?(?:more|less|fewer|later|earlier|longer|lower|higher) than|only|just|matter|problem|need|sure|yet|too|limit|minimums?|commitments?|rush|idea|necessarily|restrictions?|waste|wasted)\b/i

/** A clause ends here; only a list goes on over a comma. */
const END = /[.;:!?\n()]|\bbut\b|\bhowever\b|\bplease\b|\bjust\b|\bonly\b|\bsondern\b|\bmais\b|\bpero\b/i

/** Characters that a negation reaches at most: a longer clause is about something else. */
const REACH = 90
/** Words of each part of a negated list: "no TV, radio or podcasts". */
const MOST_LIST_WORDS = 3

/** Takes what is not wanted out of a brief. Time grows with its length. */
export function splitNegations(text: string): SplitBrief {
  const unwanted: string[] = []
  let wanted = ''
  let read = 0
  for (const match of text.matchAll(NEGATION)) {
    const start = match.index
    if (start < read) continue
    const from = start + match[0].length
    const clause = negatedAt(
      text.slice(from, from + REACH).replace(/^\s+(?:about|in|like|on|of)\b/i, (word) => ' '.repeat(word.length)),
    )
    if (clause.trim() === '' || NO_EXCLUSION.test(clause)) continue
    unwanted.push(clause)
    // What was cut out ends a phrase.
    wanted += `${text.slice(read, start)}, `
    read = from + clause.length
  }
  return { wanted: wanted + text.slice(read), unwanted }
}

/** How far a negation reaches: to the next comma, or to the end of a list whose last part follows "or". */
function negatedAt(text: string): string {
  const clause = text.slice(0, END.exec(text)?.index ?? text.length)
  const parts = clause.split(',')
  const last = parts.findIndex(
    (part) => /^\s*(?:or|nor|oder|ou|o|eller)\b/i.test(part) || /\b(?:or|nor|oder|eller)\b/i.test(part),
  )
  const isList = last > 0 && parts.slice(0, last + 1).every((part) => part.trim().split(/\s+/).length <= MOST_LIST_WORDS)
  return parts.slice(0, isList ? last + 1 : 1).join(',')
}

/** The single things of a negated part: "radio or podcasts" are two. */
export function partsOf(unwanted: string): string[] {
  return unwanted.split(/,|\/|&|\b(?:or|nor|and|oder|und|ou|et|och|eller)\b/i)
}
