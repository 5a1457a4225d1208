import { AdcpError } from '../../protocol/errors.ts'
import type { Flight } from '../calendar/flight.ts'
import { HOUR_MS } from '../calendar/instant.ts'
import type { Product } from '../product/product.ts'
import type { CreativeFact, MediaBuy, Package } from './media-buy.ts'

/**
 * Until when creatives of a package can be put on it or changed (AdCP create_media_buy, `creative_deadline`), ISO 8601 UTC: as long before its flight as its
 * product says. Undefined where the product sets no such time: creatives are taken until the flight ends.
 */
export function creativeDeadline({ creativeLeadHours, terms }: Package): string | undefined {
  if (creativeLeadHours === undefined) return undefined
  return new Date(Date.parse(terms.startsAt) - creativeLeadHours * HOUR_MS).toISOString()
}

/**
 * The deadline of a media buy, ISO 8601 UTC: the first of its packages. Undefined where one that needs creatives has none, since that of the media buy holds for a package that states
 * none (core/package.json).
 */
export function firstCreativeDeadline({ packages }: MediaBuy): string | undefined {
  const waiting = packages.filter((pkg) => pkg.needsCreatives && !pkg.cancellation)
  const deadlines = waiting.flatMap((pkg) => creativeDeadline(pkg) ?? [])
  return deadlines.length < waiting.length ? undefined : deadlines.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0]
}

/** Whether the time for the creatives of a package is over. */
export function isPastDeadline(pkg: Package, now: Date): boolean {
  const deadline = creativeDeadline(pkg)
  return deadline !== undefined && now.getTime() > Date.parse(deadline)
}

/** Throws VALIDATION_ERROR for a flight that starts when the creatives of its product would be due already. */
export function requireLeadTime(product: Product, { startsAt }: Flight, path: string, now: Date): void {
  const { creativeLeadHours: hours } = product.selling
  if (hours === undefined || Date.parse(startsAt) - hours * HOUR_MS >= now.getTime()) return
  const field = `${path}.start_time`
  const first = new Date(now.getTime() + hours * HOUR_MS).toISOString()
  throw new AdcpError(
    'VALIDATION_ERROR',
    `${field}: creatives of ${product.id} are due ${hours} hours before the flight, so it can start at ${first} at the earliest`,
    { field },
  )
}

interface CreativeChange {
  readonly creative_assignments?: readonly { readonly creative_id: string }[]
  readonly creatives?: readonly { readonly creative_id: string }[]
}

/**
 * Throws CREATIVE_DEADLINE_EXCEEDED for a change of a package's creatives after its deadline. Creatives of it that were rejected can be sent anew: the buyer
 * mends what the seller found (media-buy specification, "Interaction with creative_deadline").
 */
export function requireBeforeDeadline(
  pkg: Package,
  change: CreativeChange,
  { creatives, now, path }: { readonly creatives: readonly CreativeFact[]; readonly now: Date; readonly path: string },
): void {
  const { creative_assignments: assigned, creatives: sent } = change
  if ((!assigned && !sent) || !isPastDeadline(pkg, now)) return
  const rejected = new Set(creatives.filter(({ approval }) => approval === 'rejected').map(({ creativeId }) => creativeId))
  const named = [...(assigned ?? []), ...(sent ?? [])]
  if (named.length > 0 && named.every(({ creative_id: id }) => rejected.has(id))) return
  const field = `${path}.${sent ? 'creatives' : 'creative_assignments'}`
  throw new AdcpError('CREATIVE_DEADLINE_EXCEEDED', `${field}: ${deadlineText(pkg)}`, {
    field,
    details: { creative_deadline: creativeDeadline(pkg) },
  })
}

/** Why creatives of a package are no longer taken. */
export function deadlineText(pkg: Package): string {
  return `creatives of the package were due by ${creativeDeadline(pkg)}; it serves those that it has`
}
