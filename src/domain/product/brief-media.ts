import type { Brief } from './brief.ts'
import { channelsIn, type NamedMedia } from './brief-channels.ts'
import { ONLY_WORDS, type WantedDelivery } from './brief-delivery.ts'
import { synonymsOf } from './brief-synonyms.ts'
import type { Product } from './product.ts'

const ONLY = new RegExp(`^(?:${ONLY_WORDS}|just|alone)$`, 'iu')
/** After "only", these belong to what follows, and what stands before it is not alone: "display only in Sweden". */
const ONWARD = /^(?:in|on|for|to|at|from|with|when|if|during|after|before|about|around|near|pay|show|run)$/i
/** "not only display" leaves others. */
const NEGATED = /^(?:not|nicht|inte|ikke|pas|no|niet)$/i
/** Words between a medium and "only" that say nothing else. */
const FILLER =
  /^(?:and|or|und|och|og|et|y|the|a|an|ads?|ad|advertising|inventory|media|formats?|placements?|products?|buys?|spots?|units?|campaigns?|plan)$/i

/** Words, the ends of clauses, and the signs of lists. */
const TOKEN = /[\p{L}\p{N}][\p{L}\p{N}_-]*|[.;:!?()\n,/&+]/gu
const LIST_SIGN = /^[,/&+]$/
/** What a text has at most of tokens: one with more is read to there. */
const MOST_TOKENS = 2_000
/** And so many of them beside an "only". */
const MOST_BESIDE = 30

/** The media that a text wants alone ("display only", "nothing but CTV and video"), as it names them; empty: it leaves others. */
export function mediaAloneIn(text: string): NamedMedia[] {
  const tokens = (text.replace(/\bnothing but\b/gi, 'only').match(TOKEN) ?? []).slice(0, MOST_TOKENS)
  for (const [place, token] of tokens.entries()) {
    if (!ONLY.test(token) || NEGATED.test(tokens[place - 1] ?? '')) continue
    const next = tokens[place + 1]
    const after = /^alone$/i.test(token) ? [] : run(tokens.slice(place + 1, place + 1 + MOST_BESIDE))
    if (after.length > 0) return after
    const before =
      /^just$/i.test(token) || (next !== undefined && ONWARD.test(next))
        ? []
        : run(tokens.slice(Math.max(0, place - MOST_BESIDE), place).reverse())
    if (before.length > 0) return before.reverse()
  }
  return []
}

/** The media that a row of words begins with, as far as nothing else stands between them. */
function run(tokens: readonly string[]): NamedMedia[] {
  const media: NamedMedia[] = []
  for (const token of tokens) {
    const channels = /\p{L}/u.test(token) ? channelsIn(token) : []
    if (channels.length > 0) media.push({ name: token, channels })
    else if (!FILLER.test(token) && !(LIST_SIGN.test(token) && media.length > 0)) break
  }
  return media
}

/** Media that a brief does not want, as it names them: parts in which every word is one of a medium. */
export function mediaLeftOut({ excluded }: Pick<Brief, 'excluded'>): NamedMedia[] {
  return excluded.flatMap((terms) => {
    const isMedium = terms.every((term) => synonymsOf(term).some((each) => each.startsWith('channel:')))
    return isMedium && terms.length === 1 ? terms.map((term) => ({ name: term, channels: channelsIn(term) })) : []
  })
}

/** Whether a product is of the media that a brief wants alone, and of others than those that it does not want. */
export function isOfWantedMedia({ offer }: Product, { hints, excluded }: Pick<Brief, 'hints' | 'excluded'>): boolean {
  const { mediaAlone = [] } = hints
  const channels: readonly string[] = offer.channels ?? []
  const out = mediaLeftOut({ excluded }).flatMap((each) => each.channels)
  const isOut = channels.length > 0 && channels.every((channel) => out.includes(channel))
  const alone = mediaAlone.flatMap((each) => each.channels).filter((channel) => !out.includes(channel))
  return !isOut && (mediaAlone.length === 0 || alone.some((channel) => channels.includes(channel)))
}

/** What a brief limits an answer to, and what it puts first, in a sentence each. `shown`: the products of the answer. */
export function mediaLimitNotes({ hints, excluded }: Pick<Brief, 'hints' | 'excluded'>, shown: readonly Product[]): string[] {
  const { mediaAlone = [], delivery, leaning } = hints
  const out = [...new Set(mediaLeftOut({ excluded }).map(({ name }) => name))]
  const alone = [
    ...(mediaAlone.length > 0 ? [[...new Set(mediaAlone.map(({ name }) => name))].join(', ')] : []),
    ...(delivery ? [WORDS[delivery]] : []),
  ]
  return [
    ...(alone.length > 0 ? [`The brief wants ${alone.join(' and ')} alone: products and plans of others are left out.`] : []),
    ...(out.length > 0 ? [`Left out, as the brief asks: ${out.join(', ')}.`] : []),
    ...(leaning && shown.some(({ offer }) => offer.delivery_type !== leaning)
      ? [`The brief asks for ${WORDS[leaning]}, without "only": products of the other kind are listed too, ranked lower.`]
      : []),
  ]
}

const WORDS: Readonly<Record<WantedDelivery, string>> = {
  guaranteed: 'guaranteed delivery',
  non_guaranteed: 'non-guaranteed delivery',
}
