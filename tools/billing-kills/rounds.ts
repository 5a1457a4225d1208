import { nextMonth } from '../../src/domain/billing/billing-lines.ts'
import { ClockedServer } from '../faults/clocked-server.ts'
import { seeded } from '../faults/random.ts'
import type { KillOptions } from '../faults/round-options.ts'
import { type Act, close, correction, credit, type Party } from './acts.ts'
import { amount, Books, bookOrders, sellBySheet } from './books.ts'
import { Judge } from './judge.ts'

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
/** What an act takes before one was measured. */
const FIRST_MS = 150

/** Whether a process that is killed while it closes a month, writes a credit note or takes a correction leaves any of it half done, or does it twice. */
export async function runBillingKills(options: KillOptions): Promise<BillingKillFindings> {
  const { rounds, seed, say } = options
  const started = performance.now()
  const chance = seeded(seed)
  const { command, database } = options
  const publisher = await ClockedServer.make({ name: 'billing-kills', config: {}, command, database })
  const counts = { answered: 0, carriedOut: 0, undone: 0 }
  const taken = new Map<string, number>()
  try {
    const first = nextMonth(new Date().toISOString().slice(0, 7))
    let last = first
    for (let round = 0; round <= Math.ceil(rounds / ROUNDS_OF_MONTH); round++) last = nextMonth(last)
    const party: Party = { ...(await open(publisher, ACCOUNTS, `${last}-28`)), chance }
    const { judge } = party
    let [month, before, round] = [first, first, 0]
    const play = async (act: Act | undefined) => {
      if (!act || round >= rounds) return
      round += 1
      const ending = await publisher.killDuring(() => act.send(), (taken.get(act.name) ?? FIRST_MS) * killedAt(chance))
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

/** Makes the store with orders until a day, and serves it. */
async function open(server: ClockedServer, count: number, until: string): Promise<Omit<Party, 'chance'>> {
  await server.run('init', '--demo')
  const { buyer, token } = await sellBySheet(server)
  await server.start()
  const books = new Books(server.origin, token)
  const orders = await bookOrders({ origin: server.origin, token: buyer, books }, { count, until })
  return { books, judge: new Judge(books, orders), orders }
}
