import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AdServer } from '../../src/ad-serving/ad-server.ts'
import type { AppOptions } from '../../src/compose/app.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { type RunningServer, startServer } from '../../src/compose/server.ts'
import type { Config } from '../../src/config/config.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { issueKey } from '../../src/operator/keys/issue-key.ts'
import { createLog } from '../../src/platform/log.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { addPrincipal } from '../../src/store/identity/principals.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { type AgentClient, agentClient } from './client.ts'

export interface AgentOptions {
  /** No publisher and no buyer at all: what somebody finds who has just installed the program. */
  readonly empty?: boolean
  /** Demo publisher with its products and a sandbox buyer. Default: an empty tenant `acme` with a buyer `buyer`. */
  readonly demo?: boolean
  readonly sandbox?: boolean
  /** Sandbox, with what only the official storyboards need. */
  readonly conformance?: boolean
  readonly flags?: Readonly<Record<string, unknown>>
  readonly clock?: () => Date
  /** Default: the simulator, for production buyers too; `flags` may name another (`adServer.type`). */
  readonly adServer?: AdServer
  /** An ad server that orders are reconciled with, and how. */
  readonly backend?: AppOptions['backend']
  readonly reconciler?: AppOptions['reconciler']
  /** Default: the imported signals. */
  readonly signals?: AppOptions['signals']
  /** How key documents of agents and token issuers are fetched; default: not at all, since nothing outside is reached. */
  readonly safeFetch?: AppOptions['safeFetch']
  /** Limits, look-ups and chance of webhook deliveries. */
  readonly webhooks?: AppOptions['webhooks']
  /** How often notifications are looked for. */
  readonly notifications?: AppOptions['notifications']
  /** How often subscribers are told of what the agent supports. */
  readonly capabilitiesMs?: number
  /** How long governance agents are waited for. */
  readonly governance?: AppOptions['governance']
  /** The releases that are served; default: those that are there. */
  readonly contracts?: AppOptions['contracts']
  /** Tasks beside those of the program. */
  readonly tasks?: AppOptions['tasks']
  /** Receives every log line; without it the server is silent. */
  readonly onLog?: (line: string) => void
}

export interface TestAgent {
  readonly server: RunningServer
  readonly config: Config
  readonly url: string
  readonly tenant: string
  readonly key: string
  /** A client that sends the buyer's key. */
  readonly buyer: AgentClient
  /** A client with another key, or with none. */
  client(key?: string): AgentClient
  /** Adds a principal to a tenant (made when it is missing) and returns its key. */
  addBuyer(options: { principal: string; tenant?: string; sandbox?: boolean; scopes?: readonly string[] }): Promise<string>
  /** A client of a new buyer that has declared an account. */
  buyerOn(account: object, options: { principal: string; sandbox?: boolean }): Promise<AgentClient>
  stop(): Promise<void>
}

/** The account that the demo buyer begins with. */
export const DEMO_ACCOUNT = { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example', sandbox: true }

/** The release that most tests are about; one set of validators a test file, since compiling them is most of a start. */
const contracts = loadContracts([BASE_SOURCE])

/** Boots the real server on a free port with a temporary data folder. */
export async function startAgent(options: AgentOptions = {}): Promise<TestAgent> {
  const data = mkdtempSync(join(tmpdir(), 'sales-agent-test-'))
  const { sandbox = false, conformance = false } = options
  const flags = { data, port: 0, sandbox, conformance, mode: 'development', 'adServer.type': 'simulator', ...options.flags }
  const config = loadConfig(contracts.base.schemas, { environment: {}, flags })
  const log = options.onLog ? createLog('trace', { write: options.onLog }) : createLog('silent')
  const appOptions: AppOptions = {
    contracts,
    log,
    ...(options.contracts && { contracts: options.contracts }),
    ...(options.tasks && { tasks: options.tasks }),
    ...(options.clock && { clock: options.clock }),
    ...(options.adServer && { adServer: options.adServer }),
    ...(options.backend && { backend: options.backend }),
    ...(options.reconciler && { reconciler: options.reconciler }),
    ...(options.signals && { signals: options.signals }),
    ...(options.safeFetch && { safeFetch: options.safeFetch }),
    ...(options.webhooks && { webhooks: options.webhooks }),
    ...(options.notifications && { notifications: options.notifications }),
    ...(options.capabilitiesMs !== undefined && { capabilitiesMs: options.capabilitiesMs }),
    ...(options.governance && { governance: options.governance }),
  }
  const server = await startServer(config, appOptions)
  const url = `http://127.0.0.1:${server.port}/mcp`

  const addBuyer: TestAgent['addBuyer'] = ({ principal, tenant = 'acme', sandbox = false, scopes = ['adcp:*'] }) =>
    server.store.transaction(async (tx) => {
      const now = new Date()
      await addTenant(tx, { tenantId: tenant, name: tenant, domain: `${tenant}.example` }, now).catch(() => undefined)
      await addPrincipal(tx, { tenantId: tenant, principalId: principal, name: principal, sandbox, scopes }, now)
      return (await issueKey(tx, { tenantId: tenant, buyer: principal, scopes: ['adcp:*'], expiresAt: undefined }, now)).token
    })

  let tenant = 'acme'
  let key: string
  if (options.demo) {
    const { initialise } = await import('../../src/operator/init/initialise.ts')
    const { result } = await initialise(operatorOn(server.store, config, contracts), { demo: true })
    tenant = result.tenant
    key = result.key ?? ''
  } else {
    key = options.empty ? '' : await addBuyer({ principal: 'buyer' })
  }
  return {
    server,
    config,
    url,
    tenant,
    key,
    buyer: agentClient(url, key),
    client: (other) => agentClient(url, other),
    addBuyer,
    async buyerOn(account, options) {
      const client = agentClient(url, await addBuyer({ tenant, ...options }))
      const accounts = [{ ...account, billing: 'operator' }]
      const { isError, data } = await client.call('sync_accounts', { idempotency_key: randomUUID(), accounts })
      if (isError) throw new Error(JSON.stringify(data))
      return client
    },
    async stop() {
      await server.close()
      rmSync(data, { recursive: true, force: true })
    },
  }
}
