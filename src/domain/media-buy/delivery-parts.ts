import type { Product } from '../product/product.ts'
import type { DeviceType, TargetingOverlay } from '../product/targeting-overlay.ts'
import type { Part } from './breakdown.ts'

/** What the parts of a simulated package are made of. */
export interface Inventory {
  readonly product: Product
  readonly overlay: TargetingOverlay | undefined
  readonly channels: readonly string[]
  /** Name and matched people of each audience of the buyer. */
  readonly audiences: ReadonlyMap<string, { readonly name: string | undefined; readonly matched: number }>
}

export interface AudienceLabel {
  readonly id: string
  readonly source: 'synced' | 'platform' | 'unknown'
  readonly name: string | undefined
}

/** Devices that channels are seen or heard on, with what each is of the whole. Channels that are not listed say nothing about devices. */
const DEVICES: Readonly<Record<string, readonly Part<DeviceType>[]>> = {
  display: devices({ mobile: 60, desktop: 32, tablet: 8 }),
  olv: devices({ mobile: 55, desktop: 35, tablet: 10 }),
  social: devices({ mobile: 85, desktop: 10, tablet: 5 }),
  search: devices({ mobile: 60, desktop: 36, tablet: 4 }),
  streaming_audio: devices({ mobile: 75, desktop: 20, tablet: 5 }),
  podcast: devices({ mobile: 80, desktop: 15, tablet: 5 }),
  gaming: devices({ mobile: 80, desktop: 15, tablet: 5 }),
  ctv: devices({ ctv: 100 }),
  linear_tv: devices({ ctv: 100 }),
  dooh: devices({ dooh: 100 }),
}

/**
 * Whom a package reaches. A package that targets audiences reaches them, in proportion to the people whom the publisher knows of each; any other one the
 * publisher's own segments of the product and, as one more part, people of whom nothing is known.
 */
export function audienceParts({ product, overlay, audiences }: Inventory): readonly Part<AudienceLabel>[] {
  const targeted = [...new Set(overlay?.audience_include)]
  if (targeted.length > 0) {
    return targeted.map((id) => {
      const { name, matched = 0 } = audiences.get(id) ?? {}
      return { label: { id, source: 'synced', name }, weight: Math.max(1, matched) }
    })
  }
  const segments = product.selling.audiences.map((name) => ({
    label: { id: name, source: 'platform', name } as const,
    weight: 1,
  }))
  return [...segments, { label: { id: 'unknown', source: 'unknown', name: undefined }, weight: 1 }]
}

/** The devices of the package's channels, of those that it targets; none where the channels say nothing about devices. */
export function deviceParts({ channels, overlay }: Inventory): readonly Part<DeviceType>[] {
  const weights = new Map<DeviceType, number>()
  for (const { label, weight } of channels.flatMap((channel) => DEVICES[channel] ?? [])) {
    weights.set(label, (weights.get(label) ?? 0) + weight)
  }
  const parts = [...weights].map(([label, weight]) => ({ label, weight }))
  const excluded: readonly string[] = overlay?.device_type_exclude ?? []
  const included: readonly string[] | undefined = overlay?.device_type
  const reached = parts.filter(({ label }) => (included?.includes(label) ?? true) && !excluded.includes(label))
  return reached.length > 0 || parts.length === 0 ? reached : [{ label: 'unknown', weight: 1 }]
}

/** The countries or regions that the package targets within what the product covers; none where it is bound to no places. */
export function placeParts({ product, overlay }: Inventory, level: 'country' | 'region'): readonly Part<string>[] {
  const { coverage } = product.selling
  const [covered, included, excluded] =
    level === 'country'
      ? [coverage.countries, overlay?.geo_countries, overlay?.geo_countries_exclude]
      : [coverage.regions, overlay?.geo_regions, overlay?.geo_regions_exclude]
  const wanted = included && covered ? included.filter((place) => covered.includes(place)) : (included ?? covered ?? [])
  return [...new Set(wanted)].filter((place) => !excluded?.includes(place)).map((label) => ({ label, weight: 1 }))
}

export function placementParts({
  product,
}: Inventory): readonly Part<{ readonly id: string; readonly name: string | undefined }>[] {
  return (product.offer.placements ?? []).map(({ placement_id: id, name }) => ({ label: { id, name }, weight: 1 }))
}

function devices(shares: Partial<Record<DeviceType, number>>): readonly Part<DeviceType>[] {
  return (['mobile', 'desktop', 'tablet', 'ctv', 'dooh'] as const).flatMap((label) => {
    const weight = shares[label]
    return weight === undefined ? [] : [{ label, weight }]
  })
}
