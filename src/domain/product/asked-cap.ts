import type { FrequencyCap } from './targeting-overlay.ts'

const NUMBERS: Readonly<Record<string, number>> = { once: 1, one: 1, twice: 2, two: 2, three: 3, four: 4, five: 5, six: 6 }

/** Windows in the units of core/duration.json, which has no weeks. */
const WINDOWS: Readonly<Record<string, { readonly interval: number; readonly unit: 'hours' | 'days' }>> = {
  hour: { interval: 1, unit: 'hours' },
  day: { interval: 1, unit: 'days' },
  week: { interval: 7, unit: 'days' },
  month: { interval: 30, unit: 'days' },
}

/** "three a day", "max 3 per user per week"; not of reports and of money. */
const CAP =
  /(?<!report(?:s|ing)? |usd |eur |gbp |[$€£\d.,])\b(once|twice|one|two|three|four|five|six|\d{1,2})(?: times| impressions| views|x)?(?: per (?:user|person|viewer|device|visitor|head|consumer|individual|customer|household|home|account))?(?: (?:a|per|each|every) | ?\/ ?)(hour|day|week|month)\b/gi

/** The first figure of a cap in a text, as it is written; undefined: none. */
export function capFigureIn(text: string): string | undefined {
  return text.match(CAP)?.[0]
}

/** A text without its caps in figures. */
export function withoutCapFigure(text: string): string {
  return text.replace(CAP, ' ')
}

/**
 * The cap that a text names, of devices, which every ad server that caps can count; undefined where it names none, several, or one per household. Time grows with the length of
 * the text.
 */
export function capIn(text: string): FrequencyCap | undefined {
  const [found, ...more] = [...text.matchAll(CAP)]
  if (!found || more.length > 0 || /\bper (?:household|home|account)\b/i.test(text)) return undefined
  const [, count = '', window = ''] = found
  const most = NUMBERS[count.toLowerCase()] ?? Number(count)
  const of = WINDOWS[window.toLowerCase()]
  return most > 0 && of ? { max_impressions: most, per: 'devices', window: { ...of } } : undefined
}

/** "no frequency cap", "drop the cap"; not "no cap on the budget". */
const NO_CAP =
  /\b(?:no|without|remove|drop|lift|delete|cancel|take off)\s(?:the |any |a |its |our |that )?(?:frequency[ -]?)?cap(?:s|ping)?(?![\p{L}\p{N}]|\son\b)/iu

/** A text without its wish to have no cap; undefined: it has no such wish. */
export function withoutNoCap(text: string): string | undefined {
  return NO_CAP.test(text) ? text.replace(NO_CAP, ' ') : undefined
}

/** Of products, of which none sets a cap. */
export const UNCAPPED = 'no frequency cap: a package has one only where its targeting_overlay.frequency_cap sets it'

/** A cap in words: "3 impressions of a device in 1 day". */
export function capWords({ max_impressions: most = 0, window }: FrequencyCap): string {
  const { interval = 1, unit = 'days' } = window ?? {}
  return `at most ${most} impression${most === 1 ? '' : 's'} of a device in ${interval} ${interval === 1 ? unit.replace(/s$/, '') : unit}`
}

/** What is said of a plan that is to have no cap: the one that it had, if any. */
export function uncapWords(cap: FrequencyCap | undefined): string {
  if (!cap) return 'no frequency cap: none is set'
  const isOfDevices = cap.per === 'devices' && (cap.max_impressions ?? 0) > 0
  return `no frequency cap in the packages of its order; it was ${isOfDevices ? capWords(cap) : JSON.stringify(cap)}`
}
