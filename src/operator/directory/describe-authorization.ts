import type { VerifiedPublisher } from './verify-publisher.ts'

/** One sentence for people. */
export function describeAuthorization(answer: VerifiedPublisher, agentUrl: string): string {
  if (!answer.authorized) return `no: ${answer.publisherDomain} does not authorise ${agentUrl}: ${answer.reason}`
  const { publisherDomain, discoveryMethod, managerDomain, propertyIds, propertiesTotal, signingKeysPinned } = answer
  const via = managerDomain === null ? discoveryMethod : `${discoveryMethod}, manager ${managerDomain}`
  const pin = signingKeysPinned ? '; signing keys are pinned' : ''
  const form = answer.fileForm === 'short' ? '; its file is in the short form, which the official schema does not have' : ''
  const { heldUntil, revokedBy } = answer
  const held = heldUntil === undefined ? '' : `; held until ${heldUntil} by this directory, because ${revokedBy} revoked it`
  return `yes: ${publisherDomain} authorises ${agentUrl} for ${propertyIds.length} of ${propertiesTotal} properties (${via})${pin}${form}${held}`
}
