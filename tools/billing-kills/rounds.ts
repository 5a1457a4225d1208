import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { nextMonth } from '../../src/domain/billing/billing-lines.ts'
import { type Child, freePort, startChild } from '../agent/child.ts'
import { clockShiftTo } from '../agent/clock.ts'
import { BUILT_COMMAND, clockEnvironment } from '../agent/start-agent.ts'
import { seeded } from '../faults/random.ts'
import { type Act, close, correction, credit, type Party } from './acts.ts'
import { AD_SERVER, amount, type Booked, Books, bookOrders, PRODUCT } from './books.ts'
import { Judge } from './judge.ts'

export interface BillingKillOptions {
  readonly rounds: number
  readonly seed: number
  readonly say: (text: string) => void
  /** Words of the command line; default: the built one. */
  readonly command?: readonly string[]
  /** Connection string of a PostgreSQL database; default: SQLite. */
  readonly database?: string
}

export interface BillingKillFindings {
  readonly rounds: number
  /** Acts that were answered before the kill. */
  readonly answered: number
  /** Acts whose answer was lost, and that were carried out. */
  readonly carriedOut: number
  /** Acts whose answer was lost, that were not carried out, and were sent again. */
  readonly undone: number
  readonly invoices: number
  readonly creditNotes: number
  readonly seconds: number
  readonly problems: readonly string[]
}

/** Accounts with an order each. */
const ACCOUNTS = 5
/** Rounds of a month: a close, a credit note, a correction. */
const ROUNDS_OF_MONTH = 3
const COMMAND_WITHIN_MS = 120_000
/** What an act takes before one was measured. */
const FIRST_MS = 150

/** Whether a process that is killed while it closes a month, writes a credit note or takes a correction leaves any of it half done, or does it twice. */
export async function runBillingKills(options: BillingKillOptions): Promise<BillingKillFindings> {
  const { rounds, seed, say } = options
  const started = performance.now()
  const chance = seeded(seed)
  const publisher = await Publisher.make(options)
  const counts = { answered: 0, carriedOut: 0, undone: 0 }
  const taken = new Map<string, number>()
  try {
    const first = nextMonth(new Date().toISOString().slice(0, 7))
    let last = first
    for (let round = 0; round <= Math.ceil(rounds / ROUNDS_OF_MONTH); round++) last = nextMonth(last)
    const party: Party = { ...(await publisher.open(ACCOUNTS, `${last}-28`)), chance }
    const { judge } = party
    let [month, before, round] = [first, first, 0]
    const play = async (act: Act | undefined) => {
      if (!act || round >= rounds) return
      round += 1
      const ending = await publisher.killDuring(act, (taken.get(act.name) ?? FIRST_MS) * killedAt(chance))
      if (ending.ms !== undefined) taken.set(act.name, ending.ms)
      const isDone = await act.isDone()
      counts[ending.isAnswered ? 'answered' : isDone ? 'carriedOut' : 'undone'] += 1
      if (ending.isAnswered && !isDone) judge.problem(`round ${round}: a ${act.name} of ${month} was answered and is lost`)
      await (isDone ? finish(act) : settle(act, judge))
      if (round % 20 === 0) say(`${round} rounds, ${month}, ${judge.problems.length} problems`)
    }
    await publisher.restartAt(dayAfter(month))
    while (round < rounds) {
      await enterMonth(party, month)
      await play(close(party, month))
      if (round < rounds) await play(await credit(party, chance() < 0.5 ? before : month))
      publisher.startsAt(dayAfter(nextMonth(month)))
      if (round < rounds) await play(await correction(party, month))
      else await publisher.restartAt(dayAfter(nextMonth(month)))
      ;[before, month] = [month, nextMonth(month)]
    }
    await enterMonth(party, month)
    await settle(close(party, month), judge)
    const written = await judge.all(month)
    const seconds = Math.round((performance.now() - started) / 1000)
    return { rounds: round, ...counts, ...written, seconds, problems: judge.problems }
  } finally {
    await publisher.end()
  }
}

/** The share of an act's time after which its process is killed: at any moment, or where it is about to commit and answer. */
function killedAt(chance: () => number): number {
  return chance() < 0.5 ? chance() : 0.6 + 0.5 * chance()
}

/** When a month is closed. */
function dayAfter(month: string): string {
  return `${nextMonth(month)}-03T12:00:00Z`
}

/** Carries an act out that nobody kills. */
async function settle(act: Act, judge: Judge): Promise<void> {
  try {
    await act.send()
    await finish(act)
  } catch (error) {
    judge.problem(`a ${act.name} was sent again and refused: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function finish(act: Act): Promise<void> {
  act.done()
  await act.judge()
}

/** What orders deliver in a month, and a charge of one of them. */
async function enterMonth({ books, orders, chance }: Party, month: string): Promise<void> {
  for (const { delivered } of orders) delivered.set(month, 1 + Math.floor(chance() * 60_000_000))
  await books.report(month, orders)
  const order = orders[Math.floor(chance() * orders.length)]
  if (!order) return
  const [isCredit, micros] = [chance() < 0.5, (1 + Math.floor(chance() * 900)) * 10_000]
  const charge = { order: order.orderId, amount: amount(micros), credit: isCredit, reason: 'agreed' }
  await books.call('POST', '/billing/charges', charge)
  // It was entered after the month: the next close bills it.
  order.charged.set(nextMonth(month), isCredit ? -micros : micros)
}

/** A publisher's server, whose clock goes on from month to month. */
class Publisher {
  readonly #folder: string
  readonly #command: readonly string[]
  readonly #flags: readonly string[]
  readonly #port: number
  #anchor = new Date().toISOString()
  #child: Child | undefined

  private constructor(folder: string, command: readonly string[], flags: readonly string[], port: number) {
    this.#folder = folder
    this.#command = command
    this.#flags = flags
    this.#port = port
  }

  static async make({ command = BUILT_COMMAND, database }: BillingKillOptions): Promise<Publisher> {
    const folder = mkdtempSync(join(tmpdir(), 'billing-kills-'))
    const file = join(folder, 'publisher.json')
    const limits = { changes: 1_000_000, reads: 1_000_000, adminRequests: 1_000_000 }
    const config = { mode: 'development', log: { level: 'error' }, limits, ...(database && { database }) }
    writeFileSync(file, JSON.stringify(config))
    return new Publisher(folder, command, ['--data', join(folder, 'data'), '--config', file], await freePort())
  }

  get #origin(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Makes the store with orders until a day, and serves it. */
  async open(count: number, until: string): Promise<{ books: Books; judge: Judge; orders: readonly Booked[] }> {
    await this.#run('init', '--demo')
    const served = JSON.stringify({ products: { [PRODUCT]: { units: ['Sport'], sizes: ['300x250'] } } })
    await this.#run('adservers', 'add', AD_SERVER, '--type', 'manual', '--products', PRODUCT, '--options', served)
    await this.#run('buyers', 'add', 'agency')
    const { token: buyer } = await this.#run('keys', 'create', '--buyer', 'agency')
    const { token } = await this.#run('admin-keys', 'create', '--name', 'finance', '--role', 'administrator')
    await this.#start()
    const books = new Books(this.#origin, token)
    const orders = await bookOrders({ origin: this.#origin, token: buyer, books }, { count, until })
    return { books, judge: new Judge(books, orders), orders }
  }

  /** Sends an act and kills the server so many milliseconds later; then starts it again. `ms`: how long the act took, where it was answered. */
  async killDuring(act: Act, afterMs: number): Promise<{ readonly isAnswered: boolean; readonly ms: number | undefined }> {
    const sent = performance.now()
    let ms: number | undefined
    const answer = act.send().then(
      () => {
        ms = performance.now() - sent
        return true
      },
      () => false,
    )
    await sleep(afterMs)
    await this.#child?.end('SIGKILL')
    const isAnswered = await answer
    await this.#start()
    return { isAnswered, ms }
  }

  /** The moment at which the server starts from now on. */
  startsAt(moment: string): void {
    this.#anchor = moment
  }

  async restartAt(moment: string): Promise<void> {
    await this.#child?.end('SIGTERM')
    this.startsAt(moment)
    await this.#start()
  }

  async end(): Promise<void> {
    await this.#child?.end('SIGKILL')
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }

  async #start(): Promise<void> {
    this.#child = await startChild({
      command: [...this.#command, 'serve', ...this.#flags, '--port', String(this.#port)],
      environment: clockEnvironment(clockShiftTo(this.#anchor, Date.now())),
      readyUrl: `${this.#origin}/readyz`,
    })
  }

  async #run(...args: string[]) {
    const [executable = '', ...words] = this.#command
    const all = [...words, ...args, ...this.#flags, '--json']
    return JSON.parse((await promisify(execFile)(executable, all, { timeout: COMMAND_WITHIN_MS })).stdout)
  }
}
