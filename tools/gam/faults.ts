import { parseArgs } from 'node:util'
import { startGamEmulator } from '../../test/support/gam-emulator.ts'
import { gamFaultRounds } from '../../test/support/gam-fault-rounds.ts'
import { findPython } from '../../test/support/python.ts'

const USAGE = `npm run gam:faults -- [--rounds 500] [--seed 1] [--kill-every 5] [--edited]
Books an order in each round in an emulated network of Google Ad Manager that fails, and counts what is lost, doubled or stranded.
--edited: its lines show creatives, and a person edits what is there between attempts; what was reported and was not so is counted, too.`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    'kill-every': { type: 'string' },
    edited: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})

/** A whole number of an option. Throws for what is none. */
function count(name: 'rounds' | 'seed' | 'kill-every', fallback: number): number {
  const value = Number(values[name] ?? fallback)
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new Error(`--${name} ${values[name]} is no whole number\n${USAGE}`)
}

async function main(): Promise<void> {
  const found = await findPython()
  if ('reason' in found) throw new Error(`Google Ad Manager cannot be emulated: ${found.reason}`)
  const emulator = await startGamEmulator(found.python, { silenceMs: 200 })
  const startedAt = Date.now()
  try {
    const result = await gamFaultRounds(emulator, {
      rounds: count('rounds', 500),
      seed: count('seed', 1),
      killEvery: count('kill-every', 5),
      edited: values.edited ?? false,
      onRound: (round) => {
        if (round % 25 === 0) process.stderr.write(`${round} rounds\n`)
      },
    })
    process.stdout.write(`${JSON.stringify({ ...result, seconds: Math.round((Date.now() - startedAt) / 1000) }, undefined, 2)}\n`)
    if (result.lost.length + result.doubled.length + result.stranded.length + result.untrue.length > 0) process.exitCode = 1
  } finally {
    await emulator.close()
  }
}

if (values.help) process.stdout.write(`${USAGE}\n`)
else await main()
