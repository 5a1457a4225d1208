import { ownValue } from '../../own-value.ts'
import { withoutTrailing } from '../../without-trailing.ts'
import { CATALOG_MACROS } from '../macros/catalog-macros.ts'
import { isWebAddress } from '../macros/fill.ts'
import { COLOURS, type StyleChange } from './style.ts'

/** Parts of an ad that instructions speak of. */
export type Part = 'headline' | 'body' | 'cta' | 'sponsor' | 'image' | 'logo'

/** What was understood of a message. `unread` holds the sentences that no rule of the template builder applies to. */
export interface Directions {
  readonly subject?: string
  readonly emphasis?: string
  readonly tone?: string
  readonly audience?: string
  readonly texts: { readonly [P in Part]?: string }
  readonly removed: readonly Part[]
  readonly replaced: readonly { readonly from: string; readonly to: string }[]
  readonly style: StyleChange
  /** Factors on the present sizes. */
  readonly grow: { readonly headline: number; readonly text: number }
  readonly clickUrl?: string
  readonly trackerUrl?: string
  /** Macros that trackers and clicks shall carry. */
  readonly macros: readonly string[]
  readonly unread: readonly string[]
}

/** What one sentence adds. */
type Found = Partial<Omit<Directions, 'unread'>>
type Rule = (sentence: string) => Found | undefined

/** A page of text; what comes after it is reported as unread. */
export const MOST_CHARACTERS = 4000

const PARTS: readonly (readonly [Part, RegExp])[] = [
  ['cta', /\b(?:cta|call[- ]to[- ]action|button)\b/i],
  ['headline', /\b(?:headline|title)\b/i],
  ['body', /\b(?:tagline|sub-?head(?:line)?|body|description|copy|text)\b/i],
  ['sponsor', /\b(?:sponsor|advertiser|brand name)\b/i],
  ['logo', /\blogo\b/i],
  ['image', /\b(?:image|imagery|picture|photo)\b/i],
]

const GROWTH = 1.25

/** Reads a message sentence by sentence. The same message always reads the same. */
export function readMessage(message: string | undefined): Directions {
  const text = message ?? ''
  const found: Found[] = []
  const unread: string[] = text.length > MOST_CHARACTERS ? ['everything after the first 4000 characters'] : []
  for (const sentence of sentencesOf(text.slice(0, MOST_CHARACTERS))) {
    const matches = RULES.flatMap((rule) => rule(sentence) ?? [])
    if (matches.length === 0) unread.push(sentence)
    found.push(...matches)
  }
  return { ...merged(found), unread }
}

function merged(found: readonly Found[]): Omit<Directions, 'unread'> {
  const singles = Object.assign({}, ...found) as Found
  const grow = (part: 'headline' | 'text') => found.reduce((factor, each) => factor * (each.grow?.[part] ?? 1), 1)
  return {
    ...singles,
    texts: Object.assign({}, ...found.map((each) => each.texts ?? {})),
    removed: found.flatMap((each) => each.removed ?? []),
    replaced: found.flatMap((each) => each.replaced ?? []),
    style: Object.assign({}, ...found.map((each) => each.style ?? {})),
    grow: { headline: grow('headline'), text: grow('text') },
    macros: [...new Set(found.flatMap((each) => each.macros ?? []))],
  }
}

/** Sentences end with a mark and space, so that prices, addresses and abbreviations in quotes stay whole. */
function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
}

function quoted(sentence: string): string | undefined {
  const [, double, curly, single] =
    /"([^"]{1,200})"|“([^“”]{1,200})”|(?<![\p{L}\p{N}])['‘]([^'‘’]{1,200})['’](?!\p{L})/u.exec(sentence) ?? []
  return (double ?? curly ?? single)?.trim() || undefined
}

function partOf(sentence: string): Part | undefined {
  const hits = PARTS.map(([part, pattern]) => [part, sentence.search(pattern)] as const).filter(([, at]) => at >= 0)
  return hits.sort(([, a], [, b]) => a - b)[0]?.[0]
}

/** Text up to the end of its clause. */
function clause(text: string | undefined): string | undefined {
  return (
    withoutTrailing(text?.split(/[,;:—–]| using | with | that | which | so that /i, 1)[0] ?? '', '.!? \t').trim() || undefined
  )
}

const RULES: readonly Rule[] = [
  function wantedText(sentence) {
    const words = quoted(sentence)
    const part = partOf(words === undefined ? '' : sentence.replace(words, ''))
    return words !== undefined && part !== undefined && part !== 'image' && part !== 'logo'
      ? { texts: { [part]: words } }
      : undefined
  },
  function emphasised(sentence) {
    const [, what] = /\b(?:emphasi[sz]e|highlight|stress|lead with)\s+(.{1,120})/i.exec(sentence) ?? []
    const emphasis = quoted(what ?? '') ?? clause(what)
    return emphasis === undefined ? undefined : { emphasis }
  },
  function resized(sentence) {
    const [word] = /\b(?:larger|bigger|smaller|reduce|shrink|enlarge)\b/i.exec(sentence) ?? []
    if (word === undefined) return undefined
    const factor = /smaller|reduce|shrink/i.test(word) ? 1 / GROWTH : GROWTH
    const headline = partOf(sentence) === 'headline'
    return { grow: { headline: headline ? factor : 1, text: headline ? 1 : factor } }
  },
  function replacedText(sentence) {
    const [, from, to] =
      /\b(?:replace|change|swap)\s+"([^"]{1,200})"\s+(?:with|by|to|for)\s+"([^"]{0,200})"/i.exec(sentence) ?? []
    return from === undefined || to === undefined ? undefined : { replaced: [{ from, to }] }
  },
  function removedPart(sentence) {
    const [, what = ''] = /\b(?:remove|drop|delete|without|no)\s+(?:the\s+|an?\s+)?([a-z -]{1,40})/i.exec(sentence) ?? []
    const part = partOf(what)
    return part === undefined ? undefined : { removed: [part] }
  },
  function coloured(sentence) {
    const hex = /#[0-9a-f]{6}\b/i.exec(sentence)?.[0]?.toLowerCase()
    const before = /\b([a-z]+)\s+(?:background|button|accent|colou?r)\b/i.exec(sentence)?.[1]
    const after = /\b(?:background|button|accent)\b[^.]{0,30}?\b([a-z]+)\s*[.!]?$/i.exec(sentence)?.[1]
    const named = [before, after].map((word) => ownValue(COLOURS, word?.toLowerCase() ?? '')).find(Boolean)
    const colour = hex ?? named
    if (colour === undefined) return undefined
    return { style: /\b(?:button|cta|accent)\b/i.test(sentence) ? { accent: colour } : { background: colour } }
  },
  function toned(sentence) {
    const tone = /^(.{1,80}?)\s{1,20}tone\b/i.exec(sentence)?.[1] ?? /\btone:?\s+(.{1,80})/i.exec(sentence)?.[1]
    return tone === undefined ? undefined : { tone: withoutTrailing(tone, '.!') }
  },
  function addressed(sentence) {
    const [, audience] = /\b(?:target audience|audience|aimed at|targeting)(?:\s+is)?:?\s+(.{1,120})/i.exec(sentence) ?? []
    return audience === undefined ? undefined : { audience: withoutTrailing(audience, '.!') }
  },
  function asked(sentence) {
    const wants =
      /\b(?:create|generate|build|design|make|produce|write|need|want|ads?|advertisement|banner|creative|film|spot|video)\b/i
    if (!wants.test(sentence)) return undefined
    const after = (words: string) =>
      new RegExp(`\\b(?:${words})\\s+(?:the\\s+|our\\s+|an?\\s+)?(.{1,120})`, 'i').exec(sentence)?.[1]
    const subject = after('promoting|advertising|featuring|about') ?? after('for')
    // A message that only counts sizes or names a catalog says nothing of what to show.
    const shown = clause(subject)
      ?.replace(/\s(?:brand|campaign)$/i, '')
      .trimEnd()
    if (shown === undefined) return undefined
    if (/\b(?:sizes?|formats?|catalog(?:ue)?)$/i.test(shown)) return {}
    return { subject: shown }
  },
  function linked(sentence) {
    const address = withoutTrailing(/https?:\/\/[^\s"'<>`]{1,2000}/i.exec(sentence)?.[0] ?? '', '.,;)')
    if (address === '' || !isWebAddress(address.replaceAll(/[{}]/g, ''))) return undefined
    return /\b(?:track\w*|impressions?|pixel|beacon)\b/i.test(sentence) ? { trackerUrl: address } : { clickUrl: address }
  },
  function withMacros(sentence) {
    const names = [...sentence.matchAll(/\{([A-Z][A-Z0-9_]{0,63})\}/g)].map(([, name = '']) => name)
    const known = names.filter((name) => CATALOG_MACROS.includes(name))
    return known.length > 0 ? { macros: known } : undefined
  },
  function asItIs(sentence) {
    return /\b(?:no changes?|final|as is|all (?:\w+ )?(?:sizes|formats)|production[- ]ready)\b/i.test(sentence) ? {} : undefined
  },
]
