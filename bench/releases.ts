/**
 * Prints what a call costs in each release: the median of get_products (a brief that was not asked before) and of create_media_buy (a new key), asked in
 * turn, so that whatever else the machine does hits all releases alike. `--rounds N` (default 200), `--goal RATIO`: exits 1 when a later release takes more
 * than so many times what 3.0 takes. Needs the built server (npm run build).
 */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadContracts } from '../src/protocol/contracts.ts'
import { ACCOUNT, declareAccount, deploy, isRefusal, mediaBuy, type Served } from '../tools/measure/deployment.ts'
import { askOnce, Servers, toolCall } from '../tools/measure/subject.ts'
import { median } from './measure.ts'

/** Calls of each kind and release that are not counted: the server compiles what it runs often. */
const WARM_UP = 200
const TASKS = ['get_products', 'create_media_buy'] as const
type BenchTask = (typeof TASKS)[number]

const { values: args } = parseArgs({ options: { rounds: { type: 'string', default: '200' }, goal: { type: 'string' } } })

function argumentsOf(task: BenchTask): object {
  if (task === 'create_media_buy') return mediaBuy(randomUUID())
  return { buying_mode: 'brief', brief: `video for coffee drinkers ${randomUUID()}`, account: ACCOUNT }
}

/** Milliseconds of one call, which has to succeed in the release. */
async function timeOf({ url, headers }: Served, task: BenchTask, line: string): Promise<number> {
  const body = toolCall(task, { ...argumentsOf(task), adcp_version: line })
  const mark = task === 'get_products' ? '"product_id"' : '"media_buy_id"'
  const began = performance.now()
  await askOnce({ url, headers, body, succeeded: (reply) => reply.includes(mark) && !isRefusal(reply) })
  return performance.now() - began
}

async function measure(rounds: number): Promise<ReadonlyMap<string, number>> {
  const data = mkdtempSync(join(tmpdir(), 'bench-releases-'))
  const servers = new Servers()
  const times = new Map<string, number[]>()
  try {
    const served = await (await deploy({ data })).serve(servers)
    await declareAccount(served)
    const { lines } = loadContracts()
    for (let round = -WARM_UP; round < rounds; round++) {
      for (const task of TASKS) {
        for (const line of lines) {
          const ms = await timeOf(served, task, line)
          const key = `${task} ${line}`
          if (round >= 0) times.set(key, [...(times.get(key) ?? []), ms])
        }
      }
    }
  } finally {
    await servers.stop()
    rmSync(data, { recursive: true, force: true })
  }
  return new Map([...times].map(([key, values]) => [key, median(values)]))
}

const medians = await measure(Number(args.rounds))
let worst = 0
console.log('| task | release | p50, ms | of 3.0 |\n|---|---|--:|--:|')
for (const [key, ms] of medians) {
  const [task = '', line = ''] = key.split(' ')
  const ratio = ms / (medians.get(`${task} 3.0`) ?? ms)
  worst = Math.max(worst, ratio)
  console.log(`| ${task} | ${line} | ${ms.toFixed(2)} | ${ratio.toFixed(2)} |`)
}
if (args.goal !== undefined && worst > Number(args.goal)) process.exitCode = 1
