/**
 * Purposes whose keys outlive a rotation of the deployment's secret. What they make is stored, or known to buyers, and cannot be computed back: pseudonyms of
 * people; the keys of rights grants and the checkout tokens of sessions, which answers repeat.
 */
export const LASTING_PURPOSES = ['pseudonyms', 'rights-keys', 'checkout-tokens'] as const
export type LastingPurpose = (typeof LASTING_PURPOSES)[number]
export type LastingKeys = Readonly<Record<LastingPurpose, Buffer>>

/** The purpose under which lasting keys are sealed. */
export const LASTING = 'lasting-keys'

/** The row that a lasting key is sealed for. */
export function lastingKeyPlace(purpose: string): string {
  return `lasting-key/${purpose}`
}
