import { canonicalUrl } from '../../canonical-url.ts'
import { byUtf8Bytes } from '../byte-order.ts'
import { signedEndpoint } from '../provider-registration.ts'
import type { ContextRequest } from './context-messages.ts'

/**
 * What is signed of a Context Match request (specification, "Context Match signed fields"): seven lines, the same for every request of a seller, placement
 * and provider within a day. The text has no escapes, so {@link contextFaults} refuses what would run from one field into the next.
 */
export function contextSignatureBase(request: ContextRequest, endpoint: string, epoch: number): string {
  return [
    request.type,
    canonicalUrl(request.seller_agent_url).targetUri,
    request.property_rid,
    request.placement_id,
    (request.package_ids ?? []).toSorted(byUtf8Bytes).join(','),
    signedEndpoint(endpoint),
    String(epoch),
  ].join('\n')
}

/** What of a request that follows its schema cannot be signed without doubt: one sentence each. */
export function contextFaults({ placement_id, package_ids = [], seller_agent_url }: ContextRequest): readonly string[] {
  const faults: string[] = []
  if (hasControlCharacter(placement_id)) faults.push('placement_id must hold no control character such as a line break')
  if (package_ids.some((id) => id.includes(',') || hasControlCharacter(id)))
    faults.push('package_ids must hold no comma and no control character')
  if (!/^https?:\/\/[^\s\\@]+$/i.test(seller_agent_url)) faults.push('seller_agent_url must be an absolute http or https URL')
  return faults
}

function hasControlCharacter(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return /[\u0000-\u001f\u007f\u0085\u2028\u2029]/.test(text)
}
