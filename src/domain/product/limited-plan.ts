import { hardOverlay, keepsHard } from './hard-targeting.ts'
import type { KeepsTargeting } from './overlay-support.ts'
import type { Product } from './product.ts'
import type { Proposal } from './proposal.ts'
import type { TargetingOverlay } from './targeting-overlay.ts'

/** The most countries that an id carries: it has at most 255 characters. */
const MOST_COUNTRIES = 20
const SUFFIX = /~only((?:-[A-Z]{2}){1,20})$/

/** A proposal whose packages deliver in some countries (ISO 3166-1 alpha-2) alone; `ext.targeting_overlay` shows it, and its order is targeted so. */
export function limitedTo<P extends Proposal>(proposal: P, countries: readonly string[]): P {
  return { ...proposal, ext: { ...proposal.ext, targeting_overlay: { geo_countries: [...countries] } } }
}

/** The same, with the countries in its id, so that a later request by that id means the same; as it is where they are too many to be carried. */
export function limitedById<P extends Proposal>(proposal: P, countries: readonly string[] | undefined): P {
  if (!countries || countries.length === 0 || countries.length > MOST_COUNTRIES) return proposal
  return limitedTo({ ...proposal, proposal_id: `${proposal.proposal_id}~only-${countries.join('-')}` }, countries)
}

/** The id of the plan and the countries that an id carries; undefined when it carries none. */
export function readLimitId(id: string): { readonly planId: string; readonly countries: readonly string[] } | undefined {
  const [suffix = '', codes = ''] = SUFFIX.exec(id) ?? []
  if (suffix === '' || suffix.length === id.length) return undefined
  return { planId: id.slice(0, -suffix.length), countries: codes.slice(1).split('-') }
}

/** The countries that a proposal is limited to; empty: to none. */
export function limitOf({ ext }: Pick<Proposal, 'ext'>): readonly string[] {
  const overlay: unknown = ext && Reflect.get(ext, 'targeting_overlay')
  const countries: unknown = typeof overlay === 'object' && overlay !== null ? Reflect.get(overlay, 'geo_countries') : undefined
  return Array.isArray(countries) ? countries.filter((country) => typeof country === 'string') : []
}

/** Whether there are proposals, and all of them are limited to these countries; false for none. */
export function areLimitedTo(countries: readonly string[], proposals: readonly Pick<Proposal, 'ext'>[]): boolean {
  const isLimited = (proposal: Pick<Proposal, 'ext'>) => {
    const limit = limitOf(proposal)
    return limit.length > 0 && limit.every((country) => countries.includes(country))
  }
  return countries.length > 0 && proposals.length > 0 && proposals.every(isLimited)
}

/** The targeting by which a package of a product keeps the limit of its proposal. */
export function limitOverlay(proposal: Pick<Proposal, 'ext'>, product: Product | undefined): TargetingOverlay {
  return hardOverlay(product, { geo_countries: limitOf(proposal) })
}

/** A package of a buyer's own beside a proposal: where it names no places itself, it has those of the proposal. */
export function withLimit<P extends { readonly targeting_overlay?: TargetingOverlay }>(
  pkg: P,
  proposal: Pick<Proposal, 'ext'>,
  product: Product | undefined,
): P {
  const { targeting_overlay: own = {} } = pkg
  if (Object.keys(own).some((name) => name.startsWith('geo_'))) return pkg
  const overlay = { ...own, ...limitOverlay(proposal, product) }
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
