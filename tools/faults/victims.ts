import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from './fleet.ts'

/** What gets killed: a process by its number, or PostgreSQL. */
export type Victim = number | 'database'

/** What can be started again. */
interface Startable extends Pick<Fleet, 'start'> {
  readonly postgres: Pick<Fleet['postgres'], 'start'>
}

/** On a machine with other things to do a start may be late more than once; what is wrong with a program fails every time. */
const START_ATTEMPTS = 3
const START_PAUSE_MS = 5_000

/** `kill -9`; resolves when it is gone. */
export function strike(fleet: Fleet, victim: Victim): Promise<void> {
  return victim === 'database' ? fleet.postgres.crash() : fleet.end(victim, 'SIGKILL')
}

/** Starts what was killed. Gives the attempts that it took. @throws Error of the last attempt */
export async function revive(fleet: Startable, victim: Victim, pauseMs = START_PAUSE_MS): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      await (victim === 'database' ? fleet.postgres.start() : fleet.start(victim))
      return attempt
    } catch (error) {
      if (attempt === START_ATTEMPTS) throw error
      await sleep(pauseMs)
    }
  }
}
