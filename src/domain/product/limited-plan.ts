import { capWords } from './asked-cap.ts'
import { type HardTargeting, hardOverlay, keepsHard } from './hard-targeting.ts'
import { type KeepsTargeting, takesOf } from './overlay-support.ts'
import type { Product } from './product.ts'
import type { Proposal } from './proposal.ts'
import type { FrequencyCap, TargetingOverlay } from './targeting-overlay.ts'

/** What a plan carries into its packages: countries (ISO 3166-1 alpha-2) that delivery is limited to or kept out of, languages (ISO 639-1), a cap of devices. */
export interface PlanTargeting {
  readonly geo_countries?: readonly string[]
  readonly geo_countries_exclude?: readonly string[]
  readonly language?: readonly string[]
  readonly frequency_cap?: FrequencyCap
}

/** The most countries that an id carries: it has at most 255 characters. */
const MOST_COUNTRIES = 20
const SUFFIX = /~only((?:-[A-Z]{2}){1,20})$/
const EXCLUDED = /~not((?:-[A-Z]{2}){1,20})$/
const LANGUAGES = /~lang((?:-[a-z]{2}){1,5})$/
const CAP = /~cap-(\d{1,2})-(\d{1,2})-(hours|days)$/

/** A proposal whose packages deliver so alone; `ext.targeting_overlay` shows it, and its order is targeted so. */
export function targetedTo<P extends Proposal>(proposal: P, targeting: PlanTargeting): P {
  const own = targetingOf(proposal)
  const overlay = joined(own, targeting)
  return Object.keys(overlay).length === 0 ? proposal : { ...proposal, ext: { ...proposal.ext, targeting_overlay: overlay } }
}

/** What a plan carries with more of it: countries that are limited to and left out would contradict each other, so the later ones win. */
export function joined(own: HardTargeting, more: PlanTargeting): HardTargeting {
  const all = { ...own, ...more }
  const { geo_countries: alone, geo_countries_exclude: not, ...others } = all
  if (!alone || !not) return all
  const left = alone.filter((country) => !not.includes(country))
  if (left.length > 0) return { ...others, geo_countries: left }
  return { ...others, ...(more.geo_countries ? { geo_countries: alone } : { geo_countries_exclude: not }) }
}

/** The same, with the targeting in its id, so that a later request by that id means the same; without countries and languages that are too many to be carried. */
export function targetedById<P extends Proposal>(
  proposal: P,
  { geo_countries: countries = [], geo_countries_exclude: not = [], language = [], frequency_cap: cap }: PlanTargeting,
): P {
  const isLimited = countries.length > 0 && countries.length <= MOST_COUNTRIES
  const isKeptOut = !isLimited && not.length > 0 && not.length <= MOST_COUNTRIES
  const isSpoken = language.length > 0 && language.length <= 5
  const targeting = {
    ...(isLimited && { geo_countries: [...countries] }),
    ...(isKeptOut && { geo_countries_exclude: [...not] }),
    ...(isSpoken && { language: [...language] }),
    ...(cap && { frequency_cap: cap }),
  }
  const suffix = [
    ...(isLimited ? [`~only-${countries.join('-')}`] : []),
    ...(isKeptOut ? [`~not-${not.join('-')}`] : []),
    ...(isSpoken ? [`~lang-${language.join('-')}`] : []),
    ...(cap ? [`~cap-${cap.max_impressions}-${cap.window?.interval}-${cap.window?.unit}`] : []),
  ].join('')
  return suffix === '' ? proposal : targetedTo({ ...proposal, proposal_id: `${proposal.proposal_id}${suffix}` }, targeting)
}

/** The id of the plan and the targeting that an id carries; undefined when it carries none. */
export function readLimitId(id: string): { readonly planId: string; readonly targeting: PlanTargeting } | undefined {
  const [capped = '', most, interval, unit] = CAP.exec(id) ?? []
  const uncapped = id.slice(0, id.length - capped.length)
  const [spoken = '', languages = ''] = LANGUAGES.exec(uncapped) ?? []
  const unspoken = uncapped.slice(0, uncapped.length - spoken.length)
  const [excluded = '', out = ''] = EXCLUDED.exec(unspoken) ?? []
  const placed = unspoken.slice(0, unspoken.length - excluded.length)
  const [limited = '', codes = ''] = SUFFIX.exec(placed) ?? []
  const planId = placed.slice(0, placed.length - limited.length)
  if (planId === id || planId === '') return undefined
  return {
    planId,
    targeting: {
      ...(limited !== '' && { geo_countries: codes.slice(1).split('-') }),
      ...(excluded !== '' && { geo_countries_exclude: out.slice(1).split('-') }),
      ...(spoken !== '' && { language: languages.slice(1).split('-') }),
      ...((unit === 'hours' || unit === 'days') && {
        frequency_cap: { max_impressions: Number(most), per: 'devices', window: { interval: Number(interval), unit } },
      }),
    },
  }
}

/** What a proposal carries into its packages. */
export function targetingOf({ ext }: Pick<Proposal, 'ext'>): PlanTargeting {
  const overlay: unknown = ext && Reflect.get(ext, 'targeting_overlay')
  if (typeof overlay !== 'object' || overlay === null) return {}
  const { geo_countries, geo_countries_exclude, language, frequency_cap } = overlay as PlanTargeting
  return {
    ...(geo_countries && { geo_countries }),
    ...(geo_countries_exclude && { geo_countries_exclude }),
    ...(language && { language }),
    ...(frequency_cap && { frequency_cap }),
  }
}

/** The countries that a proposal is limited to; empty: to none. */
export function limitOf(proposal: Pick<Proposal, 'ext'>): readonly string[] {
  return targetingOf(proposal).geo_countries ?? []
}

/** What a proposal carries, in words; empty: nothing. */
export function targetingWords({
  geo_countries: countries = [],
  geo_countries_exclude: not = [],
  language = [],
  frequency_cap: cap,
}: PlanTargeting): readonly string[] {
  return [
    ...(countries.length > 0 ? [`only ${countries.join(', ')}`] : []),
    ...(not.length > 0 ? [`nothing in ${not.join(', ')}`] : []),
    ...(language.length > 0 ? [`language ${language.join(', ')}`] : []),
    ...(cap ? [capWords(cap)] : []),
  ]
}

/** Whether there are proposals, and all of them are limited to these countries; false for none. */
export function areLimitedTo(countries: readonly string[], proposals: readonly Pick<Proposal, 'ext'>[]): boolean {
  const isLimited = (proposal: Pick<Proposal, 'ext'>) => {
    const limit = limitOf(proposal)
    return limit.length > 0 && limit.every((country) => countries.includes(country))
  }
  return countries.length > 0 && proposals.length > 0 && proposals.every(isLimited)
}

/** Whether there are proposals, and in all of them nothing runs in these countries; false for none. */
export function areKeptOutOf(countries: readonly string[], proposals: readonly Pick<Proposal, 'ext'>[]): boolean {
  const isOut = (proposal: Pick<Proposal, 'ext'>) => {
    const { geo_countries: alone, geo_countries_exclude: not = [] } = targetingOf(proposal)
    return countries.every((country) => (alone ? !alone.includes(country) : not.includes(country)))
  }
  return countries.length > 0 && proposals.length > 0 && proposals.every(isOut)
}

/** The targeting by which a package of a product keeps what its proposal carries. */
export function limitOverlay(proposal: Pick<Proposal, 'ext'>, product: Product | undefined): TargetingOverlay {
  return hardOverlay(product, targetingOf(proposal))
}

/** A package of a buyer's own beside a proposal: what it does not name itself, it has of the proposal. */
export function withLimit<P extends { readonly targeting_overlay?: TargetingOverlay }>(
  pkg: P,
  proposal: Pick<Proposal, 'ext'>,
  product: Product | undefined,
): P {
  const { targeting_overlay: own = {} } = pkg
  const { geo_countries: countries, geo_countries_exclude: not, ...others } = limitOverlay(proposal, product)
  const isPlaced = Object.keys(own).some((name) => name.startsWith('geo_'))
  const places = isPlaced ? {} : { ...(countries && { geo_countries: countries }), ...(not && { geo_countries_exclude: not }) }
  const overlay = { ...others, ...places, ...own }
  return Object.keys(overlay).length > 0 ? { ...pkg, targeting_overlay: overlay } : pkg
}

/** Those of a plan's products whose delivery cannot be limited to some countries: by what their ad server keeps, or because they run in none of these. */
export function unlimitable(
  products: readonly Product[],
  countries: readonly string[],
  keepsOf: KeepsTargeting = () => undefined,
): readonly Product[] {
  return products.filter((product) => !keepsHard(product, { geo_countries: countries }, keepsOf))
}

/** Of languages and a cap, what the ad servers of all these products keep. */
export function keptOf(
  { language = [], frequency_cap: cap }: PlanTargeting,
  products: readonly Product[],
  keepsOf: KeepsTargeting = () => undefined,
): PlanTargeting {
  const takes = takesOf(keepsOf)
  const keepsAll = (name: string) => products.every((product) => takes(product, name))
  return {
    ...(language.length > 0 && keepsAll('language') && { language }),
    ...(cap && keepsAll('frequency_cap') && { frequency_cap: cap }),
  }
}

/** Of languages and caps, what all of these proposals carry alike; nothing where there are none. */
export function carriedByAll(proposals: readonly Pick<Proposal, 'ext'>[]): PlanTargeting {
  const [first, ...more] = proposals.map(targetingOf)
  if (!first) return {}
  const { language, frequency_cap: cap } = first
  const isSame = (name: 'language' | 'frequency_cap') =>
    more.every((each) => JSON.stringify(each[name]) === JSON.stringify(first[name]))
  return { ...(language && isSame('language') && { language }), ...(cap && isSame('frequency_cap') && { frequency_cap: cap }) }
}
