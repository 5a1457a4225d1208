import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { clockShiftTo, shiftOwnClock } from '../agent/clock.ts'
import { BUILT_COMMAND, clockEnvironment, startAgent } from '../agent/start-agent.ts'
import { startFleet } from '../faults/fleet.ts'
import { type Judged, judge, totalsOf } from './ceiling.ts'
import { CLAIMED } from './claimed.ts'
import type { Stage } from './play.ts'
import { linesOf, tableOf, totalLines, withTable } from './render.ts'
import { declaredIn, selectStoryboards } from './select.ts'
import { verdictOf } from './verdict.ts'

const USAGE = `npm run storyboards [-- options]: plays the unedited official storyboards; exits 1 when a claimed one fails,
2 when there was nothing to judge

  --only ID,…              these storyboards or bundles only
  --json                   one JSON object on standard output
  --protocol mcp|a2a       transport (default mcp)
  --no-webhooks            leave out the checks that wait for webhooks
  --now DATE               clock of suite and server (default 2026-03-16T12:00:00Z; with --server-url: the real clock)
  --server-command WORDS   command line with init and serve, instead of the built one
  --processes N            so many processes on one PostgreSQL behind a load balancer, instead of one on a file
  --server-url URL         judge a running server instead; with --auth TOKEN
  --keep                   keep the data folder and the log of the server
  --markdown FILE          write the table between the markers of FILE
  --check FILE             exit 1 when the table in FILE differs
  --verbose                let the suite log
`

/** Before every literal date of the 3.0.6 storyboards but one (2020-01-01, meant to be past), so that none is rewritten by the runner. */
const DEFAULT_NOW = '2026-03-16T12:00:00Z'

/** What the official contract `signed-requests-runner` asks of a server that is graded: the published test keys, and one task to be signed. */
const GRADED = {
  SALES_AGENT_MODE: 'development',
  SALES_AGENT_SIGNING_GRADING: 'true',
  SALES_AGENT_SIGNING_REQUIRED_FOR: 'create_media_buy',
}

/** Nothing but waiting for webhooks. */
const WEBHOOKS_ONLY = 'webhook_emission'

const { values: args } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    protocol: { type: 'string', default: 'mcp' },
    'no-webhooks': { type: 'boolean', default: false },
    now: { type: 'string' },
    'server-command': { type: 'string' },
    processes: { type: 'string' },
    'server-url': { type: 'string' },
    auth: { type: 'string' },
    keep: { type: 'boolean', default: false },
    markdown: { type: 'string' },
    check: { type: 'string' },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const protocol = args.protocol === 'a2a' ? 'a2a' : 'mcp'
const clock = args.now ?? (args['server-url'] === undefined ? DEFAULT_NOW : undefined)
const say = (line: string) => (args.json ? process.stderr : process.stdout).write(`${line}\n`)

process.exitCode = args.help ? usage() : await main().catch(failed)
// The suite leaves timers of webhook waits behind.
process.exit()

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
  if (args.only.length > 0 && (args.markdown ?? args.check) !== undefined)
    throw new Error('a table needs a whole run: --only cannot go with it')
  const shiftMs = clock === undefined ? 0 : clockShiftTo(clock, Date.now())
  await shiftOwnClock(shiftMs)
  if (!args.verbose) muteConsole()
  process.env.ADCP_SKIP_VERSION_CHECK = '1'
  const { stage, stop } = await openStage(shiftMs)
  try {
    return await report(stage)
  } finally {
    await stop()
  }
}

async function openStage(clockShiftMs: number): Promise<{ stage: Stage; stop: () => Promise<void> }> {
  const common = { protocol, webhooks: !args['no-webhooks'] } as const
  const url = args['server-url']
  if (url !== undefined) return { stage: { ...common, url, key: args.auth ?? '' }, stop: async () => {} }
  const command = args['server-command']?.split(' ')
  if (args.processes !== undefined) {
    const fleet = await startFleet({
      command: command ?? BUILT_COMMAND,
      processes: Number(args.processes),
      environment: { ...GRADED, ...clockEnvironment(clockShiftMs) },
      serve: ['--sandbox'],
    })
    const { key } = await fleet.command('init', '--demo')
    return { stage: { ...common, url: `${fleet.proxy.origin}/mcp`, key }, stop: fleet.close }
  }
  const agent = await startAgent({
    command,
    clockShiftMs,
    environment: GRADED,
    keep: args.keep,
  })
  if (args.keep) say(`data and log: ${agent.folder}`)
  // Over A2A too the suite probes authentication, missing keys and signatures by raw MCP requests to the address it was given (`rawMcpProbe`, and
  // the vectors at `<address>/adcp/…`), so it gets the MCP address; the agent card, from which it takes the A2A address, lies below that as well.
  return { stage: { ...common, url: agent.mcpUrl, key: agent.key }, stop: agent.stop }
}

async function report(stage: Stage): Promise<number> {
  const suite = await import('@adcp/sdk/testing')
  const { capabilitiesOf, play } = await import('./play.ts')
  const only = args.only.flatMap((ids) => ids.split(',')).filter(Boolean)
  const selection = selectStoryboards(suite, declaredIn(await capabilitiesOf(stage)), only)
  const session = `storyboards-${Date.now()}`
  const judged: Judged[] = []
  for (const storyboard of selection.run) {
    if (!stage.webhooks && storyboard.id === WEBHOOKS_ONLY) continue
    const optional = new Set(storyboard.phases.filter((phase) => phase.optional).map((phase) => phase.id))
    const verdict = judge(verdictOf(await play(stage, storyboard, session), optional), CLAIMED)
    judged.push(verdict)
    for (const line of linesOf(verdict)) say(line)
  }
  const notDeclared = selection.notDeclared.map(({ id }) => id)
  const totals = totalsOf(judged, notDeclared, CLAIMED)
  for (const line of totalLines(totals)) say(line)
  const suiteVersion = suite.loadComplianceIndex().adcp_version
  if (args.json)
    process.stdout.write(`${JSON.stringify({ suiteVersion, clock, protocol, totals, storyboards: judged, notDeclared })}\n`)
  const fresh = await table(tableOf(judged, totals, { suiteVersion, clock }))
  return totals.brokenClaims.length === 0 && fresh ? 0 : 1
}

/** Writes or compares the table, as asked. False: the file to check is out of date. */
async function table(text: string): Promise<boolean> {
  if (args.markdown !== undefined) {
    await writeFile(args.markdown, withTable(await readFile(args.markdown, 'utf8'), text))
  }
  if (args.check === undefined) return true
  const document = await readFile(args.check, 'utf8')
  const same = withTable(document, text) === document
  if (!same) say(`${args.check}: the storyboard table is out of date (run with --markdown ${args.check})`)
  return same
}

/** The suite and its client log warnings to the console about agents under test; the verdicts carry all of it. */
function muteConsole(): void {
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) console[method] = () => {}
}
