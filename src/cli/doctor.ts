import { Command } from 'commander'
import { examineMatchProvider } from '../compose/trusted-match/examine-provider.ts'
import { publicOrigin } from '../config/config.ts'
import { loadMatchProviderSettings } from '../config/match-provider-settings.ts'
import { examineAgent, type Finding, insightOf } from '../operator/doctor/examine-agent.ts'
import { inspectDeployment } from '../operator/doctor/inspect-deployment.ts'
import { hasStore } from '../operator/store/has-store.ts'
import { parseJson } from '../platform/decode/parse-json.ts'
import { matchSchemas } from '../protocol/match-schemas.ts'
import { Schemas } from '../protocol/schemas.ts'
import { operate } from './operate.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withAnswerOptions } from './store-options.ts'

interface DoctorOptions extends StoreOptions {
  readonly store?: boolean
  readonly json?: boolean
  readonly matchProvider?: string
}

const MARK = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM', skipped: 'skipped' } as const

/** `sales-agent doctor [URL]`: exit code 1 when a buyer could not reach, trust or verify the agent. */
export function doctorCommand(): Command {
  return withAnswerOptions(new Command('doctor'))
    .argument('[url]', 'agent URL (default: that of the configuration)')
    .option('--store', 'look at the store instead: whether every table keeps its rules')
    .option(
      '--match-provider <file>',
      'look at a provider of Trusted Match that runs alone instead: its file, and its data folder',
    )
    .action((url: string | undefined, options: DoctorOptions) => {
      if (options.matchProvider !== undefined) return inspectMatchProvider(options.matchProvider, options)
      return options.store ? inspectStore(options) : inspectAgent(url, options)
    })
}

async function inspectAgent(url: string | undefined, options: DoctorOptions): Promise<void> {
  const config = configOf(options)
  const own = `${publicOrigin(config)}/mcp`
  const agentUrl = url ?? own
  const isOwn = agentUrl === own && (await hasStore(config))
  const insight = isOwn ? await operate(options, insightOf) : undefined
  const findings = await examineAgent(agentUrl, { mode: config.mode, dataFolder: config.data, insight, parseJson })
  if (findings.some(({ outcome }) => outcome === 'problem')) process.exitCode = 1
  print(options.json, { agent_url: agentUrl, healthy: process.exitCode !== 1, findings }, findings.map(describe))
}

/** Exit code 1 when it can match nothing. */
async function inspectMatchProvider(file: string, options: DoctorOptions): Promise<void> {
  const settings = loadMatchProviderSettings(new Schemas(), file)
  const findings = await examineMatchProvider(settings, { schemas: matchSchemas(), place: configOf(options) })
  if (findings.some(({ outcome }) => outcome === 'problem')) process.exitCode = 1
  print(options.json, { file, healthy: process.exitCode !== 1, findings }, findings.map(describe))
}

/** Exit code 1 when rows of any table break a rule. */
async function inspectStore(options: DoctorOptions): Promise<void> {
  const result = await operate(options, inspectDeployment)
  const { store, sound, tables, rules, answers, links, problems } = result
  if (!sound) process.exitCode = 1
  print(options.json, result, [
    ...problems.map(({ table, rule, examples }) => `PROBLEM  ${table}: not every row ${rule} (${examples.join(', ')})`),
    ...(sound
      ? [`ok       ${store}: ${rules} rules on ${tables} tables, ${answers} acknowledged media buys, ${links} links of logs`]
      : []),
  ])
}

function describe({ check, outcome, text, advice }: Finding): string {
  return `${MARK[outcome]}  ${check}: ${text}${advice === undefined ? '' : `\n         ${advice}`}`
}
