import type { PublisherAuthorization } from '../../features/directory/client.ts'

/** One sentence for people. */
export function describeAuthorization(answer: PublisherAuthorization, agentUrl: string): string {
  if (!answer.authorized) return `no: ${answer.publisherDomain} does not authorise ${agentUrl}: ${answer.reason}`
  const { publisherDomain, discoveryMethod, managerDomain, propertyIds, propertiesTotal, signingKeysPinned } = answer
  const via = managerDomain === null ? discoveryMethod : `${discoveryMethod}, manager ${managerDomain}`
  const pin = signingKeysPinned ? '; signing keys are pinned' : ''
  return `yes: ${publisherDomain} authorises ${agentUrl} for ${propertyIds.length} of ${propertiesTotal} properties (${via})${pin}`
}
