import type { CanonicalUrl } from '../../domain/canonical-url.ts'
import { SignatureFault } from './challenge.ts'
import { fieldValue, type HeaderFields } from './header-fields.ts'

/** What a signature covers, resolved: the method as sent, the canonical URL, the fields. */
export interface SignedContent {
  readonly method: string
  readonly url: CanonicalUrl
  readonly fields: HeaderFields
}

const DERIVED: Readonly<Record<string, (content: SignedContent) => string>> = {
  '@method': (content) => content.method,
  '@target-uri': (content) => content.url.targetUri,
  '@authority': (content) => content.url.authority,
}

/** Whether the profile can sign this component: one of three derived ones, or any header field. */
export function isSupportedComponent(name: string): boolean {
  return name.startsWith('@') ? Object.hasOwn(DERIVED, name) : /^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)
}

/**
 * RFC 9421 §2.5 signature base. `signatureParams` is the inner list with its parameters, word for word as in
 * `Signature-Input`. Throws {@link SignatureFault} for a component that the message does not have or that cannot be signed.
 */
export function signatureBase(components: readonly string[], signatureParams: string, content: SignedContent): string {
  const lines = components.map((name) => `"${name}": ${componentValue(name, content)}`)
  return [...lines, `"@signature-params": ${signatureParams}`].join('\n')
}

function componentValue(name: string, content: SignedContent): string {
  if (!isSupportedComponent(name)) throw new SignatureFault('signature_components_unexpected', `cannot sign component "${name}"`)
  const value = DERIVED[name]?.(content) ?? fieldValue(content.fields, name)
  if (value === undefined) throw new SignatureFault('signature_components_incomplete', `message has no field "${name}"`)
  // A line break would forge a line of the base; other non-ASCII text has no single byte form (RFC 9421 §2.1).
  if (/[^\t -~]/.test(value)) throw new SignatureFault('signature_header_malformed', `field "${name}" is not ASCII text`)
  return value
}
