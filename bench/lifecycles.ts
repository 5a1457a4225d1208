/**
 * Prints the processor time of the server for a page of offers by the compact lifecycle (list_products) and by the established one (get_products, wholesale), asked in turn in AdCP 3.2
 * with filters that were not asked before. `--rounds N` (default 300), `--goal RATIO`: exits 1 when list_products takes more than so many times what get_products takes.
 * Linux; needs the built server (npm run build).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ACCOUNT, declareAccount, deploy, isRefusal, type Served } from '../tools/measure/deployment.ts'
import { askOnce, Servers, toolCall } from '../tools/measure/subject.ts'

const WARM_UP = 200
/** Calls of one task between two looks at the clock of the processor, which counts in hundredths of a second. */
const BURST = 50
const PAGE = 25
const { values: args } = parseArgs({ options: { rounds: { type: 'string', default: '300' }, goal: { type: 'string' } } })

let asked = 0
const QUESTIONS = {
  get_products: (filters: object) => ({ buying_mode: 'wholesale', filters, account: ACCOUNT, pagination: { max_results: PAGE } }),
  list_products: (filters: object) => ({ criteria: { offer_filters: filters }, account: ACCOUNT, max_results: PAGE }),
}
type Listing = keyof typeof QUESTIONS
const TASKS: readonly Listing[] = ['get_products', 'list_products']

/** Milliseconds of the processor that calls of a task take the server, each. */
async function burst({ url, headers, server }: Served, task: Listing, calls: number): Promise<number> {
  const before = server.cpuMs()
  for (let call = 0; call < calls; call++) {
    asked += 1
    const question = QUESTIONS[task]({ budget_range: { max: 1_000_000 + asked, currency: 'USD' } })
    const body = toolCall(task, { ...question, adcp_version: '3.2' })
    await askOnce({ url, headers, body, succeeded: (reply) => reply.includes('"product_id"') && !isRefusal(reply) })
  }
  return (server.cpuMs() - before) / calls
}

const data = mkdtempSync(join(tmpdir(), 'bench-lifecycles-'))
const servers = new Servers()
const sums = new Map<Listing, number[]>(TASKS.map((task) => [task, []]))
try {
  const served = await (await deploy({ data })).serve(servers)
  await declareAccount(served)
  for (const task of TASKS) await burst(served, task, WARM_UP)
  for (let done = 0; done < Number(args.rounds); done += BURST)
    for (const task of TASKS) sums.get(task)?.push(await burst(served, task, BURST))
} finally {
  await servers.stop()
  rmSync(data, { recursive: true, force: true })
}

const mean = (task: Listing) => {
  const values = sums.get(task) ?? []
  return values.reduce((sum, each) => sum + each, 0) / values.length
}
const ratio = mean('list_products') / mean('get_products')
for (const task of TASKS) console.log(`${task}: ${mean(task).toFixed(2)} ms of the processor for ${PAGE} offers`)
console.log(`list_products takes ${ratio.toFixed(2)} times what get_products takes`)
if (args.goal !== undefined && !(ratio <= Number(args.goal))) process.exitCode = 1
