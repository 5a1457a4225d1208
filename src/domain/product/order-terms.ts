import { groupBy } from '../group-by.ts'
import { capFigureIn, withoutCapFigure } from './asked-cap.ts'
import { wordsOf } from './brief-terms.ts'
import { HOURS, WEEKDAYS, WEEKDAYS_FOREIGN } from './daypart-words.ts'
import { type PlanTargeting, targetingWords } from './limited-plan.ts'
import { howToExclude, howToLimit, howToTargetRegions } from './only-places.ts'
import type { TakesTargeting } from './overlay-support.ts'
import type { Product } from './product.ts'

/** What a brief or an ask may want and no answer carries, because it is sent with the order. */
export type OrderTerm = 'frequency cap' | 'reports' | 'weekly reports' | 'days of the week' | 'hours of the day' | 'dates'

const COUNTS = 'one|two|three|four|five|six|eight|ten|twelve'

/** "frequency cap", "three a day", "max 3 per user per week"; not of reports and of money. */
const CAP_NAMED = /\bfrequency[ -]?cap(?:ping|ped|s)?/i
/** The same in other languages of briefs: "höchstens drei am Tag", "max tre visningar per dag", "trois fois par jour". */
const CAP_FOREIGN =
  /(?<![\p{L}\p{N}.,])(?:einmal|zweimal|dreimal|eine?|zwei|drei|vier|fünf|tre|två|to|fyra|fire|fem|une?|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|drie|twee|vijf|\d{1,2})(?: (?:mal|kontakte|einblendungen|visningar|visninger|ganger|gånger|fois|impressions|affichages|veces|impresiones|keer))?(?: pro (?:person|nutzer|kopf)| par personne| por persona| per person)? (?:am tag|pro tag|pro woche|per dag|om dagen|per vecka|i veckan|per uke|i uken|par jour|par semaine|al día|por día|a la semana|per week)(?![\p{L}])|\b(?:zwei|drei|vier)?mal täglich\b/iu

/** Whether a text says how often an ad may be shown. */
export function namesCapFigure(text: string): boolean {
  return capFigureIn(text) !== undefined || CAP_FOREIGN.test(text) || (CAP_NAMED.test(text) && /\d/.test(text))
}

const REPORTS =
  /\b(?:hourly|daily|weekly|monthly) report(?:s|ing)?\b|\breport(?:s|ing)? (?:hourly|daily|weekly|monthly|(?:every|each|once a|twice a|per) (?:hour|day|week|month))\b/i

/** "wöchentlicher Bericht", "veckorapport", "rapport hebdomadaire". */
const WEEKLY_FOREIGN =
  /(?<!\p{L})(?:wöchentliche[rns]? (?:bericht|report)\w*|wochenbericht\w*|veckorapport\w*|ukesrapport\w*|ukentlige? rapport\w*|ugentlige? rapport\w*|rapports? hebdomadaires?|informes? semanal(?:es)?|wekelijkse? rapport\w*)/iu

/** enums/reporting-frequency.json */
const REPORTING_FREQUENCIES = ['hourly', 'daily', 'monthly'] as const

/** Reports of another rhythm than there is (enums/reporting-frequency.json). */
const WEEKLY =
  /\b(?:weekly|biweekly|fortnightly|quarterly) report(?:s|ing)?\b|\breport(?:s|ing)? (?:weekly|biweekly|quarterly|(?:every|each|once a|twice a|per) week)\b/i

const DATES: readonly RegExp[] = [
  /\b\d{4}-\d{2}-\d{2}\b/,
  /\b(?:january|february|april|june|july|august|september|october|november|december)\b/i,
  // The other two months are also words.
  /\b(?:in|from|until|by|through|before|after|during|\d{1,2}) (?:March|May)\b|\b(?:March|May) \d{1,2}\b/,
  /\bq[1-4]\b/i,
  new RegExp(`\\b(?:${COUNTS}|\\d{1,3})[ -](?:day|week|month)s?\\b(?! (?:window|attribution|notice))`, 'i'),
  /\b(?:before|after|until|over|around|during|by) (?:christmas|easter|black friday|thanksgiving|new year)/i,
  /\b(?:next|this) (?:week|month|quarter|year|spring|summer|autumn|fall|winter)\b/i,
]

const DAYPARTS = 'targeting_overlay.daypart_targets of each package; of a bought proposal by update_media_buy'

/** Where each is sent, in the words of the wire. */
export const HOW_TO_SET: Readonly<Record<OrderTerm, string>> = {
  'frequency cap': 'targeting_overlay.frequency_cap of each package; of a bought proposal by update_media_buy',
  reports: 'get_media_buy_delivery with start_date and end_date (the first day after the report)',
  'weekly reports':
    'there are none; get_media_buy_delivery sums up any week: start_date is its first day, end_date the first day after it',
  'days of the week': DAYPARTS,
  'hours of the day': DAYPARTS,
  dates: 'filters.start_date and end_date to search, start_time and end_time to order',
}

/** The terms of an order that a text names, each once. Time grows with its length. */
export function orderTermsIn(text: string): OrderTerm[] {
  return [
    ...(CAP_NAMED.test(text) || capFigureIn(text) !== undefined || CAP_FOREIGN.test(text) ? (['frequency cap'] as const) : []),
    ...(WEEKDAYS.test(text) || WEEKDAYS_FOREIGN.test(text) ? (['days of the week'] as const) : []),
    ...(HOURS.test(text) ? (['hours of the day'] as const) : []),
    ...(WEEKLY.test(text) || WEEKLY_FOREIGN.test(text)
      ? (['weekly reports'] as const)
      : REPORTS.test(text)
        ? (['reports'] as const)
        : []),
    ...(DATES.some((pattern) => pattern.test(text)) ? (['dates'] as const) : []),
  ]
}

/** The most products that a sentence names. */
const MOST_NAMED = 4

/** Terms that are targeting of packages: the dimension of core/targeting.json, and what is said of products that do not take it. */
const TARGETED: Readonly<
  Partial<Record<OrderTerm, { readonly dimension: string; readonly one: string; readonly none: string }>>
> = {
  'frequency cap': { dimension: 'frequency_cap', one: 'one', none: 'none' },
  'days of the week': { dimension: 'daypart_targets', one: 'hours and days', none: 'no hours and days' },
  'hours of the day': { dimension: 'daypart_targets', one: 'hours and days', none: 'no hours and days' },
}

/** How a term is had for these products: what is targeting is named as possible for those that take it alone. */
function howOf(term: OrderTerm, products: readonly Product[], takes: TakesTargeting): string {
  if (term === 'reports' || term === 'weekly reports') return `${HOW_TO_SET[term]}${webhookReports(products)}`
  const how = HOW_TO_SET[term]
  const targeted = TARGETED[term]
  if (!targeted) return how
  const taking = products.filter((product) => takes(product, targeted.dimension)).map(({ id }) => id)
  if (taking.length === products.length) return how
  const { one, none } = targeted
  if (taking.length === 0) return products.length === 1 ? `the product takes ${none}` : `none of these products takes ${one}`
  return `${how}; of these products ${taking.length > MOST_NAMED ? `${taking.length} take` : `${taking.join(', ')} alone take${taking.length === 1 ? 's' : ''}`} ${one}`
}

/** What these products report to a `reporting_webhook`: an order has the rhythms that all its products list (core/reporting-webhook.json). */
function webhookReports(products: readonly Product[]): string {
  const reporting = products.filter(({ offer }) => offer.reporting_capabilities.supports_webhooks)
  if (reporting.length === 0) return ''
  const rhythmsOf = ({ offer }: Product) => offer.reporting_capabilities.available_reporting_frequencies
  const named = REPORTING_FREQUENCIES.flatMap((rhythm) => {
    const having = reporting.filter((product) => rhythmsOf(product).includes(rhythm))
    return having.length === 0 ? [] : [having.length === products.length ? rhythm : `${rhythm} (${someOf(having)} alone)`]
  })
  return `; reporting_webhook of the order reports ${named.join(', ')}`
}

/** The ids of products, or how many they are. */
function someOf(products: readonly Product[]): string {
  return products.length > MOST_NAMED ? `${products.length} products` : products.map(({ id }) => id).join(', ')
}

/** A text without the first of each thing that it says of the order; `by` stands for each. */
export function withoutOrderTerms(text: string, by = ' '): string {
  const patterns = [CAP_NAMED, CAP_FOREIGN, REPORTS, WEEKLY, WEEKLY_FOREIGN, WEEKDAYS, WEEKDAYS_FOREIGN, HOURS, ...DATES]
  return patterns.reduce((rest, pattern) => rest.replace(pattern, by), text)
}

/** What a brief says of places, and what the proposals of its answer keep of it. */
export interface PlaceTerms {
  /** Countries outside of which nothing is to run, and whether the proposals are limited to them. */
  readonly alone?: readonly string[] | undefined
  readonly isPlanned?: boolean | undefined
  /** Countries in which nothing is to run, and whether the proposals are kept out of them. */
  readonly not?: readonly string[] | undefined
  readonly isKeptOut?: boolean | undefined
  /** The same of states and cities (ISO 3166-2), which no proposal carries. */
  readonly regionsAlone?: readonly string[] | undefined
  readonly regionsNot?: readonly string[] | undefined
  /** What all proposals carry. */
  readonly carried?: PlanTargeting | undefined
}

function regionParts(
  regions: readonly string[],
  member: 'geo_regions' | 'geo_regions_exclude',
  products: readonly Product[],
  takes: TakesTargeting,
): string[] {
  if (regions.length === 0) return []
  const what = `${member === 'geo_regions' ? '' : 'no '}delivery in ${regions.join(', ')}${member === 'geo_regions' ? ' alone' : ''}`
  return [`${what} (${howToTargetRegions(regions, member, products, takes)})`]
}

/** The sentences of an answer to a brief that names them: what the proposals have of them, what is no part of the answer, and how each is had for its `products`. */
export function orderTermsNotes(
  terms: readonly OrderTerm[],
  products: readonly Product[],
  takes: TakesTargeting,
  {
    alone = [],
    not = [],
    isPlanned = false,
    isKeptOut = false,
    regionsAlone = [],
    regionsNot = [],
    carried = {},
  }: PlaceTerms = {},
): string[] {
  const limit = howToLimit(alone, products, takes, { isPlanned })
  const limited = limit ? [`delivery in ${alone.join(', ')} alone (${limit})`] : []
  const without = howToExclude(not, products, takes, { isPlanned: isKeptOut })
  const excluded = without === undefined ? [] : [`no delivery in ${not.join(', ')} (${without})`]
  const parts = [
    ...(isPlanned ? [] : limited),
    ...(isKeptOut ? [] : excluded),
    ...regionParts(regionsAlone, 'geo_regions', products, takes),
    ...regionParts(regionsNot, 'geo_regions_exclude', products, takes),
    ...termParts(terms, products, takes),
  ]
  const ofProducts = [...(isPlanned ? limited : []), ...(isKeptOut ? excluded : [])]
  return [
    ...(isPlanned ? [`Proposals are limited to ${alone.join(', ')}.`] : []),
    ...(isKeptOut ? [`Proposals are kept out of ${not.join(', ')}.`] : []),
    ...carriedNotes(carried, products, takes),
    ...(ofProducts.length > 0 ? [`Not part of products: ${ofProducts.join(', ')}.`] : []),
    ...(parts.length === 0 ? [] : [`Not part of products and proposals: ${parts.join(', ')}.`]),
  ]
}

/** Each term with how it is had; terms that are had in the same way are named together. */
function termParts(terms: readonly OrderTerm[], products: readonly Product[], takes: TakesTargeting): string[] {
  const byHow = groupBy(terms, (term) => howOf(term, products, takes))
  return [...byHow].map(([how, same]) => `${same.map((term) => `the ${term}`).join(' and ')} (${how})`)
}

/** What all proposals carry into their packages, how packages outside of them have it, and products that do not take it. */
function carriedNotes(carried: PlanTargeting, products: readonly Product[], takes: TakesTargeting): string[] {
  const words = targetingWords(carried)
  if (words.length === 0) return []
  const without = Object.keys(carried).flatMap((dimension) => {
    const none = products.filter((product) => !takes(product, dimension))
    return none.length === 0 ? [] : [`${someOf(none)} ${none.length === 1 ? 'takes' : 'take'} no ${dimension}`]
  })
  const but = without.length === 0 ? '' : ` (${without.join('; ')})`
  return [`Proposals carry into their packages: ${words.join('; ')}; packages of your own have it in targeting_overlay${but}.`]
}

/** The task whose ask is answered: each has members of its own. */
export type AskedBy = 'get_products' | 'refine_proposals'

/** How a proposal of AdCP 3.2 comes to other days (media-buy/proposal-refinement.json, media-buy/request-proposals-request.json). */
const HOW_TO_DATE =
  'constraints.flight of the refinement bounds them (start_no_later_than, end_no_earlier_than), request_proposals with criteria.offer_filters.start_date and end_date plans for others'

/** Why an ask for one is not carried out: a cap is set where it has one figure and each product takes it, and nothing else by any ask. */
export function orderTermRefusal(
  term: OrderTerm,
  products: readonly Product[],
  takes: TakesTargeting,
  by: AskedBy = 'get_products',
): string {
  const how = term === 'dates' && by === 'refine_proposals' ? HOW_TO_DATE : howOf(term, products, takes)
  return `the ${term}, which ${term === 'frequency cap' ? 'this ask does not set' : 'an ask does not change'}: ${how}`
}

/** Words by which terms of an order are named, beside those that no text is searched for. */
const OWN_WORDS =
  /^(?:weekends?|weekdays?|mornings?|afternoons?|evenings?|christmas|easter|friday|black|thanksgiving|frequency|cap|capped|reports?|reporting|dates?|q[1-4]|.*\d.*)$/

/** Words of a frequency cap: whom it counts, and that it is the most. */
const CAP_WORDS =
  /^(?:frequency|frequenz|frequence|frequencia|frekvens|cap|caps|capped|capping|limit|limited|limiting|most|max|maximum|maximal|maximalt|maksimalt|hochstens|hogst|høyst|maximaal|impressions?|exposures?|views?|times|users?|persons?|viewers?|devices?|visitors?|consumers?|individuals?|heads?|households?|nutzer|personen|kopf|gerat|haushalt|anvandare|bruker|enhet|enheter|hushall|husstand|utilisateur|personne|appareil|foyer|usuario|persona|dispositivo|hogar|gebruiker|persoon|apparaat|pro|par|por|it|please|set|show|shown)$/

/** Whether a word (lower case) says how a frequency cap counts. */
export function isCapWord(word: string): boolean {
  return CAP_WORDS.test(word)
}

/** Words that change a cap: the figure beside them is the cap that is wanted. */
const CHANGES_CAP =
  /^(?:lower|reduce|decrease|cut|drop|tighten|raise|increase|loosen|change|adjust|keep|make|less|fewer|more|down|now)$/

/** What a text says beside a frequency cap, in words; empty: it is about nothing else. */
export function besideCap(text: string): readonly string[] {
  const rest = withoutOrderTerms(withoutCapFigure(text))
  return wordsOf(rest).filter((word) => !isCapWord(word) && !CHANGES_CAP.test(word) && !/^\d+$/.test(word))
}

/** Whether a text is about nothing else. */
export function isOrderTermAlone(text: string): boolean {
  const terms = orderTermsIn(text)
  if (terms.length === 0) return false
  const words = terms.includes('frequency cap') ? besideCap(text) : wordsOf(text)
  return words.every((word) => OWN_WORDS.test(word))
}
