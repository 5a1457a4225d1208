import type { ReadConsent } from '../../platform/decode/consent.ts'
import type { TcString } from '../../platform/decode/tc-string.ts'

/** TCF policies, purpose 1: store and access information on a device. The id that a page gives was read from there. */
const STORAGE = 1

/** Whether a user opted out: in the US Privacy string or in a section of the GPP string. */
export function optsOut({ gpp, usPrivacy }: Pick<ReadConsent, 'gpp' | 'usPrivacy'>): boolean {
  return usPrivacy === true || gpp?.optsOut === true
}

/**
 * Whether the publisher's id of a visitor may be used. Only where the page says so: the GDPR does not apply, or a TC string, its own or in a GPP string, has
 * consent to purpose 1; and there is no opt-out and no Global Privacy Control. A string that cannot be read is no consent.
 */
export function allowsId(consent: ReadConsent, purposes: readonly number[] = [STORAGE]): boolean {
  const { gdpr, tcf, gpp, undecodable } = consent
  if (optsOut(consent) || undecodable.has('gpp') || undecodable.has('usPrivacy')) return false
  if (gpp?.tcString && !consentsTo(gpp.tcString, purposes)) return false
  if (gdpr === false || gpp?.tcString) return true
  return tcf !== undefined && consentsTo(tcf, purposes)
}

function consentsTo({ purposes }: TcString, wanted: readonly number[]): boolean {
  return wanted.every((purpose) => purposes.has(purpose))
}
