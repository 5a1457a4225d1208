import { parseArgs } from 'node:util'

/** Databases that rounds may run on. */
export type Engine = 'sqlite' | 'postgres'

/** Options that all tools have which kill a process in rounds. */
export interface RoundOptions {
  readonly rounds: number
  readonly seed: number
  readonly json: boolean
  readonly engine: Engine
}

/** Rounds that kill a server of a database of either kind. */
export interface KillOptions {
  readonly rounds: number
  readonly seed: number
  readonly say: (text: string) => void
  /** Words of the command line; default: the built one. */
  readonly command?: readonly string[]
  /** Connection string of a PostgreSQL database; default: SQLite. */
  readonly database?: string
}

/** More takes hours, and shows nothing that another seed does not. */
const MOST_ROUNDS = 2000

/** Reads `--rounds`, `--seed`, `--json` and `--engine` of the command line; ends the process with code 2 when one is wrong, or the tool does not run on the engine. */
export function readRoundOptions(engines: readonly Engine[] = ['sqlite']): RoundOptions {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      engine: { type: 'string', default: 'sqlite' },
    },
  })
  const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
  const engine = engines.find((each) => each === values.engine)
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MOST_ROUNDS || !Number.isInteger(seed) || !engine) {
    const text = `--rounds is a number from 1 to ${MOST_ROUNDS}, --seed a whole number, --engine ${engines.join(' or ')}`
    process.stderr.write(`${text}\n`)
    process.exit(2)
  }
  return { rounds, seed, json: values.json, engine }
}
