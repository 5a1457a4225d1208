import { parseArgs } from 'node:util'
import { BUILT_COMMAND } from '../agent/start-agent.ts'
import { buyerAt } from './buyer.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { kill } from './kills.ts'
import { race } from './races.ts'

const USAGE = `npx tsx tools/faults/run.ts [options]: two processes on one PostgreSQL behind a load balancer, raced and killed;
exits 1 when anything was executed twice, lost, or left broken in the store

  --keys N           keys to race (default 1000; 0: no races)
  --connections N    connections that race each of them (default 64)
  --rounds N         kills of a process or of the database under load (default 100; 0: none)
  --command WORDS    command line with init and serve, instead of the built one
  --json             one JSON object on standard output
`

const { values: args } = parseArgs({
  options: {
    keys: { type: 'string', default: '1000' },
    connections: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '100' },
    command: { type: 'string' },
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
      // A duplicate waits longer than a dead process may own its claim, so that one retry is enough.
      SALES_AGENT_IDEMPOTENCY_LEASE_SECONDS: '2',
      SALES_AGENT_IDEMPOTENCY_WAIT_SECONDS: '5',
    },
  })
  try {
    const token = await layOut(fleet)
    const say = (line: string) => process.stderr.write(`${line}\n`)
    const races = await race(fleet, token, Number(args.keys), Number(args.connections))
    say(`races: ${JSON.stringify(races)}`)
    const kills = await kill(fleet, token, Number(args.rounds), say)
    process.stdout.write(`${args.json ? JSON.stringify({ races, kills }) : `kills: ${JSON.stringify(kills, null, 1)}`}\n`)
    return races.broken.length + races.lost + kills.problems.length === 0 ? 0 : 1
  } finally {
    await fleet.close()
  }
}

/** A publisher with products, and a buyer with its account. Gives the buyer's key. */
async function layOut(fleet: Fleet): Promise<string> {
  await fleet.command('init', '--demo')
  await fleet.command('principals', 'add', 'buyer')
  return declared(fleet, (await fleet.command('keys', 'create', '--principal', 'buyer')).token)
}

async function declared(fleet: Fleet, token: string): Promise<string> {
  const buyer = buyerAt(`${fleet.proxy.origin}/mcp`, token, 1)
  await buyer.declareAccount()
  buyer.close()
  return token
}
