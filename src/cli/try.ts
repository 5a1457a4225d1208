import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Command } from 'commander'
import { publicOrigin, stdioKey } from '../config/config.ts'
import { type FirstBuy, playFirstBuy, type Step } from '../operator/first-buy/play-first-buy.ts'
import { hasStore } from '../operator/store/has-store.ts'
import { AdcpError } from '../protocol/errors.ts'
import { configOf, type StoreOptions, withStoreOptions } from './store-options.ts'
import { wholeNumber } from './whole-number.ts'

interface TryOptions extends StoreOptions {
  readonly tenant?: string
  readonly key?: string
  readonly brief: string
  readonly wait: number
  readonly json?: boolean
}

/** Fits the demo publisher's app banners, which its sales team confirms. */
const BRIEF = 'banners in mobile apps'

/** `sales-agent try [URL]`: a first buy in a sandbox account against a running agent, call by call. */
export function tryCommand(): Command {
  return withStoreOptions(new Command('try'))
    .argument('[url]', 'agent URL (default: that of the configuration, e.g. http://127.0.0.1:3000/mcp)')
    .option(
      '--key <key>',
      'the buyer’s key (default: SALES_AGENT_KEY, else a new one from the data folder that expires in an hour)',
    )
    .option('--tenant <id>', 'publisher in the data folder')
    .option('--brief <text>', 'what the buyer looks for', BRIEF)
    .option('--wait <seconds>', 'how long approvals and delivery are waited for', wholeNumber(1, 86_400), 60)
    .option('--json', 'print requests and answers whole, as one JSON document')
    .action(run)
}

async function run(url: string | undefined, options: TryOptions): Promise<void> {
  const config = configOf(options)
  const own = `${publicOrigin(config)}/mcp`
  const agentUrl = url ?? own
  // Where the agent's own data folder is at hand, this command can act for the publisher too. A server may listen on another port than its
  // configuration says (--port): who names both the URL and the folder says that they belong together.
  const isPublisher = (agentUrl === own || options.data !== undefined) && (await hasStore(config))
  const key = options.key ?? stdioKey() ?? (isPublisher ? await newKey(options) : undefined)
  if (key === undefined)
    throw new AdcpError('AUTH_REQUIRED', `a key for ${agentUrl} is needed: --key, or --data with the data folder of the agent`)
  const steps: Step[] = []
  const show = options.json ? () => {} : (text: string) => console.log(text)
  show(`A first buy at ${agentUrl}\n`)
  const buy = await playFirstBuy(agentUrl, key, {
    brief: options.brief,
    approve: isPublisher ? (what, id) => approve(what, id, options) : undefined,
    report(step) {
      steps.push(step)
      show(stepText(step, steps.length))
    },
    newId: randomUUID,
    clock: () => new Date(),
    sleep: (ms) => setTimeout(ms),
    waitMs: options.wait * 1000,
  })
  console.log(options.json ? JSON.stringify(document(agentUrl, steps, buy)) : summary(buy))
}

function stepText({ actor, call, lines }: Step, number: number): string {
  return [`${number}. ${actor}: ${call}`, ...lines.map((line) => `   ${line}`), ''].join('\n')
}

function document(agentUrl: string, steps: readonly Step[], { mediaBuyId, ...delivered }: FirstBuy) {
  const calls = steps.map(({ actor, call, request, answer }) => ({ actor, call, ...(request && { request }), answer }))
  return { agent_url: agentUrl, media_buy_id: mediaBuyId, ...delivered, steps: calls }
}

function summary({ mediaBuyId, impressions, spend, currency }: FirstBuy): string {
  return [
    `${mediaBuyId} has delivered ${impressions} impressions for ${spend.toFixed(2)} ${currency}; it ends within the hour.`,
    'The account is a sandbox account: delivery is simulated and nothing was billed.',
  ].join('\n')
}

/** A key of a sandbox buyer of this data folder, made as `sales-agent keys create` makes it. */
async function newKey(options: TryOptions): Promise<string> {
  const buyer = await sandboxBuyer(options)
  const issued = await command(['keys', 'create', '--buyer', buyer, '--expires', '1h'], options)
  return textIn(issued, 'token')
}

async function sandboxBuyer(options: TryOptions): Promise<string> {
  const rows = itemsIn(await command(['buyers', 'list'], options))
  const sandboxed = rows.find((row) => typeof row === 'object' && row !== null && Reflect.get(row, 'sandbox') === true)
  if (sandboxed === undefined)
    throw new AdcpError('REFERENCE_NOT_FOUND', 'no sandbox buyer in the data folder: "sales-agent buyers add trial --sandbox"')
  return textIn(sandboxed, 'buyer')
}

async function approve(what: 'order' | 'creative', id: string, options: TryOptions) {
  const words = ['approvals', 'approve', what === 'order' ? id : await pendingCreative(id, options)]
  return { command: `sales-agent ${words.join(' ')}`, answer: await command(words, options) }
}

/** The id of a creative in the queue of approvals, which also holds its buyer and its account. */
async function pendingCreative(creativeId: string, options: TryOptions): Promise<string> {
  const entries = itemsIn(await command(['approvals', 'list'], options)).map((entry) => textIn(entry, 'id'))
  return entries.find((id) => id.endsWith(`:${creativeId}`)) ?? creativeId
}

function itemsIn(listed: unknown): readonly unknown[] {
  const items: unknown = typeof listed === 'object' && listed !== null ? Reflect.get(listed, 'items') : undefined
  return Array.isArray(items) ? items : []
}

/** Runs a command of this program as the publisher's people do, so that it is checked and audited like theirs. Throws AdcpError. */
function command(words: readonly string[], { data, config, tenant }: TryOptions): Promise<unknown> {
  const place = [
    ...(data === undefined ? [] : ['--data', data]),
    ...(config === undefined ? [] : ['--config', config]),
    ...(tenant === undefined ? [] : ['--tenant', tenant]),
  ]
  const program = process.argv[1] ?? ''
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...process.execArgv, program, ...words, ...place, '--json'], (error, stdout, stderr) => {
      if (!error) return resolve(JSON.parse(stdout))
      reject(new AdcpError('INVALID_REQUEST', `sales-agent ${words.join(' ')}: ${stderr.trim()}`))
    })
  })
}

function textIn(value: unknown, name: string): string {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  if (typeof found !== 'string') throw new Error(`the command printed no ${name}`)
  return found
}
