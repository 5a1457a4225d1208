import { Command } from 'commander'
import { describeAuthorization } from '../operator/directory/describe-authorization.ts'
import { type SupplyPathReport, verifyPublisher, verifySupplyPath } from '../operator/directory/verify-publisher.ts'
import { snakeMembers } from '../operator/snake-members.ts'
import { EXIT_NO, EXIT_UNKNOWN } from './exit-codes.ts'
import { operateIfStored } from './operate.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withAnswerOptions } from './store-options.ts'

interface Flags extends StoreOptions {
  readonly json?: boolean
  readonly owner?: string
  readonly collection?: string
}

/**
 * `sales-agent verify DOMAIN AGENT_URL`: asks the publisher itself. Exit code 1 when it does not authorise the agent, 2 when it could not be asked.
 */
export function verifyCommand(): Command {
  return withAnswerOptions(new Command('verify'))
    .argument('<domain>')
    .argument('<agent_url>')
    .option('--owner <domain>', 'judge the supply path: may the agent sell a collection of this owner on the domain?')
    .option('--collection <id>', 'the collection (default: the one of the owner with the strongest path)')
    .action((domain: string, agentUrl: string, options: Flags) =>
      options.owner === undefined ? verifyAction(domain, agentUrl, options) : supplyPathAction(domain, agentUrl, options),
    )
}

async function verifyAction(domain: string, agentUrl: string, options: Flags): Promise<void> {
  const answers = await operateIfStored(options, (context) => verifyPublisher(context, { domain, agentUrl }))
  for (const answer of answers) {
    print(options.json, snakeMembers(answer), [describeAuthorization(snakeMembers(answer), agentUrl)])
    if (!answer.authorized) process.exitCode = answer.answered ? EXIT_NO : EXIT_UNKNOWN
  }
}

async function supplyPathAction(hostDomain: string, agentUrl: string, options: Flags): Promise<void> {
  const { owner: ownerDomain = '', collection: collectionId } = options
  const report = await verifySupplyPath(configOf(options), { hostDomain, ownerDomain, agentUrl, collectionId })
  if (report.state !== 'verified_owner_sold') process.exitCode = report.answered ? EXIT_NO : EXIT_UNKNOWN
  print(options.json, report, describeSupplyPath(report))
}

/** One line for the verdict and one for each part of the path. */
function describeSupplyPath({ legs, ...report }: SupplyPathReport): readonly string[] {
  const collection = report.resolved_collection_id === undefined ? 'no collection' : `collection ${report.resolved_collection_id}`
  return [
    `${report.answered ? '' : 'unknown, not all could be asked; by what was read '}${report.state}: ${report.agent_url} for ${collection} of ${report.owner_domain} on ${report.host_domain}`,
    ...Object.entries(legs).map(([name, leg]) => `- ${name}: ${leg.ok ? 'yes' : leg.failure}`),
    ...report.unread.map((reason) => `not read: ${reason}`),
  ]
}
