import { parseArgs } from 'node:util'
import { type ConformanceReport, DEFAULT_TOOLS_WITH_UPDATES, runConformance } from '@adcp/sdk/conformance'
import { createTestClient } from '@adcp/sdk/testing'
import { startAgent } from '../agent/start-agent.ts'
import { type Complaint, complaintsOf, faultOf, unhandledIn } from './judge.ts'
import { observe } from './observe.ts'
import { seedTask } from './seed-task.ts'

const USAGE = `npm run fuzz [-- options]: the official fuzzer (the engine of \`adcp fuzz\`) with three seeds

  --seeds N,…              default 42,7,20260316
  --turns N                requests a tool and seed (default 50)
  --json                   one JSON object on standard output
  --server-command WORDS   command line with init and serve, instead of the built one
  --server-url URL         fuzz a running server instead; with --auth TOKEN (a sandbox: it is written to)
  --keep                   keep the data folder and the log of the server
`

const { values: args } = parseArgs({
  options: {
    seeds: { type: 'string', default: '42,7,20260316' },
    turns: { type: 'string', default: '50' },
    json: { type: 'boolean', default: false },
    'server-command': { type: 'string' },
    'server-url': { type: 'string' },
    auth: { type: 'string', default: '' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const print = process.stdout.write.bind(process.stdout)

process.exitCode = args.help ? usage() : await main().catch(failed)
process.exit()

/** Anything that kept the run from judging; 1 stays for verdicts. */
function failed(error: unknown): number {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return 2
}

function usage(): number {
  print(USAGE)
  return 0
}

async function main(): Promise<number> {
  process.env.ADCP_SKIP_VERSION_CHECK = '1'
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => {}
  if (args['server-url'] !== undefined) return await fuzz(args['server-url'], args.auth, async () => '')
  // The fuzzer names accounts that it never declares.
  const environment = { SALES_AGENT_CONFORMANCE: 'true' }
  const agent = await startAgent({ command: args['server-command']?.split(' '), environment, keep: args.keep })
  if (args.keep) process.stderr.write(`data and log: ${agent.folder}\n`)
  try {
    return await fuzz(agent.mcpUrl, agent.key, agent.log)
  } finally {
    await agent.stop()
  }
}

async function fuzz(target: string, authToken: string, log: () => Promise<string>): Promise<number> {
  const faults = new Map<string, number>()
  let replies = 0
  const observer = await observe(target, (reply) => {
    replies += 1
    const fault = faultOf(reply)
    if (fault !== undefined) faults.set(fault, (faults.get(fault) ?? 0) + 1)
  })
  const offered = await offeredTools(observer.url, authToken)
  const tools = DEFAULT_TOOLS_WITH_UPDATES.filter((tool) => offered.has(tool))
  const fixtures = { task_ids: await seedTask(observer.url, authToken, offered) }
  const reports: ConformanceReport[] = []
  for (const seed of seedsOf(args.seeds)) {
    const turnBudget = Number(args.turns)
    reports.push(
      await runConformance(observer.url, { seed, turnBudget, tools, authToken, protocol: 'mcp', autoSeed: true, fixtures }),
    )
  }
  await observer.close()
  const complaints: Complaint[] = [
    ...reports.flatMap(complaintsOf),
    ...[...faults].map(([message, count]) => ({ seed: 0, tool: 'wire', message: `${message}, ${count} times` })),
    ...unhandledIn(await log()).map((line) => ({ seed: 0, tool: 'log', message: line.slice(0, 300) })),
  ]
  if (args.json) print(`${JSON.stringify({ replies, tools, complaints, reports })}\n`)
  else show(reports, replies, complaints)
  const failed = complaints.some(({ allowed }) => allowed === undefined)
  return !failed && replies > 0 && tools.length > 0 ? 0 : 1
}

/** What the agent offers; calling anything else would only measure "unknown tool". */
async function offeredTools(url: string, token: string): Promise<Set<string>> {
  const { tools } = await createTestClient(url, 'mcp', { auth: { type: 'bearer', token } }).getAgentInfo()
  return new Set(tools.map(({ name }) => name))
}

function seedsOf(list: string): number[] {
  const seeds = list.split(',').map(Number)
  if (seeds.some((seed) => !Number.isInteger(seed))) throw new Error(`--seeds: "${list}" is no list of integers`)
  return seeds
}

function show(reports: readonly ConformanceReport[], replies: number, complaints: readonly Complaint[]): void {
  for (const report of reports) {
    for (const [tool, stats] of Object.entries(report.perTool)) {
      const counts = stats.skipped
        ? `skipped (${stats.skipReason ?? ''})`
        : `${stats.accepted} accepted, ${stats.rejected} rejected of ${stats.runs}`
      print(`seed ${report.seed}  ${tool.padEnd(28)} ${counts}${stats.failed ? ', FAILED' : ''}\n`)
    }
    for (const { seeder, reason } of report.seedWarnings) print(`seed ${report.seed}  seeding ${seeder}: ${reason}\n`)
  }
  for (const { seed, tool, message, allowed } of complaints) {
    const [head, reason] = allowed === undefined ? ['COMPLAINT', ''] : ['allowed', ` (${allowed})`]
    print(`${head} seed ${seed} ${tool}: ${message}${reason}\n`)
  }
  const allowed = complaints.filter((complaint) => complaint.allowed !== undefined).length
  print(`${replies} replies, ${complaints.length - allowed} complaints, ${allowed} allowed\n`)
}
