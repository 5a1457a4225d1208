import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { BUILT_COMMAND } from '../agent/start-agent.ts'
import { machine } from '../measure/machine.ts'
import { buyerAt } from './buyer.ts'
import { type FaultResults, faultsMarkdown, faultsProblems } from './faults-report.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { kill } from './kills.ts'
import { holdLimits, LIMITS } from './limits.ts'
import { raceNonces } from './nonces.ts'
import { outage } from './outage.ts'
import { race } from './races.ts'

const USAGE = `npx tsx tools/faults/run.ts [options]: two processes on one PostgreSQL behind a load balancer, raced, limited, left without
their database and killed; exits 1 when anything was executed twice, lost, or left broken in the store. What ends a part early is a
problem of the report, which is written in any case

  --keys N           keys to race (default 1000; 0: no races)
  --connections N    connections that race each key and each nonce (default 64)
  --nonces N         signed messages to race (default 100; 0: none)
  --no-limits        leave the rate limits out
  --outage SECONDS   how long the database is taken away (default 30; 0: not at all)
  --rounds N         kills of a process or of the database under load (default 100; 0: none)
  --command WORDS    command line with init and serve, instead of the built one
  --out FOLDER       write faults-DATE.json and faults-DATE.md there (bench/results)
  --json             one JSON object on standard output, instead of the page
`

const { values: args } = parseArgs({
  options: {
    keys: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '64' },
    nonces: { type: 'string', default: '100' },
    'no-limits': { type: 'boolean', default: false },
    outage: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '100' },
    command: { type: 'string' },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (args.help) process.stdout.write(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const fleet = await startFleet({
    command: args.command?.split(' ') ?? BUILT_COMMAND,
    environment: {
      SALES_AGENT_LIMITS_CHANGES: '100000000',
      SALES_AGENT_LIMITS_ANONYMOUS: String(LIMITS.anonymous),
      SALES_AGENT_LIMITS_READS: String(LIMITS.reads),
      // A duplicate waits longer than a dead process may own its claim, so that one retry is enough.
      SALES_AGENT_IDEMPOTENCY_LEASE_SECONDS: '2',
      SALES_AGENT_IDEMPOTENCY_WAIT_SECONDS: '5',
    },
  })
  // Whoever ends the run early leaves no server behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void fleet.close().then(() => process.exit(2)))
  try {
    const results = await play(fleet)
    const date = new Date().toISOString().slice(0, 10)
    const page = faultsMarkdown(results, machine(), date)
    if (args.out !== undefined) {
      mkdirSync(args.out, { recursive: true })
      writeFileSync(
        join(args.out, `faults-${date}.json`),
        `${JSON.stringify({ machine: machine(), ...results }, undefined, 2)}\n`,
      )
      writeFileSync(join(args.out, `faults-${date}.md`), page)
    }
    process.stdout.write(args.json ? `${JSON.stringify(results)}\n` : page)
    return faultsProblems(results).length === 0 ? 0 : 1
  } finally {
    await fleet.close()
  }
}

async function play(fleet: Fleet): Promise<FaultResults> {
  const token = await layOut(fleet)
  const keys = Number(args.keys)
  const connections = Number(args.connections)
  const nonces = Number(args.nonces)
  const seconds = Number(args.outage)
  const rounds = Number(args.rounds)
  const failed: string[] = []
  const say = (line: string) => process.stderr.write(`${new Date().toISOString()} ${line}\n`)
  const part = async <T>(name: string, isWanted: boolean, work: () => Promise<T>): Promise<T | undefined> => {
    if (!isWanted) return undefined
    try {
      say(`${name} …`)
      const result = await work()
      say(`${name}: ${JSON.stringify(result)}`)
      return result
    } catch (error) {
      failed.push(`${name} ended early: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  const races = await part('races', keys > 0, () => race(fleet, token, keys, connections, say))
  const signatures = await part('nonces', nonces > 0, () => raceNonces(fleet, nonces, connections))
  const limits = await part('limits', !args['no-limits'], async () =>
    holdLimits(fleet, (await fleet.command('keys', 'create', '--buyer', 'reader')).token),
  )
  const away = await part('outage', seconds > 0, () => outage(fleet, token, seconds))
  const kills = await part('kills', rounds > 0, () => kill(fleet, token, rounds, say))
  return { failed, races, nonces: signatures, limits, outage: away, kills }
}

/** A publisher with products, a buyer with its account, and a reader. Gives the buyer's key. */
async function layOut(fleet: Fleet): Promise<string> {
  await fleet.command('init', '--demo')
  await fleet.command('buyers', 'add', 'buyer')
  await fleet.command('buyers', 'add', 'reader')
  const { token } = await fleet.command('keys', 'create', '--buyer', 'buyer')
  const buyer = buyerAt(`${fleet.proxy.origin}/mcp`, token, 1)
  await buyer.declareAccount()
  buyer.close()
  return token
}
