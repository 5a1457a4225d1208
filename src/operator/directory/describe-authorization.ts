import type { Of } from '../shape.ts'
import type { authorizationShape } from './authorization-shape.ts'

/** One sentence for people. */
export function describeAuthorization(answer: Of<typeof authorizationShape>, agentUrl: string): string {
  const { publisher_domain: domain } = answer
  if (!answer.authorized) {
    const by = answer.listed_by
    const listed =
      by === undefined ? '' : `; this directory lists it by ${by} alone (adagents_authoritative), which names the publisher`
    if (!answer.answered)
      return `unknown: ${domain} could not be asked whether it authorises ${agentUrl}: ${answer.reason}${listed}`
    return `no: ${domain} does not authorise ${agentUrl}: ${answer.reason}${listed}`
  }
  const { manager_domain: manager, held_until: until } = answer
  const via = manager === null ? answer.discovery_method : `${answer.discovery_method}, manager ${manager}`
  const pin = answer.signing_keys_pinned ? '; signing keys are pinned' : ''
  const form = answer.file_form === 'short' ? '; its file is in the short form, which the official schema does not have' : ''
  const held = until === undefined ? '' : `; held until ${until} by this directory, because ${answer.revoked_by} revoked it`
  const share = `${answer.property_ids.length} of ${answer.properties_total} properties`
  return `yes: ${domain} authorises ${agentUrl} for ${share} (${via})${pin}${form}${held}`
}
