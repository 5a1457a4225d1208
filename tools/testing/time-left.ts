/** The environment variable with the moment (seconds since 1970) by which a run of tests has to be over, as `.ci/run` sets it. */
const ENDS_AT = 'TESTS_END_AT'
/** A run of which nobody says when it has to be over has its hour. */
const USUAL_MS = 60 * 60_000

/** How long a run of tests may still take, so that on a machine that is several times slower than usual it ends in time with what it has. */
export class TimeLeft {
  readonly #endsAtMs: number

  /** `nowMs`: since 1970. */
  constructor(environment: NodeJS.ProcessEnv = process.env, nowMs: number = Date.now()) {
    const seconds = Number(environment[ENDS_AT])
    this.#endsAtMs = seconds > 0 ? seconds * 1000 : nowMs + USUAL_MS
  }

  /** Why something that takes so many minutes on a slow machine is not begun any more; undefined where there is time for it. */
  tooLateFor(minutes: number, nowMs: number = Date.now()): string | undefined {
    const left = Math.floor((this.#endsAtMs - nowMs) / 60_000)
    if (left >= minutes) return undefined
    return `${Math.max(0, left)} minutes are left and it may take ${minutes}; a faster machine, or npm run test:extended alone, runs it`
  }
}
