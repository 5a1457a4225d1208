import type { Consent, ReadConsent } from '../../../platform/decode/consent.ts'
import { allowsId } from '../../consent/allows-id.ts'
import type { IdentityRequest } from './identity-messages.ts'

/**
 * Countries where tokens of users need consent (ISO 3166-1): the EEA, Switzerland and the United Kingdom, and the places with a code of their own where the same rules hold. Union
 * law applies to French Guiana, Guadeloupe, Martinique, Mayotte, Réunion and Saint-Martin, and to Åland (TFEU, Article 355(1) and (4)). French law extends the
 * regulation's rules to the overseas countries: New Caledonia, French Polynesia, Wallis and Futuna, the southern lands, Saint Barthélemy, Saint Pierre and Miquelon
 * (Loi 78-17, Title V); Norwegian law to Svalbard and Jan Mayen. Gibraltar, Guernsey, Jersey and the Isle of Man have it as their own law. Greenland, the Faroes and the Dutch
 * Caribbean have other laws.
 */
const CONSENT_COUNTRIES: ReadonlySet<string> = new Set(
  (
    'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK ' +
    'GF GP MQ YT RE MF AX NC PF WF TF BL PM SJ GI GG JE IM'
  ).split(' '),
)

/** TCF policies: store and access information on a device (1), and choose advertising by a profile (4): tokens are matched with audiences. */
const MATCH_PURPOSES = [1, 4]

/** How the strings are called in requests, and what each has to be. */
const STRINGS = {
  tcf: ['consent.tcf_consent', 'a TC string of version 2'],
  gpp: ['consent.gpp', 'a GPP string of version 1'],
  usPrivacy: ['consent.us_privacy', 'a US Privacy string such as 1YNN'],
} as const

/** What a request says of consent, as it is read. */
export function consentOf({ consent = {} }: Pick<IdentityRequest, 'consent'>): Consent {
  const { gdpr, tcf_consent: tcf, gpp, us_privacy: usPrivacy } = consent
  return {
    ...(typeof gdpr === 'boolean' && { gdpr }),
    ...(typeof tcf === 'string' && { tcf }),
    ...(typeof gpp === 'string' && { gpp }),
    ...(typeof usPrivacy === 'string' && { usPrivacy }),
  }
}

/**
 * Why a request is refused (specification, "Consent handling"): consent that is missing where it is needed is unknown, not given, and a string that cannot be read is not
 * sent on to those who would have to guess. `read` is `consent`, read. Undefined when nothing is wrong.
 */
export function consentFault(
  { consent, country }: Pick<IdentityRequest, 'consent' | 'country'>,
  { undecodable }: Pick<ReadConsent, 'undecodable'>,
): string | undefined {
  if (consent === undefined)
    return needsConsent(country) ? `consent is required for a user in ${country}; send consent with tcf_consent` : undefined
  for (const [name, reason] of undecodable) {
    const [field, expected] = STRINGS[name]
    return `${field} cannot be read: ${reason}; send ${expected}, as the consent platform gives it, or leave it out`
  }
  const { gdpr, tcf_consent: tcf, gpp } = consent
  return gdpr === true && tcf === undefined && gpp === undefined
    ? 'consent.tcf_consent is required where consent.gdpr is true; consent.gpp with a section for Europe takes its place'
    : undefined
}

/**
 * Whether tokens of a user may be matched: nobody whose user opted out is asked about, and where the GDPR holds, or the country is unknown and nothing says that it does not,
 * a TC string has to consent to the purposes of a match.
 */
export function mayMatch({ consent, country }: Pick<IdentityRequest, 'consent' | 'country'>, read: ReadConsent): boolean {
  if (consent === undefined) return country !== undefined && !needsConsent(country)
  const { gdpr = needsConsent(country) ? true : undefined } = read
  // A TC string counts wherever it is sent: who gave it was asked.
  const isForeign = gdpr === undefined && country !== undefined && read.tcf === undefined
  // A US Privacy string, or a country without the GDPR, says as much as `gdpr: false` where nothing says otherwise.
  const isOutside = isForeign || (gdpr === undefined && read.usPrivacy !== undefined && read.gpp === undefined)
  const said = isOutside ? false : gdpr
  return allowsId({ ...read, ...(said !== undefined && { gdpr: said }) }, MATCH_PURPOSES)
}

function needsConsent(country: string | undefined): boolean {
  return country !== undefined && CONSENT_COUNTRIES.has(country)
}
