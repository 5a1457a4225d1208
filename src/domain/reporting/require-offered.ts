import { isDeepStrictEqual } from 'node:util'
import { AdcpError } from '../../protocol/errors.ts'
import { instead, quoted } from '../../protocol/nearest-name.ts'
import { FORMS, needsHours } from './form.ts'
import type { ReportingConfig } from './generation.ts'
import {
  filesAddress,
  methodOf,
  OFFERINGS,
  offeringsFor,
  type ReportingOffering,
  reconciliationMode,
  scheduleOf,
} from './offering.ts'

/** What an offering is for one buyer of a publisher. */
export interface OfferedPlace {
  /** Of the agent. */
  readonly origin: string
  /** The buyer's: it names the buyer, and is no permission. */
  readonly destinationRef: string
  /** In which the publisher counts its days. */
  readonly timeZone: string
  /** Whether the ad servers that the buyer's orders are booked in count by the hour. */
  readonly countsHours: boolean
}

/** Throws UNSUPPORTED_FEATURE for what is not exactly one of the offerings. */
export function requireOffered(config: ReportingConfig, at: string, place: OfferedPlace): void {
  const offered = offeringsFor(place)
  const offering = offered.find(({ offeringId }) => offeringId === config.offering_id)
  if (!offering) {
    requireHours(config, at)
    const hint = instead(
      config.offering_id,
      offered.map(({ offeringId }) => offeringId),
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
    schedule: scheduleOf(offering, place.timeZone),
    authoritative_party: config.authoritative_party === 'seller' ? 'seller' : undefined,
  }
  for (const [name, value] of Object.entries(expected)) requireValue(config, name, value, { offering, at })
  requireMethod(config, offering, at, place)
}

/** Throws for an offering that others have: an ad server that counts by day has neither hours nor days of another time zone. */
function requireHours({ offering_id: id }: ReportingConfig, at: string): void {
  const offering = OFFERINGS.find(({ offeringId }) => offeringId === id)
  if (!offering || !needsHours(FORMS[offering.form])) return
  const field = `${at}.offering_id`
  const message = `${field} ${quoted(id)} needs counts by the hour, and an ad server of your orders counts by day; send delivery-daily-snapshot or delivery-daily-official`
  throw new AdcpError('UNSUPPORTED_FEATURE', message, { field })
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
function requireMethod(config: ReportingConfig, offering: ReportingOffering, at: string, place: OfferedPlace): void {
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
