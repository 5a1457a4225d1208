import type { Decision } from '../../ad-serving/embedded/service.ts'
import type { Macros } from '../../domain/creative/macros/fill.ts'
import type { AdAddresses } from './addresses.ts'
import type { DecisionRequest } from './decision-request.ts'

/**
 * Values of the universal macros (AdCP enums/universal-macro.json) that the ad server knows of an ad. Those of the visitor's person or device are
 * not filled: advertisers get no address, no id and no `User-Agent`.
 */
export function adMacros(
  { served: { decisionId, place, at }, creative: { size }, names }: Pick<Decision, 'served' | 'creative' | 'names'>,
  addresses: { readonly click: string },
  {
    page_url: page,
    keywords,
    consent,
    exposure_tokens: tokens,
  }: Pick<DecisionRequest, 'page_url' | 'keywords' | 'consent' | 'exposure_tokens'> = {},
): Macros {
  const host = page !== undefined && URL.canParse(page) ? new URL(page).hostname : undefined
  return {
    // First, so that a page's names take no value of the ad server.
    ...tokens,
    MEDIA_BUY_ID: names.mediaBuyId,
    PACKAGE_ID: names.packageId,
    CREATIVE_ID: names.creativeId,
    IMPRESSION_ID: decisionId,
    CLICK_URL: addresses.click,
    CACHEBUSTER: decisionId,
    TIMESTAMP: String(at),
    PLACEMENT_ID: place,
    AD_WIDTH: size && String(size.width),
    AD_HEIGHT: size && String(size.height),
    PAGE_URL: page,
    DOMAIN: host,
    KEYWORDS: keywords?.join(','),
    GDPR: consent?.gdpr === undefined ? undefined : consent.gdpr ? '1' : '0',
    GDPR_CONSENT: consent?.tcf,
    GPP_STRING: consent?.gpp,
    US_PRIVACY: consent?.us_privacy,
  }
}

/** Macros for a token alone, as the click redirect and frames know it. */
export function tokenMacros(ad: Pick<Decision, 'served' | 'creative' | 'names'>, token: string, addresses: AdAddresses): Macros {
  return adMacros(ad, { click: addresses.click(token) })
}
