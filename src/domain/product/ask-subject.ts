import { channelsIn, idsIn, isChannelTerm, withoutIds } from './brief-channels.ts'
import { termsOf } from './brief-terms.ts'
import type { Product } from './product.ts'

/** What a part of an ask is about: channels (AdCP enums/channels), and terms that its products have beside them. */
export interface Subject {
  readonly channels: readonly string[]
  readonly terms: readonly string[]
  /** Products by their ids. */
  readonly ids: readonly string[]
  /** Countries (ISO 3166-1 alpha-2) that each of its products runs in; absent: any. */
  readonly countries?: readonly string[]
  /** Kinds of delivery and price that each has; absent: any. */
  readonly meets?: readonly { readonly label: string; readonly satisfies: (product: Product) => boolean }[]
  /** The clause as the buyer wrote it. */
  readonly text: string
  /** What it names by itself, where that are several: "display and podcast". Absent: one, or nothing. */
  readonly each?: readonly Subject[]
}

/** Stems of words that say how much or what to do, not of what. */
const NO_SUBJECT = new Set(
  termsOf(
    'shift move put add increase raise favour favor emphasise emphasize redistribute towards toward away reduce cut lower decrease fewer drop ' +
      'remove exclude without take out replace substitute swap exchange switch use instead no half halve double twice triple equal equally evenly even split divide spread distribute weight parts give point rest money up down plus minus least most than at max min maximum minimum extra additional keep retain leave touch change share shares mix percent bit little much lot some there here instead please would like must',
  ),
)

/** What a kind of video is called says more than its channel. */
const NARROW = new Set(['preroll', 'outstream'])

/** What a text names of a plan. */
export function subjectOf(text: string): Subject {
  const terms = termsOf(withoutIds(text)).filter(
    (term) => (!isChannelTerm(term) || NARROW.has(term)) && !NO_SUBJECT.has(term) && !/\d/.test(term),
  )
  const each = text.split(LIST).flatMap((part) => partIn(part) ?? [])
  return { channels: channelsIn(text), terms, ids: idsIn(text), text: text.trim(), ...(each.length > 1 && { each }) }
}

/** Between the parts of a list. */
const LIST = /,|[&+/]|\b(?:and|or|plus|und|och|og)\b/i

/** Whether it is a part of a plan by itself: words beside the channels of it only narrow it. */
export function namesPart({ channels, ids }: Subject): boolean {
  return channels.length + ids.length > 0
}

/** The part of a plan that a clause names: channels and products, whatever it says of them. Undefined: none, so that it is about all. */
export function partIn(clause: string): Subject | undefined {
  const part = { channels: channelsIn(clause), ids: idsIn(clause), terms: [], text: clause.trim() }
  return namesPart(part) ? part : undefined
}
