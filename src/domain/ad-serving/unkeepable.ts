import type { BackendCapabilities } from './capabilities.ts'
import type { LineSettings } from './desired-order.ts'

/** Something of a line that an ad server cannot keep. */
export interface Unkeepable {
  /** Wire name of the member of a package. */
  readonly field: string
  /** What was asked for, and what the ad server can keep. */
  readonly message: string
}

/** What an ad server cannot keep of a line. Empty: all of it. */
export function unkeepable(
  { price, pacing, targeting }: Pick<LineSettings, 'price' | 'pacing' | 'targeting'>,
  capabilities: Pick<BackendCapabilities, 'pricing' | 'pacing' | 'targeting'>,
): readonly Unkeepable[] {
  const known: readonly string[] = capabilities.targeting
  const dimensions = Object.entries(targeting ?? {}).filter(([, value]) => value !== undefined && !isEmpty(value))
  return [
    ...(capabilities.pricing.includes(price.model)
      ? []
      : [{ field: 'pricing_option_id', message: `${price.model} pricing; it keeps ${listed(capabilities.pricing)}` }]),
    ...(capabilities.pacing.includes(pacing)
      ? []
      : [{ field: 'pacing', message: `${pacing} pacing; it keeps ${listed(capabilities.pacing)}` }]),
    ...dimensions
      .filter(([dimension]) => !known.includes(dimension))
      .map(([dimension]) => ({
        field: `targeting_overlay.${dimension}`,
        message: `targeting by ${dimension}; it keeps ${listed(known)}`,
      })),
  ]
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function listed(values: readonly string[]): string {
  return values.length === 0 ? 'none' : values.join(', ')
}
