import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { canonicalUrl } from '../domain/canonical-url.ts'
import type { AgentKeySource } from '../domain/identity/agent-key-source.ts'
import { AdcpError } from '../protocol/errors.ts'

import { readJwks } from '../security/signing/jwk.ts'
import { addAgentKeySource, listAgentKeySources, removeAgentKeySource } from '../store/identity/agent-key-sources.ts'
import { addPrincipal, findPrincipal } from '../store/identity/principals.ts'
import { asOperator } from './as-operator.ts'
import { scopesOf } from './keys.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface AgentOptions extends StoreOptions {
  readonly tenant?: string
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
  const agents = new Command('agents').description('buyer agents that sign their requests, and where their public keys are')
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
    .action((principal: string, options: AgentOptions) => withStore(options, (store) => add(store, principal, options)))
  withStoreOptions(agents.command('list').description('list the agents with keys'))
    .option('--json')
    .action((options: AgentOptions) =>
      withStore(options, async (store) => {
        const sources = (await listAgentKeySources(store.read)).map(describe)
        print(
          options.json,
          { agents: sources },
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
      withStore(options, async (store) => {
        const tenant = await chooseTenant(store, options.tenant)
        await asOperator(store, { task: 'agents.remove', tenant, subject: principal }).transaction(async (tx) => {
          for (const kind of ['jwks', 'jwks_uri', 'brand_json'] as const) await removeAgentKeySource(tx, tenant, principal, kind)
        })
        print(options.json, { tenant, principal, removed: true }, [`the keys of ${principal} of ${tenant} are forgotten`])
      }),
    )
  return agents
}

type Store = Parameters<Parameters<typeof withStore>[1]>[0]

async function add(store: Store, principalId: string, options: AgentOptions): Promise<void> {
  const tenantId = await chooseTenant(store, options.tenant)
  const source = sourceOf(options)
  const agentUrl = await asOperator(store, { task: 'agents.add', tenant: tenantId, subject: principalId }).transaction(
    async (tx) => {
      const now = new Date()
      const existing = await findPrincipal(tx, tenantId, principalId)
      const row =
        existing ??
        (await addPrincipal(
          tx,
          {
            tenantId,
            principalId,
            name: principalId,
            agentUrl: options.url === undefined ? undefined : agentUrlOf(options.url),
            sandbox: false,
            scopes: scopesOf(options.scopes),
            signingRequired: options.signingRequired === true,
          },
          now,
        ))
      if (options.url !== undefined && row.agent_url !== agentUrlOf(options.url))
        throw new AdcpError('INVALID_REQUEST', `${principalId} has another agent URL: ${row.agent_url ?? 'none'}`, {
          field: 'url',
        })
      await addAgentKeySource(tx, { tenantId, principalId, ...source }, now)
      return row.agent_url
    },
  )
  print(options.json, { tenant: tenantId, principal: principalId, agent_url: agentUrl, kind: source.kind }, [
    `${principalId} of ${tenantId} may sign as ${agentUrl}; a running server knows within 15 seconds`,
  ])
}

/** Exactly one place where the keys are. Throws INVALID_REQUEST. */
function sourceOf(options: AgentOptions): Omit<AgentKeySource, 'agentUrl'> {
  const given: Omit<AgentKeySource, 'agentUrl'>[] = [
    ...(options.jwks === undefined ? [] : [{ kind: 'jwks' as const, value: publicKeysIn(options.jwks) }]),
    ...(options.jwksUri === undefined ? [] : [{ kind: 'jwks_uri' as const, value: httpsUrl(options.jwksUri, 'jwks-uri') }]),
    ...(options.brandDomain === undefined ? [] : [{ kind: 'brand_json' as const, value: domainOf(options.brandDomain) }]),
    ...(options.discover ? [{ kind: 'brand_json' as const, value: '' }] : []),
  ]
  const [source, ...others] = given
  if (source && others.length === 0) return source
  throw new AdcpError('INVALID_REQUEST', 'say where the keys are: one of --jwks, --jwks-uri, --brand-domain, --discover')
}

/** Public members only, so that a private key in the file never reaches the store. */
function publicKeysIn(file: string): string {
  let document: unknown
  try {
    document = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new AdcpError('INVALID_REQUEST', `${file} is no JSON file`, { field: 'jwks', cause })
  }
  const keys = readJwks(document)
  if (!keys?.some((key) => key.adcp_use === 'request-signing'))
    throw new AdcpError('INVALID_REQUEST', `${file} holds no key with "adcp_use": "request-signing"`, { field: 'jwks' })
  return JSON.stringify({ keys })
}

/** An agent URL in the form in which it is compared everywhere. */
function agentUrlOf(text: string): string {
  httpsUrl(text, 'url')
  return canonicalUrl(text).targetUri
}

/** The text when it is an https URL. Throws INVALID_REQUEST. */
export function httpsUrl(text: string, field: string): string {
  if (URL.canParse(text) && new URL(text).protocol === 'https:') return text
  throw new AdcpError('INVALID_REQUEST', `"${text}" is not an https URL`, { field })
}

function domainOf(text: string): string {
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text)) return text
  throw new AdcpError('INVALID_REQUEST', `"${text}" is not a domain`, { field: 'brand-domain' })
}

function describe({ agentUrl, kind, value }: AgentKeySource) {
  const keys = kind === 'jwks' ? (readJwks(JSON.parse(value)) ?? []) : []
  const where = kind === 'jwks' ? keys.map(({ kid }) => kid).join(', ') : value === '' ? 'its capabilities' : value
  return { agent_url: agentUrl, kind, where }
}
