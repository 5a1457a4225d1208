import type { Logger } from 'pino'

/**
 * The log of one call: what the call has learned about itself stands on every line from then on. Not a child logger, because
 * making one costs more than the single line that most calls write.
 */
export class CallLog {
  readonly #root: Logger
  #known: Readonly<Record<string, unknown>>

  constructor(root: Logger, known: Readonly<Record<string, unknown>>) {
    this.#root = root
    this.#known = known
  }

  /** Adds facts (ids, never arguments) to every later line of the call. */
  note(facts: Readonly<Record<string, unknown>>): void {
    this.#known = { ...this.#known, ...facts }
  }

  /** What the call has learned about itself so far. */
  get facts(): Readonly<Record<string, unknown>> {
    return this.#known
  }

  info(fields: object, message: string): void {
    this.#root.info({ ...this.#known, ...fields }, message)
  }

  warn(fields: object, message: string): void {
    this.#root.warn({ ...this.#known, ...fields }, message)
  }

  error(fields: object, message: string): void {
    this.#root.error({ ...this.#known, ...fields }, message)
  }
}
