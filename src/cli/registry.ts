import { Command } from 'commander'
import { addToRegistry, listRegistry, refreshRegistry, removeFromRegistry } from '../operator/registry/manage-registry.ts'
import { operate } from './operate.ts'
import { print, printList, table } from './output.ts'
import { type StoreOptions, withStoreOptions } from './store-options.ts'

interface Options extends StoreOptions {
  readonly json?: boolean
  readonly capability?: string
  readonly channel?: string
  readonly all?: boolean
}

/** `sales-agent registry add|list|refresh|remove`. */
export function registryCommand(): Command {
  const registry = new Command('registry')
  withStoreOptions(registry.command('add <agent_url>').description('call an agent and register it when it answers'))
    .option('--json')
    .action(addAction)
  withStoreOptions(registry.command('list').description('the agents that searches show'))
    .option('--capability <task>', 'only agents that offer this task')
    .option('--channel <channel>', 'only agents that declare this channel')
    .option('--json')
    .action(listAction)
  withStoreOptions(
    registry
      .command('refresh [agent_url]')
      .description('call the agents that are due, or one now; new ones come from the directory'),
  )
    .option('--all', 'call every agent now')
    .option('--json')
    .action(refreshAction)
  withStoreOptions(
    registry.command('remove <agent_url>').description('forget an agent; one that the directory indexes comes back with it'),
  )
    .option('--json')
    .action(removeAction)
  return registry
}

async function addAction(url: string, options: Options): Promise<void> {
  const { agent, isNew } = await operate(options, (operator) => addToRegistry(operator, url))
  print(options.json, { ...agent, new: isNew }, [
    `${agent.agent_url} is ${isNew ? 'registered' : 'registered already'}: ${agent.capabilities.length} tasks, domain ${agent.domain}`,
  ])
}

async function listAction(options: Options): Promise<void> {
  const { capability, channel } = options
  const agents = await operate(options, (operator) => listRegistry(operator, { capability, channel }))
  printList(
    options.json,
    agents,
    table(
      ['DOMAIN', 'AGENT', 'SOURCE', 'HEALTH', 'LAST SEEN', 'TASKS', 'CHANNELS'],
      agents.map((agent) => [
        agent.domain,
        agent.agent_url,
        agent.source,
        agent.health,
        agent.last_seen_at ?? 'never',
        String(agent.capabilities.length),
        agent.channels.join(','),
      ]),
    ),
  )
}

async function refreshAction(url: string | undefined, options: Options): Promise<void> {
  const which = url === undefined ? (options.all ? 'all' : 'due') : { agentUrl: url }
  const checked = await operate(options, (operator) => refreshRegistry(operator, which))
  print(options.json, { checked }, [`${checked} agents called`])
}

async function removeAction(url: string, options: Options): Promise<void> {
  const removed = await operate(options, (operator) => removeFromRegistry(operator, url))
  print(options.json, { agent_url: removed, removed: true }, [`${removed} is forgotten`])
}
