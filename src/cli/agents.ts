import { Command } from 'commander'
import { addAgent, listAgents, removeAgent } from '../operator/agents/manage-agents.ts'
import { AdcpError } from '../protocol/errors.ts'
import { operate, operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { readNamedFile } from './read-named-file.ts'
import { withStoreOptions } from './store-options.ts'

interface AgentOptions extends TenantOption {
  readonly url?: string
  readonly jwks?: string
  readonly jwksUri?: string
  readonly brandDomain?: string
  readonly discover?: boolean
  readonly scopes?: string
  readonly signingRequired?: boolean
  readonly json?: boolean
}

/** `sales-agent agents add|list|remove`: agents that sign their requests. */
export function agentsCommand(): Command {
  const agents = new Command('agents')
  withStoreOptions(
    agents.command('add <principal>').description('register the keys of an agent; makes the principal when it is new'),
  )
    .option('--tenant <id>')
    .option('--url <url>', 'the agent’s own address (for a new principal)')
    .option('--jwks <file>', 'its public keys as a JWKS file')
    .option('--jwks-uri <url>', 'the address of its JWKS')
    .option('--brand-domain <domain>', 'the domain whose /.well-known/brand.json lists the agent')
    .option('--discover', 'ask the agent itself for its brand.json')
    .option('--scopes <list>', 'of a new principal (default: all)')
    .option('--signing-required', 'a new principal may change nothing unsigned')
    .option('--json')
    .action((principal: string, options: AgentOptions) => add(principal, options))
  withStoreOptions(agents.command('list').description('list the agents with keys'))
    .option('--json')
    .action((options: AgentOptions) =>
      operate(options, async (operator) => {
        const sources = await listAgents(operator)
        printList(
          options.json,
          sources,
          table(
            ['AGENT URL', 'KEYS FROM', 'WHERE'],
            sources.map((source) => [source.agent_url, source.kind, source.where]),
          ),
        )
      }),
    )
  withStoreOptions(agents.command('remove <principal>').description('forget the keys of an agent'))
    .option('--tenant <id>')
    .option('--json')
    .action((principal: string, options: AgentOptions) =>
      operateFor(options, async (operator, tenant) => {
        await removeAgent(operator, { tenantId: tenant, principalId: principal })
        print(options.json, { tenant, principal, removed: true }, [`the keys of ${principal} of ${tenant} are forgotten`])
      }),
    )
  return agents
}

async function add(principalId: string, options: AgentOptions): Promise<void> {
  await operateFor(options, async (operator, tenantId) => {
    const { url, jwks, jwksUri, brandDomain, discover, scopes } = options
    const place = {
      jwks: jwks === undefined ? undefined : { document: readJson(jwks), name: jwks },
      jwksUri,
      brandDomain,
      discover,
    }
    const signingRequired = options.signingRequired === true
    const { agentUrl, kind } = await addAgent(operator, { tenantId, principalId, url, scopes, signingRequired, ...place })
    print(options.json, { tenant: tenantId, principal: principalId, agent_url: agentUrl, kind }, [
      `${principalId} of ${tenantId} may sign as ${agentUrl}; a running server knows within 15 seconds`,
    ])
  })
}

function readJson(file: string): unknown {
  const bytes = readNamedFile(file, 'jwks')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new AdcpError('INVALID_REQUEST', `${file} is no JSON file; name a file that holds {"keys": […]}`, {
      field: 'jwks',
      cause,
    })
  }
}
