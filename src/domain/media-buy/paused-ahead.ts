import { isTerminal, mediaBuyStatus } from './lifecycle.ts'
import type { CreativeFacts, MediaBuy } from './media-buy.ts'
import type { ChangeTask } from './waits-for.ts'

/** What a change says that paused the whole order. */
export const PAUSED = 'Paused.'

/** Whether a buy is paused and its status does not say so: a pause before the flight leaves the status pending, since `paused` may not lead back to it. Answers have `ext.paused` then. */
export function isPausedAhead(buy: MediaBuy, creatives: CreativeFacts, now: Date): boolean {
  const status = mediaBuyStatus(buy, creatives, now)
  return buy.paused && status !== 'paused' && !isTerminal(status)
}

/** What `ext.paused` of an answer says, in a sentence, for a buyer that changes the order by `task`; undefined for anything else. */
export function pausedSentence(paused: unknown, task: ChangeTask): string | undefined {
  return paused === true
    ? `Paused: nothing of it runs when its flight begins, until ${task} sends paused false (ext.paused).`
    : undefined
}
