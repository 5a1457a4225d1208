import type { TimeUnit } from '../calendar/time-units.ts'
import { textAfter } from '../text-after.ts'

/** What a policy is about: nothing named means every action. */
export interface Subject {
  readonly channels: readonly string[]
  /** Words that have to show in the action, e.g. `ugc`. */
  readonly keywords: readonly string[]
  /** Only actions above this amount, in units of the plan's currency. */
  readonly above?: number
}

/** One demand that was understood of a policy in plain English. */
export type PolicyRule =
  | { readonly kind: 'reporting'; readonly every: TimeUnit; readonly subject: Subject }
  | { readonly kind: 'review'; readonly subject: Subject }
  | { readonly kind: 'forbidden'; readonly subject: Subject }
  | { readonly kind: 'seller-share'; readonly maxPercent: number }
  | { readonly kind: 'amount'; readonly max: number; readonly subject: Subject }
  | { readonly kind: 'drift'; readonly percent: number }

const CHANNEL_NAMES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\b(?:ctv|connected tv|streaming tv)\b/i, ['ctv']],
  [/\b(?:linear tv|broadcast tv)\b/i, ['linear_tv']],
  [/\b(?:olv|online video|video)\b/i, ['olv']],
  [/\bdisplay\b/i, ['display']],
  [/\bsocial\b/i, ['social']],
  [/\bsearch\b/i, ['search']],
  [/\bradio\b/i, ['radio']],
  [/\b(?:streaming audio|audio)\b/i, ['streaming_audio']],
  [/\bpodcasts?\b/i, ['podcast']],
  [/\b(?:dooh|digital out[- ]of[- ]home)\b/i, ['dooh']],
  [/\b(?:ooh|billboards?)\b/i, ['ooh']],
  [/\bprint\b/i, ['print']],
  [/\bcinema\b/i, ['cinema']],
  [/\bemail\b/i, ['email']],
  [/\bgaming\b/i, ['gaming']],
  [/\bretail media\b/i, ['retail_media']],
  [/\binfluencers?\b/i, ['influencer']],
  [/\baffiliates?\b/i, ['affiliate']],
]

const EVERY = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' } as const

/** Words of a subject that say nothing about which actions are meant. */
const GENERIC = new Set(
  (
    'a action actions ad ads advertising all an and any are be brand buy buys campaign campaigns every for human in inventory is item items its line ' +
    'media must need needs no of on or over above package packages placement placements plan purchase purchases require required requires review ' +
    'safety shall should single spend than that the this to under with'
  ).split(' '),
)

/**
 * Reads a policy in plain English with a handful of patterns: reporting intervals, reviews, shares of a seller, largest amounts, drift and
 * forbidden channels. Gives nothing for what it does not understand: the check then says that a person has to judge it. It can only add
 * restrictions, never lift one (AdCP policy-entry.json, `policy`).
 */
export function readPolicy(text: string): readonly PolicyRule[] {
  return text
    .split(/(?:[.;!?](?=\s|$)|\n)+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .flatMap(readSentence)
}

function readSentence(sentence: string): readonly PolicyRule[] {
  const drift = /\bmore than\s+(\d+(?:\.\d+)?)\s*%/i.exec(textAfter(sentence, /\bdrift\w*\b/i))
  if (drift) return [{ kind: 'drift', percent: Number(drift[1]) }]
  const share = /(?<![\d.])(\d{1,15}(?:\.\d{1,15})?)\s{0,20}%/.exec(
    textAfter(sentence, /\b(?:single[- ]seller|per seller|one seller|seller concentration)\b/i),
  )
  if (share) return [{ kind: 'seller-share', maxPercent: Number(share[1]) }]
  const interval = /\b(?:hourly|daily|weekly|monthly)\b/i.exec(sentence)?.[0].toLowerCase()
  const reports = /^[\w\s-]*?\breport/i.test(textAfter(sentence, /\b(?:hourly|daily|weekly|monthly)\b/i))
  if (reports && (interval === 'hourly' || interval === 'daily' || interval === 'weekly' || interval === 'monthly'))
    return [{ kind: 'reporting', every: EVERY[interval], subject: subjectOf(sentence) }]
  if (/\b(?:review|approval|sign[- ]off)\b/i.test(textAfter(sentence, /\b(?:require[sd]?|needs?|must|subject to)\b/i)))
    return [{ kind: 'review', subject: subjectOf(beforeDemand(sentence), amountIn(sentence)) }]
  const negated =
    /^(?:no|never|do not|don't|avoid|exclude|prohibit)\b/i.test(sentence) || /\b(?:prohibited|forbidden|banned)\b/i.test(sentence)
  if (!negated) return []
  const above = amountIn(sentence)
  const subject = subjectOf(sentence)
  if (above !== undefined) return [{ kind: 'amount', max: above, subject: { channels: subject.channels, keywords: [] } }]
  return subject.channels.length > 0 ? [{ kind: 'forbidden', subject: { ...subject, keywords: [] } }] : []
}

function beforeDemand(sentence: string): string {
  return sentence.split(/\b(?:requires?|required|needs?|must|subject to)\b/i, 1)[0] ?? ''
}

function subjectOf(sentence: string, above = amountIn(sentence)): Subject {
  const channels = CHANNEL_NAMES.flatMap(([pattern, names]) => (pattern.test(sentence) ? names : []))
  const subject = sentence === beforeDemand(sentence) ? sentence : beforeDemand(sentence)
  const keywords =
    channels.length > 0
      ? []
      : (subject.toLowerCase().match(/[\p{L}]{3,}/gu) ?? []).filter(
          (word) => !GENERIC.has(word) && !/report|week|dail|month|hour/.test(word),
        )
  return { channels, keywords, ...(above !== undefined && { above }) }
}

/** `over $10K`, `above 25,000 USD`. */
function amountIn(sentence: string): number | undefined {
  const found = /\b(?:over|above|exceed\w*|more than|larger than)\s+(?:[$€£]\s*)?(\d[\d,]*(?:\.\d+)?)\s*([km])?\b(?!\s*%)/i.exec(
    sentence,
  )
  if (!found?.[1]) return undefined
  const scale = { k: 1_000, m: 1_000_000 }[found[2]?.toLowerCase() ?? ''] ?? 1
  return Number(found[1].replaceAll(',', '')) * scale
}
