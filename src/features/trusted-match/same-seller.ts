import { canonicalUrl } from '../../domain/canonical-url.ts'

/** Whether two addresses name one seller agent: compared in canonical form (AdCP url-canonicalization); what is no URL names none. */
export function sameSeller(a: string, b: string): boolean {
  try {
    return canonicalUrl(a).targetUri === canonicalUrl(b).targetUri
  } catch {
    return false
  }
}
