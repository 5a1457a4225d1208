import { AdcpError } from '../../../protocol/errors.ts'
import type { Assets } from '../assets.ts'
import type { Format } from '../formats/format.ts'
import { briefOf } from './copy.ts'

/**
 * Holds the disclosures that a brief requires against what a format can show. Throws COMPLIANCE_UNSATISFIED for the first that
 * the format has no place or no persistence for. `field` is the path of the assets.
 */
export function requireDisclosable(format: Format, assets: Assets, field: string): void {
  const required = briefOf(assets)?.compliance?.required_disclosures ?? []
  for (const [index, { position, persistence }] of required.entries()) {
    const places = placesOf(format).filter((place) => position === undefined || place.position === position)
    const lasting = places.filter((place) => persistence === undefined || place.persistence.includes(persistence))
    if (lasting.length > 0) continue
    const path = `${field}.brief.compliance.required_disclosures[${index}]`
    const missing = places.length === 0 ? `the position ${position ?? 'of any kind'}` : `the persistence ${persistence}`
    throw new AdcpError(
      'COMPLIANCE_UNSATISFIED',
      `${path} cannot be shown: the format ${format.format_id.id} does not have ${missing}`,
      {
        field: path,
      },
    )
  }
}

interface Place {
  readonly position: string
  readonly persistence: readonly string[]
}

/** `disclosure_capabilities` outranks the flat list, which promises no persistence (AdCP core/format.json). */
function placesOf({ disclosure_capabilities, supported_disclosure_positions }: Format): readonly Place[] {
  return disclosure_capabilities ?? (supported_disclosure_positions ?? []).map((position) => ({ position, persistence: [] }))
}
