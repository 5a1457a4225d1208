import { parseArgs } from 'node:util'

/** Options that all tools have which kill a process in rounds. */
export interface RoundOptions {
  readonly rounds: number
  readonly seed: number
  readonly json: boolean
}

/** More takes hours, and shows nothing that another seed does not. */
const MOST_ROUNDS = 2000

/** Reads `--rounds`, `--seed` and `--json` of the command line; ends the process with code 2 when a number is wrong. */
export function readRoundOptions(): RoundOptions {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  })
  const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MOST_ROUNDS || !Number.isInteger(seed)) {
    process.stderr.write(`--rounds is a number from 1 to ${MOST_ROUNDS}, --seed a whole number\n`)
    process.exit(2)
  }
  return { rounds, seed, json: values.json }
}
