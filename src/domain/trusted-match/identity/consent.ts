import type { IdentityRequest } from './identity-messages.ts'

/** Countries where tokens of users need consent: those of the EEA, the United Kingdom and Switzerland. */
const CONSENT_COUNTRIES: ReadonlySet<string> = new Set(
  'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK'.split(' '),
)

/**
 * Why the tokens of a request may not be processed (specification, "Consent handling"): consent that is missing is unknown, not given. Undefined when
 * they may. What a consent string permits its reader decides.
 */
export function consentFault({ consent, country }: Pick<IdentityRequest, 'consent' | 'country'>): string | undefined {
  if (consent === undefined)
    return country !== undefined && CONSENT_COUNTRIES.has(country) ? `consent is required for a user in ${country}` : undefined
  const { gdpr, tcf_consent: tcf } = consent
  return gdpr === true && (typeof tcf !== 'string' || tcf === '')
    ? 'consent.tcf_consent is required where consent.gdpr is true'
    : undefined
}
