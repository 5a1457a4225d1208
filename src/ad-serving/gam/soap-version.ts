/** The version of the SOAP API that is called, unless the options name another. */
export const GAM_SOAP_VERSION = 'v202608'

/** Months from the release of a version until it is deprecated, and until it answers no more (https://developers.google.com/ad-manager/api/deprecation: about a year). */
const DEPRECATED_MONTHS = 9
const SERVED_MONTHS = 12

/** What a person has to know of a version `vYYYYMM` that ends soon or has ended; undefined while neither is so. */
export function soapVersionWarning(version: string, now: Date): string | undefined {
  const [year, month] = [Number(version.slice(1, 5)), Number(version.slice(5, 7))]
  const age = (now.getUTCFullYear() - year) * 12 + now.getUTCMonth() + 1 - month
  if (age < DEPRECATED_MONTHS) return undefined
  const end = new Date(Date.UTC(year, month - 1 + SERVED_MONTHS)).toISOString().slice(0, 7)
  const what = age < SERVED_MONTHS ? `is served until about ${end}` : `is served no longer since about ${end}`
  return `version ${version} of the SOAP API ${what}: set options.soapVersion to a newer one, or update this program`
}
