import { channelsIn } from './brief-channels.ts'
import { readPart, wordsOf } from './brief-terms.ts'
import type { AskedBy } from './order-terms.ts'
import { EVEN, NO_SHARE, PERCENTS } from './place-share-words.ts'
import { clausesOf, isRatio, placeSharesIn, tokensOf } from './place-shares.ts'

/** The most words of a clause that is about shares of channels: a longer one is about something else. */
const MOST_WORDS = 8
/** "half video", "hälften video", "le reste en display". */
const PART =
  /(?<![\p{L}\p{N}])(?:half|rest|remainder|majority|hälfte|hälften|halva|halvparten|halvdelen|resten|moitié|reste|mitad|resto|metà|metade|helft)(?![\p{L}\p{N}])/iu

/** Parts that a brief gives to channels, as they are written: "video 90%", "70/30 video and display". Time grows with its length. */
export function channelSharesIn(brief: string): string[] {
  return clausesOf(brief).filter((clause) => {
    if (NO_SHARE.test(clause) || wordsOf(clause).length > MOST_WORDS) return false
    const channels = channelsIn(clause).length
    if (channels === 0) return false
    const tokens = tokensOf(clause)
    const hasPercent = tokens.some(
      (token, index) => PERCENTS.has(token) && tokens.slice(Math.max(0, index - 2), index).some((each) => /^\d/.test(each)),
    )
    return hasPercent || PART.test(clause) || (channels > 1 && (isRatio(clause) || EVEN.test(clause)))
  })
}

function quoted(parts: readonly string[]): string {
  return parts.map((part) => `"${part}"`).join(', ')
}

/** The sentences of an answer on the shares that its brief gives to channels and places: plans are made without them. `by`: whose answer it is. */
export function shareNotes(brief: string, by: AskedBy = 'get_products'): string[] {
  const text = readPart(brief)
  const places = placeSharesIn(text)
  const channels = channelSharesIn(text).filter((clause) => !places.includes(clause))
  const ask =
    by === 'get_products'
      ? 'Refine with scope "proposal" and these words as its ask'
      : 'An ask of refine_proposals in these words'
  return [
    ...(channels.length > 0
      ? [`Shares that the brief names were not used: ${quoted(channels)}. ${ask} changes those of a plan.`]
      : []),
    ...(places.length > 0
      ? [`Shares by place were not used: ${quoted(places)}. A plan splits its budget between products, not places.`]
      : []),
  ]
}
