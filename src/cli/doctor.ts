import { Command } from 'commander'
import { type Config, publicOrigin } from '../config/config.ts'
import { inspectChains } from '../features/audit/inspect-chains.ts'
import { fetchAgentAuthorizations } from '../features/directory/client.ts'
import { examine } from '../features/doctor/examine.ts'
import { type Finding, ok, warning } from '../features/doctor/finding.ts'
import { examineReleases } from '../features/doctor/releases.ts'
import { examineAdServers } from '../operator/examine-ad-servers.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { createSafeFetch, type SafeFetch } from '../platform/net/safe-fetch.ts'
import { adviceToAdd } from '../protocol/contract-files/missing-releases.ts'
import { missingLines, presentReleases } from '../protocol/present-sources.ts'
import { Schemas } from '../protocol/schemas.ts'
import { storedKeys } from '../security/signing/stored-keys.ts'
import type { Store } from '../store/database.ts'
import { listProductionTenants, listTenants } from '../store/identity/principals.ts'
import { inspectStore } from '../store/inspect/inspect.ts'
import { inspectAnswers } from '../store/inspect/inspect-answers.ts'
import { storeExists, storeName, storePath } from '../store/open.ts'
import { sqliteProblems } from '../store/sqlite/sqlite-bulk.ts'
import { parseJson } from '../transports/http/parse-json.ts'
import { operate } from './operate.ts'
import { print } from './output.ts'
import { withStore } from './store.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'
import { describeAuthorization } from './verify.ts'

interface DoctorOptions extends StoreOptions {
  readonly store?: boolean
  readonly json?: boolean
}

/** What is known of the agent from its own data folder. */
type Insight = Pick<Parameters<typeof examine>[1], 'signer' | 'ownKeys' | 'productionTenants'> & {
  readonly domains: readonly string[]
  readonly adServers: readonly Finding[]
}

const MARK = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM', skipped: 'skipped' } as const

/** `sales-agent doctor [URL]`: exit code 1 when a buyer could not reach, trust or verify the agent. */
export function doctorCommand(): Command {
  return withStoreOptions(
    new Command('doctor').description('look at an agent from outside as buyers do, link by link, and say what is wrong'),
  )
    .argument('[url]', 'agent URL (default: that of the configuration)')
    .option('--store', 'look at the store instead: whether every table keeps its rules')
    .option('--json')
    .action(async (url: string | undefined, options: DoctorOptions) => {
      if (options.store) return withStore(options, (store, config) => inspect(store, config, options.json))
      const config = configOf(options)
      const own = `${publicOrigin(config)}/mcp`
      const agentUrl = url ?? own
      const isOwn = agentUrl === own && (await storeExists(config))
      const insight = isOwn ? await operate(options, (operator) => insightOf(operator)) : undefined
      const clock = () => new Date()
      const safeFetch = createSafeFetch({ userAgent: 'adcp-sales-agent doctor', mode: 'production' })
      const findings = [
        ...(isOwn ? [releases(config.data)] : []),
        ...(await examine(agentUrl, { safeFetch, probe: { clock }, schemas: new Schemas(), clock, parseJson, ...insight })),
        ...(insight?.adServers ?? []),
        ...(agentUrl.startsWith('https:') ? await publishers(agentUrl, insight?.domains ?? [], safeFetch) : []),
      ]
      if (findings.some(({ outcome }) => outcome === 'problem')) process.exitCode = 1
      print(options.json, { agent_url: agentUrl, healthy: process.exitCode !== 1, findings }, findings.map(describe))
    })
}

/** Exit code 1 when rows of any table break a rule. */
async function inspect(store: Store, config: Config, json: boolean | undefined): Promise<void> {
  const { tables, rules, problems: broken } = await inspectStore(store.read)
  const { answers, problems: unkept } = await inspectAnswers(store.read)
  const { links, problems: unchained } = await inspectChains(store.read)
  const engine = config.database === undefined ? sqliteProblems(storePath(config.data)) : []
  const problems = [...engine.map((rule) => ({ table: '', rule, examples: [] })), ...broken, ...unkept, ...unchained]
  if (problems.length > 0) process.exitCode = 1
  print(json, { store: storeName(config), sound: problems.length === 0, tables, rules, answers, links, problems }, [
    ...problems.map(({ table, rule, examples }) => `PROBLEM  ${table}: not every row ${rule} (${examples.join(', ')})`),
    ...(problems.length === 0
      ? [
          `ok       ${storeName(config)}: ${rules} rules on ${tables} tables, ${answers} acknowledged media buys, ${links} links of logs`,
        ]
      : []),
  ])
}

function releases(dataFolder: string): Finding {
  const missing = missingLines()
  return examineReleases(
    presentReleases(dataFolder).map(({ patch }) => patch),
    missing,
    adviceToAdd(missing),
  )
}

async function insightOf(operator: OperatorContext): Promise<Insight> {
  const { store } = operator
  const keys = storedKeys(store, await operator.services.signingKeyBox(), operator.clock)
  return {
    signer: await keys.signer('request-signing').catch(() => undefined),
    ownKeys: (await keys.published()).map(({ kid }) => kid),
    productionTenants: await listProductionTenants(store.read),
    adServers: await examineAdServers(operator),
    domains: (await listTenants(store.read)).map(({ domain }) => domain),
  }
}

/** Buyers look for the agent in the publisher's adagents.json before they buy. */
async function publishers(agentUrl: string, domains: readonly string[], fetch: SafeFetch): Promise<readonly Finding[]> {
  const answers = await fetchAgentAuthorizations(agentUrl, domains, { fetch })
  return [...answers.values()].map((answer) =>
    answer.authorized
      ? ok('publisher', describeAuthorization(answer, agentUrl))
      : warning('publisher', describeAuthorization(answer, agentUrl), 'publish the adagents.json that "identity show" prints'),
  )
}

function describe({ check, outcome, text, advice }: Finding): string {
  return `${MARK[outcome]}  ${check}: ${text}${advice === undefined ? '' : `\n         ${advice}`}`
}
