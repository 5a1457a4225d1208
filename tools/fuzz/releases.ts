import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { servedTools } from '../release-tools.ts'

const USAGE = `npm run fuzz:releases [-- options]: requests generated from the request schemas of each release; every answer is held against that release's
response schema, and no call may end in a fault of the server's own. Over A2A a fifth as many.

  --requests N     requests of each release over MCP (default 10000)
  --release LINE   3.0, 3.1 or 3.2 only
  --seed N         default: another one each time, which is printed
`
const { values: args } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    release: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

process.exitCode = args.help ? usage() : await main()

function usage(): number {
  process.stdout.write(USAGE)
  return 0
}

/** Runs the generated part of test/extended/releases.test.ts with as many requests as were asked for. */
async function main(): Promise<number> {
  const { lines, all } = loadContracts()
  const line = args.release
  if (line !== undefined && !lines.includes(line)) throw new Error(`--release is one of ${lines.join(', ')}, not "${line}"`)
  const seed = args.seed ?? String(Math.floor(Math.random() * 2 ** 31))
  const fewest = Math.min(...all.map((contract) => servedTools({ all: [contract] }).length))
  const runs = Math.ceil(Number(args.requests) / fewest)
  process.stdout.write(`seed ${seed}: ${runs} requests of each task, at least ${runs * fewest} of each release\n`)
  const where = line === undefined ? '' : `AdCP ${line}.*`
  const child = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      ...['run', '--project', 'extended', '--maxWorkers=1', 'test/extended/releases.test.ts', '-t', `${where}generated requests`],
    ],
    { stdio: 'inherit', env: { ...process.env, RELEASE_RUNS: String(runs), RELEASE_SEED: seed } },
  )
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}
