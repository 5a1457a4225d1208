import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { clockShiftTo, shiftOwnClock } from '../agent/clock.ts'
import { playAlone } from './alone.ts'
import { backendConfig } from './backend-config.ts'
import { type OpenStage, openStage } from './open-stage.ts'
import type { Operator } from './operator.ts'
import { ownStories } from './own.ts'
import type { Stage } from './play.ts'
import { playOfficial, playOurs } from './play-parts.ts'
import { withTable } from './render.ts'

const USAGE = `npm run storyboards [-- options]: plays the unedited official storyboards, then our own; exits 1 when a claimed or an own
one fails, 2 when there was nothing to judge

  --only ID,…              these storyboards or bundles only
  --own                    our own storyboards only (folder storyboards/); they need the store, so --server-url leaves them out
  --alone                  each official storyboard against an agent of its own on a fresh store; says which lean on others
  --json                   one JSON object on standard output
  --protocol mcp|a2a       transport (default mcp)
  --no-webhooks            leave out the checks that wait for webhooks
  --now DATE               clock of suite and server (default 2026-03-16T12:00:00Z; with --server-url: the real clock)
  --server-command WORDS   command line with init and serve, instead of the built one
  --backend NAME           where orders of sandbox buyers are booked: simulator (default) or embedded, with the simulator for what it does not serve
  --processes N            so many processes on one PostgreSQL behind a load balancer, instead of one on a file
  --server-url URL         judge a running server instead; with --auth TOKEN
  --keep                   keep the data folder and the log of the server
  --markdown FILE          write the table between the markers of FILE
  --check FILE             exit 1 when the table in FILE differs
  --verbose                let the suite log
`

/** Before every literal date of the 3.0.6 storyboards but one (2020-01-01, meant to be past), so that none is rewritten by the runner. */
const DEFAULT_NOW = '2026-03-16T12:00:00Z'

/** What the official runner needs of a server under test, also for our own stories: it names accounts that it never declares. */
const CONFORMANCE = { SALES_AGENT_MODE: 'development', SALES_AGENT_CONFORMANCE: 'true' }

/** What the official contract `signed-requests-runner` asks beside: the published test keys, and one task that has to be signed. */
const GRADED = {
  ...CONFORMANCE,
  SALES_AGENT_SIGNING_GRADING: 'true',
  // Some of the official vectors cover no digest and have to be accepted.
  SALES_AGENT_SIGNING_CONTENT_DIGEST: 'either',
  SALES_AGENT_SIGNING_REQUIRED_FOR: 'create_media_buy',
}

/** At `--server-url` nobody acts for the publisher: our own stories are not played there. */
const NOBODY: Operator = {
  command: async () => Promise.reject(new Error('there is no command line to a server at an address')),
  publish: async () => Promise.reject(new Error('there is no crawler of a server at an address')),
}

const { values: args } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    own: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    protocol: { type: 'string', default: 'mcp' },
    'no-webhooks': { type: 'boolean', default: false },
    now: { type: 'string' },
    'server-command': { type: 'string' },
    backend: { type: 'string', default: 'simulator' },
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
  if ((args.only.length > 0 || args.own || args.alone) && (args.markdown ?? args.check) !== undefined)
    throw new Error('a table needs a whole run: none of --only, --own and --alone can go with it')
  const protocol = protocolOf(args.protocol)
  const shiftMs = clock === undefined ? 0 : clockShiftTo(clock, Date.now())
  await shiftOwnClock(shiftMs)
  if (!args.verbose) muteConsole()
  process.env.ADCP_SKIP_VERSION_CHECK = '1'
  const suite = await import('@adcp/sdk/testing')
  const only = args.only.flatMap((ids) => ids.split(',')).filter(Boolean)
  if (args.alone) return alone(suite, only, shiftMs)
  const all = ownStories(suite.loadStoryboardFile)
  const officialOnly = only.filter((id) => !all.some((story) => story.id === id))
  const own = only.length === 0 ? all : all.filter(({ id }) => only.includes(id))
  const playsOfficial = !args.own && (only.length === 0 || officialOnly.length > 0)
  const official = playsOfficial
    ? await withStage(shiftMs, GRADED, ({ stage }) => playOfficial(suite, stage, { only: officialOnly, clock, say }))
    : undefined
  const ours =
    args['server-url'] === undefined && own.length > 0
      ? await withStage(shiftMs, CONFORMANCE, (open) => playOurs(open, own, say))
      : undefined
  if (!official && !ours) throw new Error('there is no storyboard to play')
  if (args.json)
    process.stdout.write(`${JSON.stringify({ clock, protocol, ...official?.report, ...(ours && { own: ours.report }) })}\n`)
  const isFresh = official === undefined || (await table(official.table))
  const broken = [official, ours].flatMap((part) => part?.report.totals.brokenClaims ?? [])
  return broken.length === 0 && isFresh ? 0 : 1
}

async function alone(suite: typeof import('@adcp/sdk/testing'), only: readonly string[], shiftMs: number): Promise<number> {
  if (args['server-url'] !== undefined) throw new Error('--alone starts agents of its own: --server-url cannot go with it')
  const report = await playAlone(suite, only, (use) => withStage(shiftMs, GRADED, use), say)
  if (args.json) process.stdout.write(`${JSON.stringify({ clock, ...report })}\n`)
  return report.leaning.length === 0 ? 0 : 1
}

function protocolOf(name: string): Stage['protocol'] {
  if (name === 'mcp' || name === 'a2a') return name
  throw new Error(`--protocol is mcp or a2a, not "${name}"`)
}

/** Does something with an agent that is started for it, or with the one at `--server-url`. */
async function withStage<T>(
  clockShiftMs: number,
  environment: Readonly<Record<string, string>>,
  use: (open: Pick<OpenStage, 'stage' | 'operator'>) => Promise<T>,
): Promise<T> {
  const common = { protocol: protocolOf(args.protocol), webhooks: !args['no-webhooks'] } as const
  const url = args['server-url']
  if (url !== undefined) return use({ stage: { ...common, url, key: args.auth ?? '' }, operator: NOBODY })
  const command = args['server-command']?.split(' ')
  const processes = args.processes === undefined ? undefined : Number(args.processes)
  const config = backendConfig(args.backend)
  const open = await openStage({ ...common, command, processes, clockShiftMs, environment, config, keep: args.keep })
  if (open.folder !== undefined) say(`data and log: ${open.folder}`)
  try {
    return await use(open)
  } finally {
    await open.stop()
  }
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
