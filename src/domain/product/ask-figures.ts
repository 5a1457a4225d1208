import { channelsIn, idsIn } from './brief-channels.ts'

/** Figures of an ask that are written in words. Each pattern reads a text in one pass. */
const NUMBERS: Readonly<Record<string, string>> = {
  ...{ five: '5', ten: '10', fifteen: '15', twenty: '20', thirty: '30', forty: '40' },
  ...{ fifty: '50', sixty: '60', seventy: '70', eighty: '80', ninety: '90' },
}
const NUMBER_WORD = new RegExp(
  `\\b(${Object.keys(NUMBERS).join('|')})(?= (?:percent|per cent|percentage|points?)\\b|\\s?%)`,
  'gi',
)

const PARTS: readonly (readonly [pattern: RegExp, figure: string])[] = [
  [/\btwo[ -]thirds\b/gi, '67%'],
  [/\bthree[ -]quarters\b/gi, '75%'],
  [/\b(?:a|one)[ -]third\b/gi, '33%'],
  [/\b(?:a|one)[ -]quarter\b/gi, '25%'],
  [/\b(?:a|one)[ -]fifth\b/gi, '20%'],
  [/\bto (?:a |one )?half\b/gi, 'to 50%'],
]
const OF_CHANNELS: readonly (readonly [pattern: RegExp, figure: string])[] = [
  [/\bhalf (?:of )?(?:the |our )?(?=budget|money|spend)/gi, '50% of '],
  [/\bhalf (?=(?:on|to|into|for)\b)/gi, '50% '],
  [/\b(?:everything|all (?:of )?(?:the |our )?(?:budget|money|spend)|(?:the |our )whole budget)\b/gi, '100%'],
]

/** The words of German, Norwegian, Swedish and Danish for more and less; Danish "mere" is an English word. */
const CHANGES: Readonly<Record<string, string>> = {
  ...{ mehr: 'more', mer: 'more', flere: 'more', fler: 'more' },
  ...{ weniger: 'less', mindre: 'less', färre: 'less', færre: 'less' },
}
const CHANGE_WORD = new RegExp(`(^|[\\s,;(])(${Object.keys(CHANGES).join('|')})(?=\\s)`, 'gi')
const AND_CHANGE = new RegExp(`\\s(?:und|og|och)\\s(?=(?:${Object.keys(CHANGES).join('|')})\\s)`, 'gi')

/** "mehr Video und weniger Display" as the two clauses that it is, in the buyer's words. */
export function withChangesApart(text: string): string {
  return text.replace(AND_CHANGE, '; ')
}

/** "mehr Video" as "more Video". */
export function withChangeWords(clause: string): string {
  return clause.replace(CHANGE_WORD, (_all, before: string, word: string) => `${before}${CHANGES[word.toLowerCase()] ?? word}`)
}

/** Per cent in one spelling: "20 percent", "twenty per cent". */
export function withPercents(text: string): string {
  return text
    .replace(NUMBER_WORD, (word) => NUMBERS[word.toLowerCase()] ?? word)
    .replace(/(\d)\s?(?:percent|per cent)\b(?! points?\b)/gi, '$1%')
}

/** Figures in words as figures: "10 points", "a third", "to half", and of "half the budget" that goes somewhere. */
export function withFigures(clause: string): string {
  const points = clause.replace(/(\d)\s?(?:percentage |per cent |percent )?(?:points?|pts|pp)\b/gi, '$1%')
  const text = PARTS.reduce((before, [pattern, figure]) => before.replace(pattern, figure), points)
  return channelsIn(text).length + idsIn(text).length === 0
    ? text
    : OF_CHANNELS.reduce((before, [pattern, figure]) => before.replace(pattern, figure), text)
}

/** Whether a figure is a part of the whole budget, not of what the named part has: "20 points more", "20% of the budget". */
export function isOfBudget(written: string): boolean {
  return (
    /\d\s?(?:percentage |per cent |percent )?(?:points?|pts|pp)\b/i.test(written) ||
    /%\s?of (?:the |our )?(?:total |overall |whole )?(?:budget|money|spend|plan)\b/i.test(written)
  )
}

/** How a clause limits a share. */
export interface Bound {
  readonly bound: 'least' | 'most'
  /** In per cent of the budget. */
  readonly percent: number
}

const LEAST = /\b(?:at least|(?:no|not) (?:less|fewer) than|a minimum of|min(?:imum)?)\s?(\d{1,3})\s?%/i
const MOST = /\b(?:at most|(?:no|not) more than|a maximum of|max(?:imum)?)\s?(\d{1,3})\s?%|^\W{0,3}up to\s(\d{1,3})\s?%/i
const OVER = /\b(?:more than|over|above)\s(\d{1,3})\s?%/i
const UNDER = /\b(?:(?:less|fewer) than|under|below)\s(\d{1,3})\s?%/i

/** "at least 30% display", "no more than 40% CTV", "less than 30%": undefined for a clause that limits nothing. */
export function boundOf(clause: string): Bound | undefined {
  const [least, most] = [LEAST.exec(clause), MOST.exec(clause)]
  if (least) return { bound: 'least', percent: Number(least[1]) }
  if (most) return { bound: 'most', percent: Number(most[1] ?? most[2]) }
  const [over, under] = [OVER.exec(clause), UNDER.exec(clause)]
  if (over) return { bound: 'least', percent: Number(over[1]) + 1 }
  return under ? { bound: 'most', percent: Number(under[1]) - 1 } : undefined
}

/** Where a signed figure goes: "+10% display", "display up 10%", "CTV minus 5%"; undefined where the figure has no sign. */
export function signOf(clause: string): 'up' | 'down' | undefined {
  if (/\b(?:up|plus)\s(?:by\s)?\d|\+\s?\d/i.test(clause)) return 'up'
  return /\b(?:down|minus)\s(?:by\s)?\d|(?:^|[^\d%\s]\s)[-\u2212\u2013]\s?\d/i.test(clause.trimStart()) ? 'down' : undefined
}
