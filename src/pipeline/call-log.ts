import type { Logger } from 'pino'

/** What a call is known by on its log lines: ids and names of ours, never arguments. */
export type CallFacts = Readonly<Record<string, string>>

/** Where the lines of calls go. `plain` writes without looking for secrets: for lines that hold ids and numbers alone. */
export interface CallLines {
  readonly root: Logger
  readonly plain: Logger
}

/** The lines of calls in a log. Looking through a line for paths to redact costs three times what writing it does. */
export function linesOfCalls(root: Logger): CallLines {
  return { root, plain: root.child({}, { redact: [] }) }
}

/**
 * The log of one call: each fact of the call is on every line from then on. Not a child logger, because
 * making one costs more than the single line that most calls write.
 */
export class CallLog {
  readonly #lines: CallLines
  #known: CallFacts

  constructor(lines: CallLines, known: CallFacts) {
    this.#lines = lines
    this.#known = known
  }

  /** Adds facts (ids, never arguments) to every later line of the call. */
  note(facts: CallFacts): void {
    this.#known = { ...this.#known, ...facts }
  }

  /** What the call has learned about itself so far. */
  get facts(): CallFacts {
    return this.#known
  }

  /** The one line of a call that was answered. */
  answered(ms: number, replayed: boolean): void {
    this.#lines.plain.info({ ...this.#known, ms, replayed }, 'answered')
  }

  info(fields: object, message: string): void {
    this.#lines.root.info({ ...this.#known, ...fields }, message)
  }

  warn(fields: object, message: string): void {
    this.#lines.root.warn({ ...this.#known, ...fields }, message)
  }

  error(fields: object, message: string): void {
    this.#lines.root.error({ ...this.#known, ...fields }, message)
  }
}
