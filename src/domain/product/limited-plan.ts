import { capWords } from './asked-cap.ts'
import { type HardTargeting, hardOverlay, keepsHard } from './hard-targeting.ts'
import { type KeepsTargeting, takesOf } from './overlay-support.ts'
import type { Product } from './product.ts'
import type { Proposal } from './proposal.ts'
import type { FrequencyCap, TargetingOverlay } from './targeting-overlay.ts'

/** Targeting that a plan passes on to its packages: countries (ISO 3166-1 alpha-2) that delivery is limited to or excluded from, languages (ISO 639-1), a frequency cap by device. */
export interface PlanTargeting {
  readonly geo_countries?: readonly string[]
  readonly geo_countries_exclude?: readonly string[]
  readonly language?: readonly string[]
  readonly frequency_cap?: FrequencyCap
}

/** Countries in the id of a plan at most: an id has at most 255 characters. */
const MOST_COUNTRIES = 20
const SUFFIX = /~only((?:-[A-Z]{2}){1,20})$/
const EXCLUDED = /~not((?:-[A-Z]{2}){1,20})$/
const LANGUAGES = /~lang((?:-[a-z]{2}){1,5})$/
const CAP = /~cap-(\d{1,2})-(\d{1,2})-(hours|days)$/

/** The proposal with this targeting added. `ext.targeting_overlay` shows it, and an order of the proposal gets it. */
export function targetedTo<P extends Proposal>(proposal: P, targeting: PlanTargeting): P {
  const own = targetingOf(proposal)
  const overlay = joined(own, targeting)
  return Object.keys(overlay).length === 0 ? proposal : { ...proposal, ext: { ...proposal.ext, targeting_overlay: overlay } }
}

/** The proposal without the frequency cap of its targeting. */
export function withoutCap<P extends Proposal>(proposal: P): P {
  const { targeting_overlay: overlay, ...ext }: { readonly targeting_overlay?: object } & object = proposal.ext ?? {}
  if (!overlay) return proposal
  const { frequency_cap: _cap, ...others }: { readonly frequency_cap?: unknown } & object = overlay
  return { ...proposal, ext: { ...ext, ...(Object.keys(others).length > 0 && { targeting_overlay: others }) } }
}

/** Adds targeting to that of a plan. Where the countries that it is limited to and those that it excludes contradict each other, the added ones win. */
export function joined(own: HardTargeting, more: PlanTargeting): HardTargeting {
  const all = { ...own, ...more }
  const { geo_countries: alone, geo_countries_exclude: not, ...others } = all
  if (!alone || !not) return all
  const left = alone.filter((country) => !not.includes(country))
  if (left.length > 0) return { ...others, geo_countries: left }
  return { ...others, ...(more.geo_countries ? { geo_countries: alone } : { geo_countries_exclude: not }) }
}

/** Like {@link targetedTo}, with the targeting encoded in the id of the proposal, so that a later request by the id means the same. Countries and languages that are too many for an id are left out. */
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

/** Decodes an id: the id of the plan, and the targeting. Undefined when the id has no targeting. */
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

/** The targeting that a proposal passes on to its packages. */
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

/** The countries that a proposal is limited to; empty: it is not limited. */
export function limitOf(proposal: Pick<Proposal, 'ext'>): readonly string[] {
  return targetingOf(proposal).geo_countries ?? []
}

/** The targeting in words; empty: there is none. */
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

/** Whether there are proposals, and all of them are limited to these countries; false for no countries. */
export function areLimitedTo(countries: readonly string[], proposals: readonly Pick<Proposal, 'ext'>[]): boolean {
  const isLimited = (proposal: Pick<Proposal, 'ext'>) => {
    const limit = limitOf(proposal)
    return limit.length > 0 && limit.every((country) => countries.includes(country))
  }
  return countries.length > 0 && proposals.length > 0 && proposals.every(isLimited)
}

/** Whether there are proposals, and all of them exclude these countries; false for no countries. */
export function areKeptOutOf(countries: readonly string[], proposals: readonly Pick<Proposal, 'ext'>[]): boolean {
  const isOut = (proposal: Pick<Proposal, 'ext'>) => {
    const { geo_countries: alone, geo_countries_exclude: not = [] } = targetingOf(proposal)
    return countries.every((country) => (alone ? !alone.includes(country) : not.includes(country)))
  }
  return countries.length > 0 && proposals.length > 0 && proposals.every(isOut)
}

/** The targeting overlay that a package of a product needs to follow its proposal. */
export function limitOverlay(proposal: Pick<Proposal, 'ext'>, product: Product | undefined): TargetingOverlay {
  return hardOverlay(product, targetingOf(proposal))
}

/** A package that the buyer sends beside a proposal: what the package does not set itself comes from the proposal. */
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

/** The products of a plan whose delivery cannot be limited to these countries: their ad server cannot target countries, or they run in none of these. */
export function unlimitable(
  products: readonly Product[],
  countries: readonly string[],
  keepsOf: KeepsTargeting = () => undefined,
): readonly Product[] {
  return products.filter((product) => !keepsHard(product, { geo_countries: countries }, keepsOf))
}

/** Languages and frequency cap, as far as the ad servers of all these products support them. */
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

/** Languages and frequency cap that all of these proposals have in common; nothing for no proposals. */
export function carriedByAll(proposals: readonly Pick<Proposal, 'ext'>[]): PlanTargeting {
  const [first, ...more] = proposals.map(targetingOf)
  if (!first) return {}
  const { language, frequency_cap: cap } = first
  const isSame = (name: 'language' | 'frequency_cap') =>
    more.every((each) => JSON.stringify(each[name]) === JSON.stringify(first[name]))
  return { ...(language && isSame('language') && { language }), ...(cap && isSame('frequency_cap') && { frequency_cap: cap }) }
}
