import { Command } from 'commander'
import { fetchAgentAuthorizations, type PublisherAuthorization } from '../features/directory/client.ts'
import { directoryFetch } from '../features/directory/service.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'

/** `sales-agent verify DOMAIN AGENT_URL`: asks the publisher itself. Exit code 1 when it does not authorise the agent. */
export function verifyCommand(): Command {
  return withStoreOptions(new Command('verify').description('ask a publisher whether it authorises an agent'))
    .argument('<domain>')
    .argument('<agent_url>')
    .option('--json')
    .action(async (domain: string, agentUrl: string, options: StoreOptions & { readonly json?: boolean }) => {
      const answers = await fetchAgentAuthorizations(agentUrl, [domain], { fetch: directoryFetch(configOf(options)) })
      for (const answer of answers.values()) {
        print(options.json, answer, [describeAuthorization(answer, agentUrl)])
        if (!answer.authorized) process.exitCode = 1
      }
    })
}

/** One sentence for people. */
export function describeAuthorization(answer: PublisherAuthorization, agentUrl: string): string {
  if (!answer.authorized) return `no: ${answer.publisherDomain} does not authorise ${agentUrl}: ${answer.reason}`
  const { publisherDomain, discoveryMethod, managerDomain, propertyIds, propertiesTotal, signingKeysPinned } = answer
  const via = managerDomain === null ? discoveryMethod : `${discoveryMethod}, manager ${managerDomain}`
  const pin = signingKeysPinned ? '; signing keys are pinned' : ''
  return `yes: ${publisherDomain} authorises ${agentUrl} for ${propertyIds.length} of ${propertiesTotal} properties (${via})${pin}`
}
