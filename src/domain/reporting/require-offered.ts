import { isDeepStrictEqual } from 'node:util'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import { FORMS } from './form.ts'
import type { ReportingConfig } from './generation.ts'
import { filesAddress, methodOf, OFFERINGS, type ReportingOffering, reconciliationMode, scheduleOf } from './offering.ts'

/** Where the files of a buyer are. */
export interface FilePlace {
  /** Of the agent. */
  readonly origin: string
  /** The buyer's: it names the buyer, and is no permission. */
  readonly destinationRef: string
}

/** Throws UNSUPPORTED_FEATURE for what is not exactly one of the offerings. */
export function requireOffered(config: ReportingConfig, at: string, place: FilePlace): void {
  const offering = OFFERINGS.find(({ offeringId }) => offeringId === config.offering_id)
  if (!offering) {
    const hint = instead(
      config.offering_id,
      OFFERINGS.map(({ offeringId }) => offeringId),
      'see get_adcp_capabilities',
    )
    const field = `${at}.offering_id`
    throw new AdcpError('UNSUPPORTED_FEATURE', `${field} ${quoted(config.offering_id)} is not offered${hint}`, { field })
  }
  const { definitionId, profile } = FORMS[offering.form]
  const expected: Readonly<Record<string, unknown>> = {
    feed_purpose: offering.feedPurpose,
    report_definition_id: definitionId,
    reporting_profile: profile.id,
    required_finality: offering.finality,
    reconciliation_mode: reconciliationMode(offering),
    schedule: scheduleOf(offering),
    authoritative_party: config.authoritative_party === 'seller' ? 'seller' : undefined,
  }
  for (const [name, value] of Object.entries(expected)) requireValue(config, name, value, { offering, at })
  requireMethod(config, offering, at, place)
}

function requireValue(
  config: ReportingConfig,
  name: string,
  value: unknown,
  { offering, at }: { readonly offering: ReportingOffering; readonly at: string },
): void {
  if (isDeepStrictEqual(config[name], value)) return
  const field = `${at}.${name}`
  const instruction = value === undefined ? 'leave it out' : `send ${JSON.stringify(value)}`
  throw new AdcpError('UNSUPPORTED_FEATURE', `${field} is not that of ${offering.offeringId}: ${instruction}`, { field })
}

/** The files of a buyer are in one place, which is known before: it is named by its address (`provision`) or by its reference (`existing`). */
function requireMethod(config: ReportingConfig, offering: ReportingOffering, at: string, place: FilePlace): void {
  const delivered = methodOf(offering, place.origin)
  if (!delivered) {
    requireValue(config, 'method', undefined, { offering, at })
    return
  }
  const { provider, method } = delivered
  const provision = { mode: 'provision', provider, location: filesAddress(place.origin) }
  const existing = { mode: 'existing', destination_ref: place.destinationRef }
  const isOurs = [provision, existing].some((destination) => isDeepStrictEqual(config.method, { ...method, destination }))
  if (!isOurs) requireValue(config, 'method', { ...method, destination: provision }, { offering, at })
}
