import type { ServerResponse } from 'node:http'
import type { Received, WebhookReceiver } from '../../test/support/webhook-receiver.ts'

export type Mood = 'takes' | 'fails' | 'breaks off' | 'late' | 'twice' | 'hangs'

/** Longer than a sender's patience with a silent receiver. */
const HANG_MS = 20_000
const LATE_MS = 150

/** One webhook as it arrived, and what became of it. */
export interface Arrival {
  readonly webhook: Received
  readonly mood: Mood
}

/**
 * Makes a receiver behave badly: it fails, breaks off, answers late, answers twice on the same connection, or says nothing at all; and takes it
 * often enough for everything to arrive in the end. Gives the arrivals in order.
 */
export function makeMoody(
  receiver: WebhookReceiver,
  random: () => number,
): { readonly arrivals: readonly Arrival[]; calm(): void } {
  const arrivals: Arrival[] = []
  let isCalm = false
  receiver.answer((webhook, response) => {
    const mood = isCalm ? 'takes' : moodOf(random())
    arrivals.push({ webhook, mood })
    ANSWERS[mood](response)
  })
  return {
    arrivals,
    calm() {
      isCalm = true
    },
  }
}

function moodOf(chance: number): Mood {
  if (chance < 0.15) return 'fails'
  if (chance < 0.25) return 'breaks off'
  if (chance < 0.4) return 'late'
  if (chance < 0.5) return 'twice'
  // A hanging receiver holds one of eight places for ten seconds.
  return chance < 0.505 ? 'hangs' : 'takes'
}

const ANSWERS: Readonly<Record<Mood, (response: ServerResponse) => void>> = {
  takes: (response) => response.writeHead(200).end(),
  fails: (response) => response.writeHead(503).end(),
  'breaks off': (response) => response.destroy(),
  late: (response) => setTimeout(() => response.writeHead(200).end(), LATE_MS),
  twice(response) {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
    response.socket?.end(answer + answer)
  },
  hangs: (response) => setTimeout(() => response.destroy(), HANG_MS),
}

/** Whether the sender may take the webhook as delivered: it may also have died before it read so. */
export function isTaken(mood: Mood): boolean {
  return mood === 'takes' || mood === 'late' || mood === 'twice'
}
